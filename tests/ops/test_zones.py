"""`trn zones` against moto's captured offerings."""

from __future__ import annotations

import json
import threading

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from ops.aws import Account
from ops.zones import RegionAnswer, ask, paste, rows
from spec.hardware import hardware
from spec.team_file import check_team
from tests.ops.accounts import StubbedAccount, Trn, expired

TYPE = "trn1.32xlarge"
ROW = hardware(TYPE)


@pytest.mark.usefixtures("moto_account")
def test_every_region_of_the_table_is_asked(command: Trn) -> None:
    code, out, err = command("zones", TYPE, "--json")
    assert (code, err) == (0, "")
    listed = json.loads(out)
    assert {row["region"] for row in listed} == set(ROW.regions)
    assert {row["table"] for row in listed} == {"known"}
    assert {
        "region": "us-west-2",
        "zone_id": "usw2-az4",
        "zone_name": "us-west-2d",
        "table": "known",
        "note": "network: {training_zone: usw2-az4}",
    } in listed


@pytest.mark.usefixtures("moto_account")
def test_a_table_of_one_region(command: Trn) -> None:
    code, out, _ = command("zones", "trn1n.32xlarge", "--region", "us-west-2")
    assert code == 0
    assert [line.split() for line in out.splitlines()][1][:4] == ["us-west-2", "usw2-az4", "us-west-2d", "known"]


@pytest.mark.usefixtures("moto_account")
def test_a_region_without_the_type(command: Trn) -> None:
    code, out, _ = command("zones", TYPE, "--region", "eu-west-1", "--json")
    assert code == 0
    assert json.loads(out) == [
        {"region": "eu-west-1", "zone_id": None, "zone_name": None, "table": "known", "note": "not offered"}
    ]


def test_an_unknown_type_is_refused(command: Trn) -> None:
    code, out, err = command("zones", "trn1.32xlrge")
    assert (code, out) == (2, "")
    assert err.startswith("trn: instance type: got trn1.32xlrge, expected one of trn1.2xlarge, ")
    assert err.endswith("; did you mean trn1.32xlarge?\n")


def test_what_is_no_region_is_refused(command: Trn) -> None:
    code, out, err = command("zones", "trn2u.48xlarge", "--region", "Oregon")
    assert (code, out) == (2, "")
    assert err == "trn: region: got Oregon, expected the name of a Region, such as ap-south-2\n"


def test_zones_that_the_table_lacks_and_zones_that_the_account_lacks() -> None:
    answer = RegionAnswer("us-west-2", ("usw2-az2", "usw2-az4"), {"usw2-az2": "us-west-2a", "usw2-az4": "us-west-2b"})
    assert [(row["zone_id"], row["zone_name"], row["table"], row["note"]) for row in rows([answer], ROW)] == [
        ("usw2-az1", None, "missing", "in the built-in table, not offered to this account"),
        ("usw2-az2", "us-west-2a", "new", "network: {training_zone: usw2-az2, verified_zones: [usw2-az2]}"),
        ("usw2-az4", "us-west-2b", "known", "network: {training_zone: usw2-az4}"),
    ]


def test_the_pasted_line_is_a_valid_team_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("teams") / "pasted.yaml"
    batch = f"batch: {{instance_type: {TYPE}, max_nodes: 2}}"
    path.write_text(f"region: us-west-2\n{paste('usw2-az2', 'new')}\n{batch}\n")
    assert check_team(path)[1] == []


@pytest.mark.parametrize("code", ["AuthFailure", "OptInRequired", "UnauthorizedOperation"])
def test_a_region_that_is_not_enabled_or_denied_is_a_row(stubbed: StubbedAccount, code: str) -> None:
    stubbed.fail("ec2", "describe_instance_type_offerings", code, **offerings_of(TYPE))
    (answer,) = ask([stubbed.account], ROW)
    assert answer.reason is not None
    (row,) = rows([answer], ROW)
    assert (row["region"], row["zone_id"], row["table"]) == ("us-west-2", None, "not asked")
    assert ("not enabled" in row["note"]) == (code != "UnauthorizedOperation")


