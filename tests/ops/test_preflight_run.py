"""`trn preflight` as a whole: order, guards, exit codes, and a run against moto."""

from __future__ import annotations

import json
from collections.abc import Iterator

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from ops.aws import Account
from ops.preflight import addresses, run as module
from ops.preflight.finding import Check, PreflightFinding, Reporter, Severity
from ops.preflight.run import CHECKS, run
from spec.account import BOOTSTRAP_PARAMETER, TRN_QUOTA
from spec.names import StackName
from spec.team import Team
from tests.conftest import ROOT
from tests.ops.accounts import ACCOUNT_ID, BATCH, REGION, StubbedAccount, TeamMaker, Trn, eks, expired, use

REPORT = Reporter("made up")
IDENTITY = {"Account": ACCOUNT_ID, "UserId": "AIDA", "Arn": f"arn:aws:iam::{ACCOUNT_ID}:user/me"}


def failing(error: Exception) -> Check:
    def check(_account: Account, _team: Team) -> Iterator[PreflightFinding]:
        yield REPORT.ok("before", "seen", "seen")
        raise error

    return check


def answered(stubbed: StubbedAccount) -> Account:
    stubbed.answer("sts", "get_caller_identity", IDENTITY)
    return stubbed.account


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("UnauthorizedOperation", "not checked: not allowed: DescribeThings: no"),
        ("Throttling", "not checked: AWS keeps throttling DescribeThings"),
        ("InternalError", "not checked: DescribeThings: InternalError: no"),
    ],
)
def test_a_check_that_is_refused_is_a_warning_and_the_rest_runs(
    code: str, text: str, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeThings")
    monkeypatch.setattr(module, "CHECKS", ((REPORT, failing(error)), (Reporter("next"), failing(error))))
    findings = run(answered(stubbed), team_of(batch=BATCH))
    assert [(finding.severity, finding.check) for finding in findings] == [
        (Severity.WARNING, "made up"),
        (Severity.WARNING, "next"),
        (Severity.OK, "account"),
        (Severity.OK, "made up"),
        (Severity.OK, "made up"),
    ]
    assert findings[0].got.startswith(text)


def test_a_service_that_is_not_reached_is_a_warning(
    stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = EndpointConnectionError(endpoint_url="https://fsx.example")
    monkeypatch.setattr(module, "CHECKS", ((REPORT, failing(error)),))
    findings = run(answered(stubbed), team_of(batch=BATCH))
    assert findings[0].severity == Severity.WARNING
    assert "https://fsx.example" in findings[0].got


def test_a_stack_without_outputs_is_a_warning(
    stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = team_of(batch=BATCH)
    monkeypatch.setattr(module, "CHECKS", ((addresses.REPORT, addresses.check),))
    stubbed.deployed(team, StackName.NETWORK)
    finding = run(answered(stubbed), team)[0]
    assert (finding.severity, finding.check) == (Severity.WARNING, "free addresses")
    assert finding.got.startswith("not checked: stack bert-Network: is CREATE_COMPLETE and has no output ")


@pytest.mark.parametrize("error", [expired("DescribeThings"), NoCredentialsError()])
def test_credentials_that_end_meanwhile_end_it(
    error: Exception, command: Trn, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKS", ((REPORT, failing(error)),))
    use(monkeypatch, answered(stubbed))
    code, out, err = command("preflight", team_of(batch=BATCH).path)
    assert (code, out) == (1, "")
    assert "log in" in err


def test_nothing_is_asked_of_an_account_that_does_not_say_who_asks(
    command: Trn, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubbed.fail("sts", "get_caller_identity", "ExpiredToken")
    use(monkeypatch, stubbed.account)
    code, out, err = command("preflight", team_of(batch=BATCH).path)
    assert (code, out) == (1, "")
    assert err == (
        "trn: the AWS credentials have expired or are unknown (GetCallerIdentity: ExpiredToken); log in again, "
        "then repeat\n"
    )


def test_another_account_is_an_error_and_the_rest_runs(
    stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKS", ())
    (finding,) = run(answered(stubbed), team_of(account="111122223333", batch=BATCH))
    assert (finding.severity, finding.got) == (Severity.ERROR, f"credentials of {ACCOUNT_ID}")
    stubbed.answer("sts", "get_caller_identity", IDENTITY)
    assert run(stubbed.account, team_of(account=ACCOUNT_ID, batch=BATCH))[0].severity == Severity.OK


@pytest.mark.parametrize("severity", ["error", "warning", "ok"])
def test_exits_with_1_on_an_error_alone(
    severity: str, command: Trn, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(_account: Account, _team: Team) -> Iterator[PreflightFinding]:
        yield getattr(REPORT, severity)("a thing", "one", "two")

    monkeypatch.setattr(module, "CHECKS", ((REPORT, check),))
    use(monkeypatch, answered(stubbed))
    found, out, err = command("preflight", team_of(batch=BATCH).path, "--json")
    assert (found, err) == (int(severity == "error"), "")
    assert {
        "severity": severity.upper(),
        "check": "made up",
        "subject": "a thing",
        "got": "one",
        "expected": "two",
    } in json.loads(out)


def test_a_table_of_everything_and_a_line_with_what_to_do(
    command: Trn, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(_account: Account, _team: Team) -> Iterator[PreflightFinding]:
        yield REPORT.warning("a role", "missing", f"run: {'aws ' * 60}")

    monkeypatch.setattr(module, "CHECKS", ((REPORT, check),))
    use(monkeypatch, answered(stubbed))
    code, out, _ = command("preflight", team_of(batch=BATCH).path)
    assert code == 0
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "severity check subject got",
        "WARNING made up a role missing",
        f"OK account us-west-2 {ACCOUNT_ID}",
        f"WARNING: made up: a role: got missing, expected run: {'aws ' * 60}".strip(),
    ]


def test_an_unknown_team_is_refused(command: Trn) -> None:
    code, out, err = command("preflight", "brt")
    assert (code, out) == (2, "")
    assert err.startswith("trn: team: got brt, expected one of bert, ")


def test_every_check_has_a_name_of_its_own_and_its_row_in_the_docs() -> None:
    names = [report.check for report, _ in CHECKS]
    assert len(set(names)) == len(names) > 10
    page = (ROOT / "docs" / "preflight.md").read_text()
    assert [name for name in (*names, "account") if f"| {name} |" not in page] == []


def test_against_an_account(
    command: Trn, moto_account: Account, stubbed: StubbedAccount, team_of: TeamMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What moto has it answers; what it has not is told as not checked, and nothing is left out."""
    boto3.client("ssm", REGION).put_parameter(Name=BOOTSTRAP_PARAMETER, Value="27", Type="String")
    iam = boto3.client("iam")
    iam.create_role(
        RoleName="AWSServiceRoleForBatch", Path="/aws-service-role/batch.amazonaws.com/", AssumeRolePolicyDocument="{}"
    )
    team = team_of(account=ACCOUNT_ID, batch=BATCH, eks=eks())
    # moto has no quotas of EC2.
    asked = {"ServiceCode": TRN_QUOTA.service_code, "QuotaCode": TRN_QUOTA.quota_code}
    stubbed.answer("service-quotas", "get_service_quota", {"Quota": {"Value": 4096.0}}, **asked)
    moto_account.clients.update(stubbed.account.clients)
    use(monkeypatch, moto_account)
    code, out, _ = command("preflight", team.path, "--json")
    findings = {(row["check"], row["subject"]): row for row in json.loads(out)}
    assert code == 1
    for check, subject in (
        ("account", REGION),
        ("quota", TRN_QUOTA.name),
        ("zone offers type", "trn1.32xlarge in usw2-az4"),
        ("zone offers type", "m6i.large in usw2-az3"),
        ("hardware table", "trn1.32xlarge"),
        ("CDK bootstrap", REGION),
        ("free addresses", "planned training subnet /18"),
        ("service-linked role", "AWSServiceRoleForBatch"),
        ("container images", "ECR"),
    ):
        assert findings[check, subject]["severity"] == "OK", findings[check, subject]
    assert findings["service-linked role", "AWSServiceRoleForAmazonEKS"]["severity"] == "WARNING"
    assert findings["node image", "release 1.35.6-20260625"]["severity"] == "ERROR"
    assert "not checked: " in findings["Kubernetes version", "DescribeClusterVersions"]["got"]
