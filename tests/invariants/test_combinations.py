"""Every combination of hardware row, layout, path and capacity is either synthesized or refused with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spec.hardware import HARDWARE, Hardware
from spec.team_file import check_team
from tests.conftest import Synthesized
from tests.invariants.matrix import (
    BATCHES,
    CAPACITY,
    COMBINATIONS,
    IMAGES,
    NATS,
    PLACEMENTS,
    STORAGES,
    VERSIONS,
    Combination,
    team_name,
)

MIXED = {"both-paths", "shared"}
"""Teams of the matrix that are not made by turns."""


def errors(folder: Path, row: Hardware, keys: dict[str, Any]) -> list[str]:
    """What the validator refuses in a team of this hardware row, in a Region that offers it."""
    region, zones = next(iter(row.zone_ids.items()))
    network = {"training_zone": zones[0], "second_zone": f"{zones[0].partition('-')[0]}-az9"}
    path = folder / "team.yaml"
    path.write_text(json.dumps({"region": region, "network": network} | keys))
    return [str(finding) for finding in check_team(path)[1] if finding.severity == "error"]


@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_the_validator_takes_it_or_says_why_not(combination: Combination, tmp_path: Path) -> None:
    part = {"instance_type": combination.row.instance_type, "capacity": CAPACITY[combination.capacity]}
    part |= {"efa_layout": combination.layout} if combination.layout else {}
    keys = {"eks": {"node_groups": [part | {"name": "a"}]}, "batch": part | {"max_nodes": 1}}
    found = errors(tmp_path, combination.row, {combination.path: keys[combination.path]})
    if combination.refused is None:
        assert found == []
    else:
        assert any(combination.refused in text for text in found), found


@pytest.mark.parametrize("row", HARDWARE.values(), ids=lambda row: row.instance_type)
def test_batch_jobs_of_several_nodes_need_efa(row: Hardware, tmp_path: Path) -> None:
    found = errors(tmp_path, row, {"batch": {"instance_type": row.instance_type, "max_nodes": 2}})
    refusal = [text for text in found if "batch.max_nodes: got 2" in text and "has no EFA" in text]
    assert found == refusal
    assert bool(refusal) is (row.efa_interfaces == 0)


def test_every_valid_row_layout_and_path_is_synthesized(matrix: dict[str, Synthesized]) -> None:
    valid = {
        team_name(item.row, item.layout, item.path)
        for item in COMBINATIONS
        if item.capacity == "on-demand" and not item.refused
    }
    assert set(matrix) == valid | MIXED


def test_every_valid_capacity_and_placement_is_synthesized_on_eks(matrix: dict[str, Synthesized]) -> None:
    valid = {
        (item.row.instance_type, item.capacity, placement)
        for item in COMBINATIONS
        if item.path == "eks" and not item.refused
        for placement in PLACEMENTS[item.capacity]
    }
    found = {
        (group.instance_type, group.capacity.kind, group.placement)
        for synthesized in matrix.values()
        for group in (synthesized.team.eks.node_groups if synthesized.team.eks else ())
    }
    assert found == valid


def test_one_team_asks_for_all_that_runs_in_a_cluster(matrix: dict[str, Synthesized]) -> None:
    eks = matrix["shared"].team.eks
    assert eks is not None
    assert (eks.rendezvous, eks.dynamic_volumes, eks.neuron_monitor) == ("etcd", True, True)
    assert matrix["shared"].team.tensorboard
    assert eks.registry_mirrors
    researchers = [set(queue.researchers) for queue in eks.queues]
    assert researchers[0] & researchers[1]
    assert researchers[0] != researchers[1]


def test_every_other_choice_meets_both_paths(matrix: dict[str, Synthesized]) -> None:
    """The choices are dealt out by turns, so a change of the matrix could leave one out unseen."""
    choices: dict[str, set[Any]] = {"eks": set(), "batch": set()}
    for name, synthesized in matrix.items():
        team = synthesized.team
        lustre = team.storage.lustre
        chosen = {
            ("nat", team.network.nat),
            ("account", team.account is not None),
            ("bucket", team.storage.bucket is not None),
            ("delete", team.storage.on_delete),
            ("lustre", lustre and lustre.deployment, lustre and lustre.s3_link),
            ("images", team.images),
            ("tags", len(team.tags)),
        }
        for path, part in (("eks", team.eks), ("batch", team.batch)):
            if part is not None and name not in MIXED:
                choices[path] |= chosen
    expected: set[Any] = {("nat", nat) for nat in NATS}
    expected |= {("account", True), ("account", False), ("bucket", True), ("bucket", False)}
    expected |= {("delete", "retain"), ("delete", "delete"), ("tags", 0), ("tags", 1)}
    expected |= {("images", tuple(images)) for images in IMAGES}
    for storage in STORAGES:
        lustre = storage.get("lustre")
        deployment = lustre.get("deployment", "PERSISTENT_2") if lustre else None
        expected.add(("lustre", deployment, lustre.get("s3_link", True) if lustre else None))
    assert choices == {"eks": expected, "batch": expected}


def test_every_cluster_version_and_batch_variant_is_synthesized(matrix: dict[str, Synthesized]) -> None:
    versions = {synthesized.team.eks.version for synthesized in matrix.values() if synthesized.team.eks}
    batches = [synthesized.team.batch for synthesized in matrix.values() if synthesized.team.batch]
    assert versions == {version["version"] for version in VERSIONS}
    for variant in BATCHES:
        for key, value in variant.items():
            assert any(getattr(batch, key) == value for batch in batches), key
    assert {batch.capacity.kind for batch in batches} == {"on-demand", "reservation"}
    assert {batch.placement for batch in batches} == {"create", *PLACEMENTS["reservation"]}