def test_exits_with_1_only_if_no_region_answers(
    command: Trn, stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = StubbedAccount("us-east-2")
    for account in (stubbed, other):
        account.fail("ec2", "describe_instance_type_offerings", "AuthFailure", **offerings_of(TYPE))
    monkeypatch.setattr("ops.aws.regional_accounts", lambda _regions: [stubbed.account, other.account])
    code, out, err = command("zones", TYPE, "--json")
    assert (code, err) == (1, "trn: no Region answered\n")
    assert len(json.loads(out)) == 2

    stubbed.fail("ec2", "describe_instance_type_offerings", "AuthFailure", **offerings_of(TYPE))
    other.answer("ec2", "describe_instance_type_offerings", {"InstanceTypeOfferings": []}, **offerings_of(TYPE))
    other.answer("ec2", "describe_availability_zones", {"AvailabilityZones": []})
    assert command("zones", TYPE, "--json")[0] == 0


@pytest.mark.parametrize("error", [expired("DescribeInstanceTypeOfferings"), NoCredentialsError()])
def test_expired_or_missing_credentials_end_it(
    error: Exception, command: Trn, stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("ops.aws.regional_accounts", lambda _regions: [stubbed.account])
    monkeypatch.setattr("ops.zones.offered_zones", refuse)
    code, out, err = command("zones", TYPE)
    assert (code, out) == (1, "")
    assert "log in" in err
    assert "Traceback" not in err


def test_regions_are_asked_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(3, timeout=10)

    def wait(*_: object) -> tuple[str, ...]:
        together.wait()
        return ()

    monkeypatch.setattr("ops.zones.offered_zones", wait)
    monkeypatch.setattr("ops.zones.zone_names", lambda _account: {})
    accounts = [Account(region, clients={"ec2": None}) for region in ("us-east-1", "us-east-2", "us-west-2")]
    told: list[int] = []
    assert len(ask(accounts, ROW, told=lambda _text, done: told.append(done))) == 3
    assert told == [1, 2, 3]


@pytest.mark.parametrize(
    ("code", "text"),
    [("UnauthorizedOperation", "not allowed: "), ("RequestLimitExceeded", "AWS keeps throttling ")],
)
def test_denied_and_throttled_regions_are_told(
    code: str, text: str, command: Trn, stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubbed.fail("ec2", "describe_instance_type_offerings", code, **offerings_of(TYPE))
    monkeypatch.setattr("ops.aws.regional_accounts", lambda _regions: [stubbed.account])
    found, out, err = command("zones", TYPE)
    assert (found, err) == (1, "trn: no Region answered\n")
    assert f"{text}DescribeInstanceTypeOfferings" in out


def test_the_table_keeps_the_line_to_paste(
    command: Trn, stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its brackets are no markup."""
    found = {"InstanceTypeOfferings": [{"Location": "usw2-az2"}]}
    stubbed.answer("ec2", "describe_instance_type_offerings", found, **offerings_of(TYPE))
    stubbed.answer("ec2", "describe_availability_zones", {"AvailabilityZones": []})
    monkeypatch.setattr("ops.aws.regional_accounts", lambda _regions: [stubbed.account])
    assert paste("usw2-az2", "new") in command("zones", TYPE)[1]


def test_credentials_that_expire_meanwhile(
    command: Trn, stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubbed.answer("ec2", "describe_instance_type_offerings", {"InstanceTypeOfferings": []}, **offerings_of(TYPE))
    stubbed.fail("ec2", "describe_availability_zones", "RequestExpired")
    monkeypatch.setattr("ops.aws.regional_accounts", lambda _regions: [stubbed.account])
    code, out, err = command("zones", TYPE)
    assert (code, out) == (1, "")
    assert "log in again" in err


def test_other_errors_are_told_in_words(stubbed: StubbedAccount) -> None:
    stubbed.fail("ec2", "describe_instance_type_offerings", "InternalError", **offerings_of(TYPE))
    (answer,) = ask([stubbed.account], ROW)
    assert answer.reason == "DescribeInstanceTypeOfferings: InternalError: InternalError said AWS"
    assert not isinstance(answer.reason, ClientError)


def offerings_of(instance_type: str) -> dict[str, object]:
    return {
        "LocationType": "availability-zone-id",
        "Filters": [{"Name": "instance-type", "Values": [instance_type]}],
    }
