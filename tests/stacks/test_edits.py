"""What an edit of a team file does to what is deployed: nothing that CloudFormation or AWS would refuse.

docs/edits.md lists the edits that need more than one command; the exports that they would drop are held here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conftest import ROOT, Synthesized, TeamFactory, synthesize_teams

ALICE, BOB, CAROL = (f"arn:aws:iam::111122223333:role/{name}" for name in ("Alice", "Bob", "Carol"))
GROUP = {"name": "a", "instance_type": "trn1.32xlarge"}
QUEUES = [{"name": "q", "neuron_devices": 16}, {"name": "r", "neuron_devices": 16}]
NETWORK = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
EKS: dict[str, Any] = {"node_groups": [GROUP], "queues": QUEUES, "admins": [ALICE, BOB, CAROL]}
BATCH: dict[str, Any] = {"instance_type": "trn1.32xlarge", "max_nodes": 4}
BASE: dict[str, Any] = {"storage": {"lustre": {}}, "eks": EKS, "batch": BATCH}
EDITS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "admin-removed": {"eks": EKS | {"admins": [BOB, CAROL]}},
    "admins-sorted-otherwise": {"eks": EKS | {"admins": [CAROL, ALICE, BOB]}},
    "admin-to-researcher": {
        "eks": EKS | {"admins": [BOB, CAROL], "queues": [QUEUES[0] | {"researchers": [ALICE]}, QUEUES[1]]}
    },
    "queue-removed": {"eks": EKS | {"queues": QUEUES[1:]}},
    "queues-sorted-otherwise": {"eks": EKS | {"queues": QUEUES[::-1]}},
    "kubernetes-upgraded": {"eks": EKS | {"version": "1.36"}},
    "shares-added": {"batch": BATCH | {"shares": {"x": 1}}},
    "lustre-removed": {"storage": {}},
    "image-removed": {"images": ["bert"]},
    "bucket-named": {"storage": {"lustre": {"s3_link": False}, "bucket": "one-that-exists"}},
    "tensorboard-off": {"eks": EKS | {"tensorboard": False}},
    "eks-removed": {"eks": None},
    "batch-removed": {"batch": None},
    "nat-removed": {"network": NETWORK | {"nat": "none"}},
    "group-scaled": {"eks": EKS | {"node_groups": [GROUP | {"desired": 1}]}},
}
MORE_THAN_ONE_COMMAND = {
    "lustre-removed",
    "image-removed",
    "bucket-named",
    "tensorboard-off",
    "eks-removed",
    "batch-removed",
}


@pytest.fixture(scope="module")
def teams(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    """The same team after each edit; every variant in an app of its own, under the same name."""
    return {
        name: synthesize_teams([make_team("team", **(BASE | edit))], tmp_path_factory.mktemp(name))["team"]
        for name, edit in EDITS.items()
    }


def of_kind(synthesized: Synthesized, kind: str) -> dict[str, dict[str, Any]]:
    return {
        logical_id: resource["Properties"]
        for template in synthesized.templates.values()
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == kind
    }


def exports(synthesized: Synthesized) -> set[str]:
    outputs = (it for template in synthesized.templates.values() for it in template.get("Outputs", {}).values())
    return {it["Export"]["Name"] for it in outputs if "Export" in it}


def imports(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("Fn::ImportValue"), str):
            yield value["Fn::ImportValue"]
        for item in value.values():
            yield from imports(item)
    elif isinstance(value, list):
        for item in value:
            yield from imports(item)


KEYS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "AWS::EKS::AccessEntry": lambda it: json.dumps(it["PrincipalArn"]),
    "AWS::EKS::Addon": lambda it: it["AddonName"],
    "AWS::EC2::Subnet": lambda it: it["CidrBlock"],
}
"""What AWS identifies a resource by, so that no second one with it can be made before the first is gone."""


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("edit", EDITS)
def test_no_resource_takes_the_place_of_another(edit: str, kind: str, teams: dict[str, Synthesized]) -> None:
    before = {KEYS[kind](it): logical_id for logical_id, it in of_kind(teams["nothing"], kind).items()}
    after = {KEYS[kind](it): logical_id for logical_id, it in of_kind(teams[edit], kind).items()}
    assert before
    assert {key: name for key, name in after.items() if before.get(key, name) != name} == {}


@pytest.mark.parametrize("edit", EDITS)
def test_exports_that_are_in_use_stay(edit: str, teams: dict[str, Synthesized]) -> None:
    in_use = {name for template in teams["nothing"].templates.values() for name in imports(template)}
    lost = in_use & (exports(teams["nothing"]) - exports(teams[edit]))
    assert bool(lost) == (edit in MORE_THAN_ONE_COMMAND), lost


def test_the_page_on_edits_names_those_that_need_more_than_one_command() -> None:
    page = (ROOT / "docs" / "edits.md").read_text()
    for words in (
        "`storage.lustre` removed",
        "removed from `images`",
        "`tensorboard: false`",
        "`storage.bucket`",
        "`eks` removed",
        "`batch` removed",
    ):
        assert words in page


def test_who_is_no_admin_any_more_loses_the_policy(teams: dict[str, Synthesized]) -> None:
    """An absent list would leave it to CloudFormation whether the policy goes."""
    for edit, admin in (("nothing", True), ("admin-to-researcher", False)):
        (alice,) = [it for it in of_kind(teams[edit], "AWS::EKS::AccessEntry").values() if it["PrincipalArn"] == ALICE]
        assert (bool(alice["AccessPolicies"]), bool(alice["KubernetesGroups"])) == (admin, not admin)


def test_a_kubernetes_upgrade_moves_every_node_group(teams: dict[str, Synthesized]) -> None:
    for edit, version in (("nothing", "1.35"), ("kubernetes-upgraded", "1.36")):
        groups = of_kind(teams[edit], "AWS::EKS::Nodegroup").values()
        assert [group["Version"] for group in groups] == [version, version]
        assert all(group.get("ReleaseVersion", version).startswith(version) for group in groups)


def test_a_queue_changes_its_kind_by_replacement(teams: dict[str, Synthesized]) -> None:
    kind = "AWS::Batch::JobQueue"
    assert of_kind(teams["nothing"], kind).keys().isdisjoint(of_kind(teams["shares-added"], kind))


def test_a_queue_that_leaves_takes_its_manifests_along(teams: dict[str, Synthesized]) -> None:
    kind = "Custom::AWSCDK-EKS-KubernetesResource"
    gone = of_kind(teams["nothing"], kind).keys() - of_kind(teams["queue-removed"], kind).keys()
    assert len(gone) == 2
    assert of_kind(teams["queues-sorted-otherwise"], kind).keys() == of_kind(teams["nothing"], kind).keys()
