"""`trn cost`: what is counted, how it is priced, and the file of prices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from ops.aws import Account
from ops.cost import inventory, report as module
from ops.cost.line import Running, price, total
from ops.cost.report import report
from spec.findings import SpecError
from spec.hardware import HARDWARE
from spec.names import TEAM_TAG, Output, StackName
from spec.price_file import SERVICE_KEYS, load_prices
from spec.prices import BUILT_IN, HOURS_PER_MONTH, REGION, PriceTable, is_monthly, lustre_key
from spec.team import Team
from tests.ops.accounts import BATCH, StubbedAccount, TeamMaker, Trn, eks, expired

DAY = date(2026, 11, 30)
TAGS = [{"Key": TEAM_TAG, "Value": "bert"}]
BY_TAG = {"Name": f"tag:{TEAM_TAG}", "Values": ["bert"]}


@pytest.fixture
def team(team_of: TeamMaker) -> Team:
    return team_of(eks=eks(), batch=BATCH)


def table(**prices: float) -> PriceTable:
    return PriceTable(DAY, prices)


# What is counted


def test_instances_by_type_and_by_how_they_are_paid(stubbed: StubbedAccount, team: Team) -> None:
    filters = [BY_TAG, {"Name": "instance-state-name", "Values": ["pending", "running"]}]
    trn1 = {"InstanceType": "trn1.32xlarge"}
    found = [
        {"Instances": [trn1, trn1]},
        {"Instances": [trn1 | {"CapacityReservationId": "cr-1"}]},
        {"Instances": [trn1 | {"CapacityReservationId": "cr-2", "InstanceLifecycle": "capacity-block"}]},
        {"Instances": [{"InstanceType": "m6i.large", "InstanceLifecycle": "spot"}]},
    ]
    stubbed.answer("ec2", "describe_instances", {"Reservations": found}, Filters=filters)
    counted = list(inventory.nodes(stubbed.account, team, DAY))
    assert {(each.key, each.count, each.paid, each.note) for each in counted} == {
        ("m6i.large", 1, None, "Spot, shown at the on-demand price"),
        ("trn1.32xlarge", 1, "paid already: capacity block cr-2", ""),
        ("trn1.32xlarge", 1, None, "in reservation cr-1"),
        ("trn1.32xlarge", 2, None, ""),
    }
    assert sum(price(each, BUILT_IN).per_hour or 0 for each in counted) == pytest.approx(3 * 21.5 + 0.096)


def test_unused_places_of_a_reservation_cost_as_much(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    reservation = "cr-0123456789abcdef0"
    team = team_of(batch=BATCH | {"capacity": {"reservation": reservation}})
    place = {"CapacityReservationId": reservation, "InstanceType": "trn1.32xlarge", "AvailableInstanceCount": 3}
    found = [place | {"State": "active"}, place | {"State": "cancelled"}]
    asked = {"CapacityReservationIds": [reservation]}
    stubbed.answer("ec2", "describe_capacity_reservations", {"CapacityReservations": found}, **asked)
    (line,) = [price(each, BUILT_IN) for each in inventory.unused_reservations(stubbed.account, team, DAY)]
    assert (line.what, line.count, line.per_hour) == (f"reservation {reservation}, unused", 3, 64.5)


@pytest.mark.parametrize("read", [inventory.control_plane, inventory.stored])
def test_a_stack_that_was_rolled_back_is_a_warning(
    read: Any, stubbed: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SERVICES", (("made up", read),))
    stack = StackName.STORAGE if read is inventory.stored else StackName.CLUSTER
    stubbed.deployed(team, stack)
    (warning,) = report(stubbed.account, team, BUILT_IN, today=DAY).warnings
    assert warning.startswith(f"made up: not read: stack bert-{stack}: is CREATE_COMPLETE and has no output ")


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("code", ["AccessDenied", "Throttling"])
def test_nothing_read_exits_with_1(
    code: str,
    more: tuple[str, ...],
    *,
    command: Trn,
    stubbed: StubbedAccount,
    team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ops.commands.opened.account_of", lambda _team: stubbed.account)
    services(monkeypatch, *(ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeThings"),) * 2)
    found, out, err = command("cost", team.path, *more)
    assert found == 1
    assert "nothing runs" not in out
    assert ("DescribeThings" in err) != bool(more)


def test_what_moto_runs_is_found_by_the_tag(moto_account: Account, team: Team) -> None:
    client = moto_account.client("ec2")
    for tags in (TAGS, [{"Key": TEAM_TAG, "Value": "other"}]):
        client.allocate_address(TagSpecifications=[{"ResourceType": "elastic-ip", "Tags": tags}])
        client.allocate_address(TagSpecifications=[{"ResourceType": "elastic-ip", "Tags": tags}])
        client.create_volume(
            AvailabilityZone="us-west-2a",
            Size=500,
            VolumeType="gp3",
            TagSpecifications=[{"ResourceType": "volume", "Tags": tags}],
        )
    made = report(moto_account, team, BUILT_IN, today=DAY)
    counted = {line.what: line.count for line in made.lines}
    assert counted["EBS gp3"] == 500
    assert counted["public IPv4, idle"] == 2
    assert not [warning for warning in made.warnings if "not read" in warning]


def test_nat_gateways_that_are_not_deleted(stubbed: StubbedAccount, team: Team) -> None:
    filters = [BY_TAG, {"Name": "state", "Values": ["pending", "available"]}]
    stubbed.answer("ec2", "describe_nat_gateways", {"NatGateways": [{}]}, Filters=filters)
    assert [each.count for each in inventory.nat_gateways(stubbed.account, team, DAY)] == [1]


def test_interface_endpoints_cost_by_zone(stubbed: StubbedAccount, team: Team) -> None:
    filters = [BY_TAG, {"Name": "vpc-endpoint-type", "Values": ["Interface"]}]
    found = [{"SubnetIds": ["subnet-1"]}, {"SubnetIds": ["subnet-1", "subnet-2"]}]
    stubbed.answer("ec2", "describe_vpc_endpoints", {"VpcEndpoints": found}, Filters=filters)
    assert [each.count for each in inventory.endpoints(stubbed.account, team, DAY)] == [3]


@pytest.mark.parametrize(
    ("version", "day", "key"),
    [
        ("1.35", DAY, "eks.standard"),
        ("1.33", DAY, "eks.extended"),
        ("1.34", date(2026, 12, 3), "eks.extended"),
        ("1.99", DAY, "eks.standard"),
    ],
)
def test_the_control_plane(version: str, day: date, key: str, stubbed: StubbedAccount, team: Team) -> None:
    stubbed.deployed(team, StackName.CLUSTER, **{Output.CLUSTER_NAME: "cluster"})
    stubbed.answer("eks", "describe_cluster", {"cluster": {"version": version}}, name="cluster")
    assert [each.key for each in inventory.control_plane(stubbed.account, team, day)] == [key]


def test_no_control_plane_before_a_deployment(stubbed: StubbedAccount, team: Team) -> None:
    stubbed.not_deployed(team, StackName.CLUSTER)
    assert list(inventory.control_plane(stubbed.account, team, DAY)) == []


def test_lustre_by_deployment_and_throughput(stubbed: StubbedAccount, team: Team) -> None:
    lustre: dict[str, Any] = {
        "FileSystemId": "fs-01234567",
        "FileSystemType": "LUSTRE",
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": 4800,
        "Tags": TAGS,
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
    }
    scratch = lustre | {"LustreConfiguration": {"DeploymentType": "SCRATCH_2"}}
    others = [
        lustre | {"Tags": [{"Key": TEAM_TAG, "Value": "other"}]},
        lustre | {"Lifecycle": "DELETING"},
        {"FileSystemType": "ONTAP", "Lifecycle": "AVAILABLE", "Tags": TAGS},
    ]
    stubbed.answer("fsx", "describe_file_systems", {"FileSystems": [lustre, scratch, *others]})
    counted = list(inventory.file_systems(stubbed.account, team, DAY))
    assert [(each.key, each.count, each.what) for each in counted] == [
        ("fsx.PERSISTENT_2.250", 4800, "FSx fs-01234567 PERSISTENT_2 250 MB/s/TiB"),
        ("fsx.SCRATCH_2", 4800, "FSx fs-01234567 SCRATCH_2"),
    ]


def test_what_is_never_priced_is_named(stubbed: StubbedAccount, team: Team) -> None:
    stubbed.deployed(team, StackName.STORAGE, **{Output.BUCKET_NAME: "artifacts"})
    lines = [price(each, BUILT_IN) for each in inventory.stored(stubbed.account, team, DAY)]
    assert [(line.what, line.per_hour, line.note) for line in lines] == [
        ("S3 artifacts", None, "not priced"),
        ("ECR", None, "not priced"),
    ]


# Prices


def test_by_the_hour_and_by_the_month() -> None:
    prices = table(**{"trn1.32xlarge": 21.5, "ebs.gp3": 0.08})
    assert price(Running("x", 4, "instances", "trn1.32xlarge"), prices).per_hour == 86.0
    line = price(Running("x", 1000, "GB", "ebs.gp3"), prices)
    assert line.per_hour == pytest.approx(80 / HOURS_PER_MONTH)
    assert line.note == "0.08 a month and GB"


def test_without_a_price() -> None:
    line = price(Running("x", 1, "instances", "trn2.48xlarge"), BUILT_IN)
    assert (line.per_hour, line.note) == (None, "no price: give one in --prices FILE, as trn2.48xlarge")


def test_what_is_paid_already_costs_nothing_more() -> None:
    line = price(Running("x", 4, "instances", "trn1.32xlarge", "paid already: block"), BUILT_IN)
    assert (line.per_hour, line.note) == (0.0, "paid already: block")


def test_the_total_tells_what_is_missing() -> None:
    prices = table(a=1.5)
    lines = [price(Running("x", 2, "", key), prices) for key in ("a", "b", None)]
    assert total(lines) == (3.0, 2)
    made = module.Report("bert", DAY, tuple(lines))
    assert made.summary() == ("total: at least $3.00 per hour at list prices as of 2026-11-30; 2 without a price")
    assert module.Report("bert", DAY, tuple(lines[:1])).summary() == (
        "total: $3.00 per hour at list prices as of 2026-11-30"
    )


def test_every_built_in_price_is_of_something_known() -> None:
    assert all(value > 0 for value in BUILT_IN.prices.values())
    known = {*SERVICE_KEYS, *HARDWARE}
    assert [key for key in BUILT_IN.prices if key not in known and not key.startswith("m")] == []
    assert {key for key in BUILT_IN.prices if key.startswith("trn")} == {
        "trn1.2xlarge",
        "trn1.32xlarge",
        "trn1n.32xlarge",
    }
    assert [key for key in SERVICE_KEYS if is_monthly(key) != key.startswith(("ebs", "fsx"))] == []
    assert lustre_key("SCRATCH_2", None) in SERVICE_KEYS


# The report


def services(monkeypatch: pytest.MonkeyPatch, *found: Running | Exception) -> None:
    def reads(one: Running | Exception) -> Any:
        def read(_account: Account, _team: Team, _today: date) -> Iterator[Running]:
            if isinstance(one, Exception):
                raise one
            yield one

        return read

    monkeypatch.setattr(module, "SERVICES", tuple((f"service {index}", reads(one)) for index, one in enumerate(found)))


TRN1 = Running("EC2 trn1.32xlarge", 2, "instances", "trn1.32xlarge")


def test_prices_of_another_region_are_told(
    stubbed: StubbedAccount, team: Team, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    services(monkeypatch, TRN1)
    made = report(stubbed.account, team, BUILT_IN, today=DAY)
    assert made.summary() == "total: $43.00 per hour at list prices as of 2026-11-30"
    (warning,) = made.warnings
    assert warning == "prices of us-east-1, not of us-west-2: trn1.32xlarge; --prices FILE gives your own"
    own = PriceTable(DAY, {"trn1.32xlarge": 20.0}, frozenset({"trn1.32xlarge"}))
    assert report(stubbed.account, team, own, today=DAY).warnings == ()
    network = {"training_zone": "use1-az6"}
    there = team_of("there", region=REGION, network=network, batch=BATCH)
    assert report(stubbed.account, there, BUILT_IN, today=DAY).warnings == ()


def test_a_service_that_refuses_is_a_warning_and_the_total_is_a_lower_bound(
    stubbed: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "DescribeFileSystems")
    services(monkeypatch, denied, TRN1)
    made = report(stubbed.account, team, table(**{"trn1.32xlarge": 21.5}), today=DAY)
    assert made.warnings[0].startswith("service 0: not read: not allowed: DescribeFileSystems: no")
    assert made.summary().startswith("total: at least $43.00 per hour")
    assert not made.complete


def test_expired_credentials_end_it(
    command: Trn, stubbed: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ops.commands.opened.account_of", lambda _team: stubbed.account)
    services(monkeypatch, TRN1, expired("DescribeFileSystems"))
    code, out, err = command("cost", team.path)
    assert (code, out) == (1, "")
    assert "log in again" in err


def test_the_table(command: Trn, stubbed: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ops.commands.opened.account_of", lambda _team: stubbed.account)
    services(monkeypatch, TRN1, Running("EC2 trn2.48xlarge", 1, "instances", "trn2.48xlarge"))
    code, out, err = command("cost", team.path)
    assert code == 0
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "what count $/h each $/h note",
        "EC2 trn1.32xlarge 2 instances 21.5 43.00",
        "EC2 trn2.48xlarge 1 instances ? no price: give one in --prices FILE, as trn2.48xlarge",
        "total: at least $43.00 per hour at list prices as of 2026-11-30; 1 without a price",
    ]
    assert err == "warning: prices of us-east-1, not of us-west-2: trn1.32xlarge; --prices FILE gives your own\n"


def test_json_with_own_prices(
    command: Trn, stubbed: StubbedAccount, team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ops.commands.opened.account_of", lambda _team: stubbed.account)
    services(monkeypatch, TRN1)
    path = tmp_path / "prices.yaml"
    path.write_text("as_of: 2026-10-01\nprices: {trn1.32xlarge: 20}\n")
    code, out, err = command("cost", team.path, "--prices", path, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "team": "bert",
        "currency": "USD",
        "prices_as_of": "2026-10-01",
        "lines": [
            {
                "what": "EC2 trn1.32xlarge",
                "count": 2,
                "unit": "instances",
                "each": 20.0,
                "per_hour": 40.0,
                "note": "",
            }
        ],
        "total_per_hour": 40.0,
        "complete": True,
        "warnings": [],
    }


# The file of prices


def test_a_price_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        'as_of: "2026-12-01"\nprices:\n  trn2.48xlarge: 40.5\n  fsx.PERSISTENT_2.250: 0.2\n  eks.standard: 0\n'
    )
    found = load_prices(path)
    assert (found.as_of, found.prices["trn2.48xlarge"], found.prices["trn1.32xlarge"]) == (
        date(2026, 12, 1),
        40.5,
        21.5,
    )
    assert found.own == {"trn2.48xlarge", "fsx.PERSISTENT_2.250", "eks.standard"}
    assert found.hourly("fsx.PERSISTENT_2.250") == pytest.approx(0.2 / HOURS_PER_MONTH)


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("", ["1: file: got an empty file, "]),
        ("[]\n", ["1: file: got an empty list, expected a mapping (keys: as_of, prices)"]),
        ("as_of: 2026-12-01\n", ["1: prices: got nothing, expected US dollars by key, such as trn1.32xlarge: 21.5"]),
        ("as_of: 2026-12-01\nprices: {}\n", ["2: prices: got an empty mapping, "]),
        ("prices: {trn1.32xlarge: 1}\n", ["1: as_of: got nothing, expected a date such as 2026-11-30"]),
        ("as_of: soon\nprices: {trn1.32xlarge: 1}\n", ["1: as_of: got soon, expected a date such as 2026-11-30"]),
        ("as_of: 2026-13-01\nprices: {trn1.32xlarge: 1}\n", ["1: as_of: got 2026-13-01"]),
        (
            "as_of: 2026-12-01\nprice: 1\nprices: {a.b: 1}\n",
            ["2: price: got an unknown key, expected one of as_of, prices; did you mean prices?"],
        ),
        (
            "as_of: 2026-12-01\nprices: {trn1.32xlarge: -1}\n",
            ["2: prices.trn1.32xlarge: got -1 (a number), expected US dollars for an hour, a number from 0 upwards"],
        ),
        (
            "as_of: 2026-12-01\nprices: {ebs.gp3: cheap}\n",
            ["2: prices.ebs.gp3: got cheap, expected US dollars for a month of a GB, a number from 0 upwards"],
        ),
        ("as_of: 2026-12-01\nprices: {ebs.gp3: .inf}\n", ["2: prices.ebs.gp3: got .inf"]),
        ("as_of: 2026-12-01\nprices: {ebs.gp3: true}\n", ["2: prices.ebs.gp3: got true"]),
        (
            "as_of: 2026-12-01\nprices: {nat: 1, fsx.PERSISTENT_2: 1}\n",
            ["2: prices.fsx.PERSISTENT_2: got an unknown key", "2: prices.nat: got an unknown key, "],
        ),
        ("as_of: &a 2026-12-01\nprices: {trn1.32xlarge: 1}\n", ["1: as_of: got an anchor"]),
    ],
)
def test_a_wrong_price_file(text: str, errors: list[str], tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_prices(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == len(errors), lines
    for line, error in zip(lines, errors, strict=True):
        assert line.startswith(f"{path}:{error}"), line


def test_a_wrong_price_file_exits_with_2(command: Trn, team: Team, tmp_path: Path) -> None:
    code, out, err = command("cost", team.path, "--prices", tmp_path / "none.yaml")
    assert (code, out) == (2, "")
    assert err == f"trn: {tmp_path}/none.yaml:1: file: got no such file, expected the path of a .yaml file\n"
