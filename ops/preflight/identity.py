"""Whether the credentials belong to the team's account."""

from __future__ import annotations

from ops.aws import Account
from ops.preflight.finding import Findings, Reporter
from spec.team import Team

REPORT = Reporter("account")


def check(account: Account, team: Team) -> Findings:
    found = account.client("sts").get_caller_identity()["Account"]
    if team.account is None:
        yield REPORT.ok(team.region, found, "any account: the team file names none")
    elif found == team.account:
        yield REPORT.ok(team.region, found, team.account)
    else:
        yield REPORT.error(team.region, f"credentials of {found}", f"{team.account}; set AWS_PROFILE to one of its own")
