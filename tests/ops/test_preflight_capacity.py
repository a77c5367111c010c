"""Checks of what there is to launch: quota, zones, hardware table, reservations, placement groups, addresses."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from ops.aws import Account
from ops.preflight import addresses, hardware_table, offerings, placement, quota, reservation
from ops.preflight.finding import PreflightFinding, Severity
from ops.preflight.parts import Part, parts_of
from spec.account import TRN_QUOTA
from spec.hardware import DEVICE_MEMORY_OTHER_IN_EC2, HARDWARE, Hardware, hardware
from spec.names import TEAM_TAG, Output, StackName
from tests.ops.accounts import BATCH, GROUP, StubbedAccount, TeamMaker, eks

RESERVATION = "cr-0123456789abcdef0"
NOW = datetime(2026, 11, 30, tzinfo=UTC)
RUNNING: dict[str, object] = {"Name": "instance-state-name", "Values": ["pending", "running"]}
OF_TEAM = {"Name": f"tag:{TEAM_TAG}", "Values": ["bert"]}
OURS = [{"Key": TEAM_TAG, "Value": "bert"}]
QUOTA = {"ServiceCode": TRN_QUOTA.service_code, "QuotaCode": TRN_QUOTA.quota_code}


def severities(findings: Any) -> dict[str, Severity]:
    return {finding.subject: finding.severity for finding in findings}


def only(findings: Any) -> PreflightFinding:
    (finding,) = findings
    assert isinstance(finding, PreflightFinding)
    return finding


# Quota


def test_vcpus_of_every_node_at_its_most_without_capacity_blocks(team_of: TeamMaker) -> None:
    block = GROUP | {"name": "block", "max": 8, "capacity": {"capacity_block": RESERVATION}}
    team = team_of(batch=BATCH, eks=eks(GROUP | {"max": 3}, block))
    assert quota.vcpus_needed(team) == 4 * 128 + 3 * 128
    reserved = team_of(eks=eks(GROUP | {"max": 3, "capacity": {"reservation": RESERVATION}}))
    assert quota.vcpus_needed(reserved) == 3 * 128


@pytest.mark.parametrize(
    ("granted", "others", "severity"),
    [(511.0, 0, "ERROR"), (512.0, 0, "OK"), (512.0, 1, "WARNING"), (640.0, 128, "OK"), (0.0, 0, "ERROR")],
)
def test_quota(granted: float, others: int, severity: str) -> None:
    finding = quota.judge(granted=granted, needed=512, others=others, region="us-east-2")
    assert finding.severity == severity
    assert (severity != Severity.ERROR) or "--region us-east-2 " in str(finding.expected)


def test_the_quota_that_is_too_small_says_how_to_ask(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.answer("service-quotas", "get_service_quota", {"Quota": {"Value": 256.0}}, **QUOTA)
    finding = only(quota.check(stubbed.account, team_of(batch=BATCH)))
    assert (finding.severity, finding.got) == (Severity.ERROR, "256 vCPUs")
    assert finding.expected.endswith("--service-code ec2 --quota-code L-2C3B7624 --desired-value 512")


def test_a_quota_that_was_never_changed_is_the_default(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.fail("service-quotas", "get_service_quota", "NoSuchResourceException", **QUOTA)
    stubbed.answer("service-quotas", "get_aws_default_service_quota", {"Quota": {"Value": 512.0}}, **QUOTA)
    stubbed.answer("ec2", "describe_instances", {"Reservations": []}, Filters=_all_running())
    assert only(quota.check(stubbed.account, team_of(batch=BATCH))).severity == Severity.OK


def test_only_on_demand_instances_of_others_count() -> None:
    trn1: dict[str, Any] = {"InstanceType": "trn1.32xlarge"}
    trn2: dict[str, Any] = {"InstanceType": "trn2.48xlarge"}
    found = [trn1 | {"Tags": OURS}, trn1, trn2, trn2 | {"InstanceLifecycle": "capacity-block"}]
    assert quota.vcpus_of_others(found, "bert") == 128 + 192


def test_no_quota_is_asked_for_capacity_blocks(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(eks=eks(GROUP | {"capacity": {"capacity_block": RESERVATION}}))
    assert only(quota.check(stubbed.account, team)).severity == Severity.OK


def _all_running() -> list[dict[str, object]]:
    return [{"Name": "instance-type", "Values": sorted(HARDWARE)}, RUNNING]


# Zones


def test_training_nodes_need_one_zone_and_system_nodes_two(team_of: TeamMaker) -> None:
    assert offerings.wanted(team_of(batch=BATCH, eks=eks())) == {
        "trn1.32xlarge": ["usw2-az4"],
        "m6i.large": ["usw2-az4", "usw2-az3"],
    }


def test_a_type_that_the_zone_does_not_offer(moto_account: Account, team_of: TeamMaker) -> None:
    network = {"training_zone": "usw2-az2", "second_zone": "usw2-az3"}
    finding = only(offerings.check(moto_account, team_of(network=network, batch=BATCH)))
    assert (finding.severity, finding.expected) == (Severity.ERROR, "one of usw2-az1, usw2-az4")
    assert only(offerings.check(moto_account, team_of(batch=BATCH))).severity == Severity.OK


def test_a_reservation_may_be_where_the_type_is_not_offered(moto_account: Account, team_of: TeamMaker) -> None:
    network = {"training_zone": "usw2-az2", "second_zone": "usw2-az3"}
    block = GROUP | {"capacity": {"capacity_block": RESERVATION}}
    found = severities(offerings.check(moto_account, team_of(network=network, eks=eks(block))))
    assert found["trn1.32xlarge in usw2-az2"] == Severity.WARNING
    found = severities(offerings.check(moto_account, team_of(network=network, eks=eks(block), batch=BATCH)))
    assert found["trn1.32xlarge in usw2-az2"] == Severity.ERROR


def test_a_type_that_the_region_does_not_offer() -> None:
    finding = offerings.judge("trn2.48xlarge", "usw2-az4", region="us-west-2", offered=())
    assert (finding.severity, finding.got) == (Severity.ERROR, "offered nowhere in us-west-2")
    assert finding.expected == "a Region of `trn zones trn2.48xlarge`"
    finding = offerings.judge("m6i.large", "usw2-az4", region="us-west-2", offered=())
    assert finding.expected == "another instance type"


# Hardware table


@pytest.mark.parametrize("row", HARDWARE.values(), ids=list(HARDWARE))
def test_every_row_is_what_ec2_says(row: Hardware) -> None:
    assert list(hardware_table.deviations_of(row, _described(row.instance_type))) == []


def test_the_documented_deviation_is_still_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware_table, "DEVICE_MEMORY_OTHER_IN_EC2", frozenset())
    deviating = {
        instance_type: list(hardware_table.deviations_of(row, _described(instance_type)))
        for instance_type, row in HARDWARE.items()
    }
    found = {instance_type for instance_type, facts in deviating.items() if facts}
    assert found == DEVICE_MEMORY_OTHER_IN_EC2
    assert {facts[0][0] for facts in deviating.values() if facts} == {"GiB per Neuron device"}


@pytest.mark.parametrize(
    ("fact", "change"),
    [
        ("vCPUs", lambda found: found["VCpuInfo"].update(DefaultVCpus=64)),
        ("memory in MiB", lambda found: found["MemoryInfo"].update(SizeInMiB=1)),
        ("network cards", lambda found: found["NetworkInfo"].update(MaximumNetworkCards=1)),
        ("EFA interfaces", lambda found: found["NetworkInfo"].pop("EfaInfo")),
        ("IPv4 addresses per interface", lambda found: found["NetworkInfo"].update(Ipv4AddressesPerInterface=1)),
        ("Neuron devices", lambda found: found["NeuronInfo"]["NeuronDevices"][0].update(Count=1)),
        ("cores per Neuron device", lambda found: found["NeuronInfo"]["NeuronDevices"][0]["CoreInfo"].update(Count=4)),
        (
            "GiB per Neuron device",
            lambda found: found["NeuronInfo"]["NeuronDevices"][0].update(MemoryInfo={"SizeInMiB": 1}),
        ),
    ],
)
def test_every_other_number_is_an_error(fact: str, change: Any) -> None:
    described = _described("trn1.32xlarge")
    change(described)
    assert [found for found, _, _ in hardware_table.deviations_of(hardware("trn1.32xlarge"), described)] == [fact]


def test_a_type_that_ec2_does_not_know(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.fail("ec2", "describe_instance_types", "InvalidInstanceType", InstanceTypes=["trn1.32xlarge"])
    assert only(hardware_table.check(stubbed.account, team_of(batch=BATCH))).severity == Severity.ERROR


@cache
def _captured(instance_type: str) -> dict[str, Any]:
    with mock_aws():
        client = boto3.client("ec2", hardware(instance_type).regions[0])
        found: dict[str, Any] = client.describe_instance_types(InstanceTypes=[instance_type])["InstanceTypes"][0]
        return found


def _described(instance_type: str) -> dict[str, Any]:
    """What EC2 says of a type, for a test to change."""
    return deepcopy(_captured(instance_type))


# Reservations


def reserved(**changes: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": RESERVATION,
        "InstanceType": "trn1.32xlarge",
        "AvailabilityZoneId": "usw2-az4",
        "InstancePlatform": "Linux/UNIX",
        "ReservationType": "default",
        "State": "active",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 4,
        "InstanceMatchCriteria": "targeted",
        "StartDate": NOW - timedelta(days=1),
    } | changes


def part(team_of: TeamMaker, kind: str = "reservation", nodes: int = 4) -> Part:
    (found,) = parts_of(team_of(eks=eks(GROUP | {"max": nodes, "capacity": {kind: RESERVATION}})))
    return found


def judged(found: dict[str, Any], asks: Part, own: int = 0) -> dict[str, Severity]:
    """Severity by the last word of the subject, where it is not OK."""
    findings = list(reservation.judge(found, asks, zone="usw2-az4", own=own, now=NOW))
    assert len(findings) >= 6
    return {each.subject.split()[-1]: each.severity for each in findings if each.severity != Severity.OK}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"InstanceType": "trn1n.32xlarge"}, {"type": "ERROR"}),
        ({"AvailabilityZoneId": "usw2-az1"}, {"zone": "ERROR"}),
        ({"ReservationType": "capacity-block"}, {"kind": "ERROR"}),
        ({"InstancePlatform": "Windows"}, {"platform": "ERROR"}),
        ({"TotalInstanceCount": 3}, {"size": "ERROR"}),
        ({"AvailableInstanceCount": 3}, {"size": "WARNING"}),
        ({"InstanceMatchCriteria": "open"}, {"match": "WARNING"}),
        ({"State": "cancelled"}, {"dates": "ERROR"}),
        ({"State": "payment-failed"}, {"dates": "ERROR"}),
        ({"State": "expired", "EndDate": NOW - timedelta(hours=1)}, {"dates": "ERROR"}),
        ({"EndDate": NOW - timedelta(seconds=1)}, {"dates": "ERROR"}),
        ({"EndDate": NOW + timedelta(hours=23)}, {"dates": "WARNING"}),
        ({"EndDate": NOW + timedelta(hours=25)}, {}),
        (
            {"State": "scheduled", "StartDate": NOW + timedelta(days=2), "AvailableInstanceCount": 0},
            {"dates": "WARNING"},
        ),
        ({"State": "pending"}, {"dates": "WARNING"}),
    ],
)
def test_a_reservation(changes: dict[str, Any], expected: dict[str, str], team_of: TeamMaker) -> None:
    assert judged(reserved(**changes), part(team_of)) == expected


def test_instances_of_the_team_itself_are_not_missing(team_of: TeamMaker) -> None:
    assert judged(reserved(AvailableInstanceCount=1), part(team_of), own=3) == {}


def test_a_capacity_block(team_of: TeamMaker) -> None:
    block = part(team_of, "capacity_block")
    assert judged(reserved(ReservationType="capacity-block", InstanceMatchCriteria="targeted"), block) == {}
    assert judged(reserved(), block) == {"kind": "ERROR"}


def test_the_reservation_is_asked_for_by_id(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(eks=eks(GROUP | {"max": 4, "capacity": {"reservation": RESERVATION}}))
    stubbed.answer(
        "ec2",
        "describe_capacity_reservations",
        {"CapacityReservations": [reserved(AvailableInstanceCount=3)]},
        CapacityReservationIds=[RESERVATION],
    )
    filters = [{"Name": "capacity-reservation-id", "Values": [RESERVATION]}, OF_TEAM, RUNNING]
    mine = {"Reservations": [{"Instances": [{"InstanceId": "i-1"}]}]}
    stubbed.answer("ec2", "describe_instances", mine, Filters=filters)
    assert set(severities(reservation.check(stubbed.account, team)).values()) == {Severity.OK}


def test_a_reservation_that_is_not_there(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(eks=eks(GROUP | {"capacity": {"reservation": RESERVATION}}))
    code = "InvalidCapacityReservationId.NotFound"
    stubbed.fail("ec2", "describe_capacity_reservations", code, CapacityReservationIds=[RESERVATION])
    finding = only(reservation.check(stubbed.account, team))
    assert (finding.severity, finding.subject) == (Severity.ERROR, f"node group trn1 {RESERVATION}")


def test_on_demand_nodes_have_no_reservation(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    assert list(reservation.check(stubbed.account, team_of(batch=BATCH))) == []


# Placement groups


@pytest.mark.parametrize(
    ("group", "severity"),
    [
        ({"GroupName": "mine", "State": "available", "Strategy": "cluster"}, "OK"),
        ({"GroupName": "mine", "State": "available", "Strategy": "spread"}, "ERROR"),
        ({"GroupName": "mine", "State": "deleting", "Strategy": "cluster"}, "ERROR"),
    ],
)
def test_a_placement_group(group: dict[str, str], severity: str, stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH | {"placement_group": "mine"}, eks=eks(GROUP))
    stubbed.answer("ec2", "describe_placement_groups", {"PlacementGroups": [group]}, GroupNames=["mine"])
    assert only(placement.check(stubbed.account, team)).severity == severity


def test_a_placement_group_that_is_not_there(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.fail("ec2", "describe_placement_groups", "InvalidPlacementGroup.Unknown", GroupNames=["mine"])
    team = team_of(batch=BATCH | {"placement_group": "mine"})
    assert only(placement.check(stubbed.account, team)).severity == Severity.ERROR


# Addresses


@pytest.mark.parametrize(("layout", "per_node"), [("efa", 8), ("efa-only", 1)])
def test_addresses_are_cards_times_nodes(layout: str, per_node: int, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH | {"efa_layout": layout}, eks=eks(GROUP | {"max": 3, "efa_layout": layout}))
    assert addresses.needed(team, running={}) == 7 * per_node
    assert addresses.needed(team, running={"trn1.32xlarge": 2}) == 5 * per_node
    assert addresses.needed(team, running={"trn1.32xlarge": 9, "trn2.48xlarge": 5}) == 0


def test_a_subnet_that_is_planned(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(network={"training_zone": "usw2-az4", "cidr": "10.0.0.0/23"}, batch=BATCH)
    stubbed.not_deployed(team, StackName.NETWORK)
    finding = only(addresses.check(stubbed.account, team))
    assert (finding.severity, finding.subject) == (Severity.OK, "planned training subnet /25")
    assert (finding.got, finding.expected) == ("123 free addresses", "at least 32")


@pytest.mark.parametrize(("free", "severity"), [(23, "ERROR"), (24, "OK")])
def test_a_subnet_that_is_deployed(free: int, severity: str, stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH)
    stubbed.deployed(team, StackName.NETWORK, **{Output.TRAINING_SUBNET_ID: "subnet-1"})
    found = {"Subnets": [{"SubnetId": "subnet-1", "AvailableIpAddressCount": free}]}
    stubbed.answer("ec2", "describe_subnets", found, SubnetIds=["subnet-1"])
    filters = [{"Name": "subnet-id", "Values": ["subnet-1"]}, OF_TEAM, RUNNING]
    running = {"Reservations": [{"Instances": [{"InstanceType": "trn1.32xlarge"}, {"InstanceType": "m6i.large"}]}]}
    stubbed.answer("ec2", "describe_instances", running, Filters=filters)
    assert only(addresses.check(stubbed.account, team)).severity == severity
