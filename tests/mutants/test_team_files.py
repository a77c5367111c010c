"""Mistakes in a team file: the file as it was is valid, one changed value is refused at its key."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spec.team_file import check_team

ORIGINAL: dict[str, Any] = {
    "region": "us-west-2",
    "network": {"training_zone": "usw2-az4", "second_zone": "usw2-az3"},
    "storage": {"lustre": {"capacity_gib": 1200, "deployment": "PERSISTENT_2", "throughput": 250}},
    "eks": {
        "version": "1.35",
        "admins": ["arn:aws:iam::111122223333:role/Admin"],
        "node_groups": [{"name": "trn1", "instance_type": "trn1.32xlarge", "desired": 2, "max": 2}],
        "queues": [{"name": "bert", "neuron_devices": 32}],
    },
    "batch": {"instance_type": "trn1.32xlarge", "max_nodes": 4},
}


@dataclass(frozen=True)
class Mistake:
    """One value of the file; `expected`: words of the refusal."""

    name: str
    key: str
    value: Any
    expected: str

    def __str__(self) -> str:
        return self.name


MISTAKES = (
    Mistake("lustre-capacity-1300", "storage.lustre.capacity_gib", 1300, "multiple of 2400"),
    Mistake("lustre-throughput-77", "storage.lustre.throughput", 77, "one of 125, 250, 500, 1000"),
    Mistake("scratch-2-with-throughput", "storage.lustre.deployment", "SCRATCH_2", "no throughput"),
    Mistake("lustre-with-import-path", "storage.lustre.import_path", "s3://bucket", "an unknown key"),
    Mistake("two-lustre-subnets", "storage.lustre.subnets", ["usw2-az4", "usw2-az3"], "an unknown key"),
    Mistake("desired-above-max", "eks.node_groups.0.desired", 3, "from min (0) to max (2)"),
    Mistake("disk-size", "eks.node_groups.0.disk_size", 100, "an unknown key"),
    Mistake("kubernetes-1-12", "eks.version", "1.12", "one of 1.33"),
    Mistake("one-zone", "network.second_zone", None, "required with eks"),
    Mistake("one-zone-twice", "network.second_zone", "usw2-az4", "another zone"),
    Mistake("type-that-does-not-exist", "batch.instance_type", "trn1.32xlrge", "did you mean trn1.32xlarge"),
    Mistake("training-zone-by-name", "network.training_zone", "us-west-2d", "zone id"),
    Mistake("spot", "batch.capacity", "spot", "on-demand"),
    Mistake("capacity-block-in-batch", "batch.capacity", {"capacity_block": "cr-0123456789abcdef0"}, "node group can"),
    Mistake("share-with-a-hyphen", "batch.shares", {"team-a": 1}, "letters and digits"),
    Mistake("no-attempts", "batch.attempts", 0, "from 1 to 10"),
    Mistake("eleven-attempts", "batch.attempts", 11, "from 1 to 10"),
    Mistake("gives-up-too-soon", "batch.max_runnable_minutes", 5, "from 10 to 1440"),
    Mistake("queue-larger-than-the-cluster", "eks.queues.0.neuron_devices", 33, "at most 32"),
)


def errors(path: Path, keys: dict[str, Any]) -> list[str]:
    path.write_text(json.dumps(keys))
    return [str(finding) for finding in check_team(path)[1] if finding.severity == "error"]


def test_the_original_is_valid(tmp_path: Path) -> None:
    assert errors(tmp_path / "team.yaml", ORIGINAL) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_the_validator_sees_the_mistake(mistake: Mistake, tmp_path: Path) -> None:
    mutant = copy.deepcopy(ORIGINAL)
    holder: Any = mutant
    *steps, last = mistake.key.split(".")
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    holder[last] = mistake.value
    found = errors(tmp_path / "team.yaml", mutant)
    parent = mistake.key.rpartition(".")[0]
    assert any(f": {parent}." in text and mistake.expected in text for text in found), found


@pytest.mark.parametrize(
    ("zones", "instance_type", "severity", "expected"),
    [
        (("use1-az6", "use1-az3"), "trn1.32xlarge", "error", "EKS has no control plane in use1-az3"),
        (("use1-az1", "use1-az5"), "trn1.32xlarge", "warning", "use1-az4, use1-az5, use1-az6"),
        (("use1-az6", "use1-az5"), "trn2.48xlarge", "error", "ap-south-2, us-east-2"),
    ],
    ids=["control-plane-in-a-denied-zone", "training-where-no-trainium-is", "region-without-the-type"],
)
def test_a_wrong_place_is_told_with_the_right_ones(
    zones: tuple[str, str], instance_type: str, severity: str, expected: str, tmp_path: Path
) -> None:
    groups = [{"name": "a", "instance_type": instance_type}]
    network = {"training_zone": zones[0], "second_zone": zones[1]}
    path = tmp_path / "team.yaml"
    path.write_text(json.dumps({"region": "us-east-1", "network": network, "eks": {"node_groups": groups}}))
    found = [finding for finding in check_team(path)[1] if finding.severity == severity]
    assert any(expected in str(finding) for finding in found), found
