"""Whether the account is bootstrapped for the CDK CLI."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from spec.account import BOOTSTRAP_PARAMETER, BOOTSTRAP_VERSION
from spec.team import Team

REPORT = Reporter("CDK bootstrap")


def check(account: Account, team: Team) -> Findings:
    try:
        found = account.client("ssm").get_parameter(Name=BOOTSTRAP_PARAMETER)["Parameter"]["Value"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
        found = None
    yield judge(found, team)


def judge(version: str | None, team: Team) -> PreflightFinding:
    """`version`: the parameter's text; None where there is none."""
    remedy = f".venv/bin/cdk bootstrap aws://{team.account or 'ACCOUNT_ID'}/{team.region}"
    if version is None:
        return REPORT.error(team.region, "not bootstrapped", f"version {BOOTSTRAP_VERSION} or newer: run {remedy}")
    if not version.isdecimal() or int(version) < BOOTSTRAP_VERSION:
        return REPORT.error(team.region, f"version {version}", f"{BOOTSTRAP_VERSION} or newer: run {remedy}")
    return REPORT.ok(team.region, f"version {version}", f"{BOOTSTRAP_VERSION} or newer")
