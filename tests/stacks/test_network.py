"""The network stack: zones, address ranges, ways out."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest

from spec.versions import INTERFACE_ENDPOINTS
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.rules.cfn import target

ZONES = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
BATCH = {"instance_type": "trn1.32xlarge", "max_nodes": 2}
EKS = {"node_groups": [{"name": "a", "instance_type": "trn1.2xlarge", "desired": 1, "max": 1}]}
PREFIXES = (16, 20, 24)


@pytest.fixture(scope="module")
def networks(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    """One team per way out and size of the VPC."""
    small = BATCH | {"instance_type": "trn1.2xlarge", "max_nodes": 1}
    teams = [
        make_team("nat", network=ZONES, batch=BATCH),
        make_team("private", network=ZONES | {"nat": "none"}, eks=EKS),
        make_team("one-zone", network={"training_zone": "usw2-az4"}, batch=BATCH),
        *(make_team(f"vpc-{size}", network=ZONES | {"cidr": f"10.0.0.0/{size}"}, batch=small) for size in PREFIXES),
    ]
    return synthesize_teams(teams, tmp_path_factory.mktemp("networks"))


def properties(synthesized: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource["Properties"] for _, resource in synthesized.of_type(kind)]


def subnets(synthesized: Synthesized) -> list[tuple[str, str]]:
    return [(item["AvailabilityZoneId"], item["CidrBlock"]) for item in properties(synthesized, "AWS::EC2::Subnet")]


def test_two_zones_with_a_quarter_of_the_vpc_each_and_the_nat_beside_them(networks: dict[str, Synthesized]) -> None:
    assert sorted(subnets(networks["nat"])) == [
        ("usw2-az3", "10.40.128.16/28"),
        ("usw2-az3", "10.40.64.0/18"),
        ("usw2-az4", "10.40.0.0/18"),
        ("usw2-az4", "10.40.128.0/28"),
    ]


def test_batch_alone_may_stay_in_one_zone(networks: dict[str, Synthesized]) -> None:
    assert {zone for zone, _ in subnets(networks["one-zone"])} == {"usw2-az4"}


@pytest.mark.parametrize("size", PREFIXES)
def test_subnets_share_the_vpc_without_overlap(size: int, networks: dict[str, Synthesized]) -> None:
    vpc = IPv4Network(f"10.0.0.0/{size}")
    blocks = [IPv4Network(block) for _, block in subnets(networks[f"vpc-{size}"])]
    assert len(blocks) == 4
    assert all(block.subnet_of(vpc) for block in blocks)
    assert not [pair for pair in combinations(blocks, 2) if pair[0].overlaps(pair[1])]


def test_the_nat_gateway_is_in_the_training_zone(networks: dict[str, Synthesized]) -> None:
    """Traffic of training nodes then crosses no zone's border, which would be charged."""
    network = networks["nat"]
    (gateway,) = properties(network, "AWS::EC2::NatGateway")
    _, _, subnet = target(network, "Network", gateway["SubnetId"]).partition("/")
    assert network.templates["Network"]["Resources"][subnet]["Properties"]["AvailabilityZoneId"] == "usw2-az4"


def test_without_nat_nothing_leads_to_the_internet(networks: dict[str, Synthesized]) -> None:
    private = networks["private"]
    kinds = {resource["Type"] for resource in private.templates["Network"]["Resources"].values()}
    public = {"AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::EC2::Route"}
    assert kinds & public == set()
    assert sorted(zone for zone, _ in subnets(private)) == ["usw2-az3", "usw2-az4"]


@pytest.mark.parametrize("service", INTERFACE_ENDPOINTS)
def test_without_nat_each_service_has_an_endpoint_in_the_training_subnet(
    service: str, networks: dict[str, Synthesized]
) -> None:
    private = networks["private"]
    (endpoint,) = [
        item
        for item in properties(private, "AWS::EC2::VPCEndpoint")
        if item["ServiceName"] == f"com.amazonaws.us-west-2.{service}"
    ]
    (subnet,) = endpoint["SubnetIds"]
    _, _, logical_id = target(private, "Network", subnet).partition("/")
    assert private.templates["Network"]["Resources"][logical_id]["Properties"]["AvailabilityZoneId"] == "usw2-az4"
    assert endpoint["PrivateDnsEnabled"] is True
    assert endpoint["VpcEndpointType"] == "Interface"


def test_endpoints_name_every_service_of_a_private_cluster() -> None:
    """STS, EKS, ECR and Lambda carry the kubectl handler; the rest nodes, jobs and Session Manager."""
    kubectl_handler = {"sts", "eks", "ecr.api", "ecr.dkr", "lambda"}
    batch_hosts = {"ecs", "ecs-agent", "ecs-telemetry", "batch", "logs"}
    nodes = {"ec2", "eks-auth", "fsx", "ssm", "ssmmessages", "ec2messages", "autoscaling", "elasticloadbalancing"}
    assert set(INTERFACE_ENDPOINTS) == kubectl_handler | batch_hosts | nodes


def test_the_vpc_keeps_the_rules_of_its_default_group(networks: dict[str, Synthesized]) -> None:
    """Batch gives it to the containers of multi-node jobs."""
    assert not [name for name, team in networks.items() if team.of_type("Custom::VpcRestrictDefaultSG")]


def test_the_efa_group_is_the_only_group_of_the_stack(networks: dict[str, Synthesized]) -> None:
    groups = properties(networks["nat"], "AWS::EC2::SecurityGroup")
    assert [group["GroupDescription"] for group in groups] == ["EFA between training nodes"]


def test_a_team_without_a_second_subnet_still_routes_through_the_nat(
    make_team: TeamFactory, synthesize: Callable[..., dict[str, Synthesized]]
) -> None:
    team = make_team("single", network={"training_zone": "usw2-az1"}, batch=BATCH)
    routes = properties(synthesize(team)["single"], "AWS::EC2::Route")
    assert sorted(key for route in routes for key in route if key.endswith("GatewayId")) == [
        "GatewayId",
        "NatGatewayId",
    ]
