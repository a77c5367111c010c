"""The nodes stack: one Trn node group per entry, apart from the cluster."""

from __future__ import annotations

from typing import Any

import pytest

from spec.compatibility import NODE_IMAGES
from spec.names import NEURON_TAINT, NodeLabel, node_group_name_output
from tests.conftest import Synthesized, TeamFactory, synthesize_teams

BLOCK = "cr-0123456789abcdef0"
GROUPS: list[dict[str, Any]] = [
    {"name": "main", "instance_type": "trn1.32xlarge", "min": 1, "desired": 2, "max": 8},
    {"name": "small", "instance_type": "trn1.2xlarge", "desired": 1, "max": 1, "taint": True},
    {"name": "block", "instance_type": "trn1.32xlarge", "capacity": {"capacity_block": BLOCK}, "root_volume_gib": 900},
    {"name": "shared", "instance_type": "trn1n.32xlarge", "placement_group": "lab-group"},
]


@pytest.fixture(scope="module")
def teams(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    made = [
        make_team("groups", eks={"node_groups": GROUPS}),
        make_team("newest-sdk", neuron_sdk="2.32.0", eks={"node_groups": GROUPS[:1]}),
        make_team("pinned", eks={"node_groups": GROUPS[:1], "release_version": "1.35.2-20260403"}),
    ]
    return synthesize_teams(made, tmp_path_factory.mktemp("nodes"))


def by_name(synthesized: Synthesized) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """(node group, launch template data) of each entry."""
    found = synthesized.templates["Nodes"]["Resources"]
    groups = [item["Properties"] for item in found.values() if item["Type"] == "AWS::EKS::Nodegroup"]
    return {
        group["Labels"][NodeLabel.NODE_GROUP]: (
            group,
            found[group["LaunchTemplate"]["Id"]["Ref"]]["Properties"]["LaunchTemplateData"],
        )
        for group in groups
    }


def test_each_entry_has_a_node_group_and_an_output(teams: dict[str, Synthesized]) -> None:
    names = [group["name"] for group in GROUPS]
    assert sorted(by_name(teams["groups"])) == sorted(names)
    outputs = teams["groups"].templates["Nodes"]["Outputs"]
    assert sorted(outputs) == sorted(node_group_name_output(name) for name in names)


def test_sizes_and_types_follow_the_entry(teams: dict[str, Synthesized]) -> None:
    group, data = by_name(teams["groups"])["main"]
    assert group["ScalingConfig"] == {"MinSize": 1, "DesiredSize": 2, "MaxSize": 8}
    assert data["InstanceType"] == "trn1.32xlarge"
    assert "InstanceTypes" not in group
    assert len(data["NetworkInterfaces"]) == 8


def test_a_taint_is_the_one_that_the_device_plugin_tolerates(teams: dict[str, Synthesized]) -> None:
    groups = by_name(teams["groups"])
    assert groups["small"][0]["Taints"] == [{"Effect": "NO_SCHEDULE", "Key": NEURON_TAINT, "Value": "true"}]
    assert "Taints" not in groups["main"][0]


def test_a_type_without_efa_has_one_plain_interface_and_no_efa_label(teams: dict[str, Synthesized]) -> None:
    group, data = by_name(teams["groups"])["small"]
    assert [interface["InterfaceType"] for interface in data["NetworkInterfaces"]] == ["interface"]
    assert NodeLabel.EFA not in group["Labels"]


def test_a_capacity_block_is_complete(teams: dict[str, Synthesized]) -> None:
    group, data = by_name(teams["groups"])["block"]
    assert group["CapacityType"] == "CAPACITY_BLOCK"
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    target = {"CapacityReservationTarget": {"CapacityReservationId": BLOCK}}
    assert data["CapacityReservationSpecification"] == target
    assert data["InstanceType"] == "trn1.32xlarge"
    assert len(group["Subnets"]) == 1
    assert "Placement" not in data


def test_an_existing_placement_group_is_taken_by_name(teams: dict[str, Synthesized]) -> None:
    groups = by_name(teams["groups"])
    assert groups["shared"][1]["Placement"] == {"GroupName": "lab-group"}
    # main and small bring one each; block has its own placement.
    assert len(teams["groups"].of_type("AWS::EC2::PlacementGroup")) == 2


def test_the_root_volume_is_as_large_as_asked(teams: dict[str, Synthesized]) -> None:
    groups = by_name(teams["groups"])
    sizes = {name: data["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] for name, (_, data) in groups.items()}
    assert sizes == {"main": 500, "small": 500, "block": 900, "shared": 500}


@pytest.mark.parametrize(
    ("team", "release"),
    [("groups", "1.35.6-20260625"), ("newest-sdk", "1.35.6-20260714"), ("pinned", "1.35.2-20260403")],
)
def test_the_node_image_goes_with_the_sdk(team: str, release: str, teams: dict[str, Synthesized]) -> None:
    assert by_name(teams[team])["main"][0]["ReleaseVersion"] == release


def test_the_newest_image_is_passed_over_where_its_driver_does_not_run_the_sdk() -> None:
    """Otherwise the releases above would say nothing about the rule."""
    assert NODE_IMAGES[0].date == "20260714"


def test_nothing_boots_a_node_by_hand(teams: dict[str, Synthesized]) -> None:
    """The Neuron AMI brings driver and EFA, and without an image of our own EKS brings the bootstrap part itself."""
    for name, (_, data) in by_name(teams["groups"]).items():
        assert "UserData" not in data, name
        assert "ImageId" not in data, name


def test_missing_capacity_does_not_roll_back_the_cluster(teams: dict[str, Synthesized]) -> None:
    for stack, resource in teams["groups"].of_type("AWS::EKS::Nodegroup"):
        assert (stack == "Nodes") is (resource["Properties"]["AmiType"] == "AL2023_x86_64_NEURON")
    artifacts = teams["groups"].manifest["artifacts"].values()
    needs = {
        item["displayName"].partition("/")[2]: str(item.get("dependencies"))
        for item in artifacts
        if item["type"] == "aws:cloudformation:stack"
    }
    assert "Cluster" in needs["Nodes"]
    assert "Nodes" not in needs["Cluster"]


def test_the_node_role_is_the_cluster_stack_s(teams: dict[str, Synthesized]) -> None:
    """A role in the nodes' stack would tie the two stacks together both ways."""
    assert not [stack for stack, _ in teams["groups"].of_type("AWS::IAM::Role") if stack == "Nodes"]
