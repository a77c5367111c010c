"""Whether a placement group that a team names is there."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from ops.preflight.parts import parts_of
from spec.team import Team

REPORT = Reporter("placement group")


def check(account: Account, team: Team) -> Findings:
    named = {part.asks.placement for part in parts_of(team)} - {"create", "none"}
    for name in sorted(named):
        try:
            found = account.client("ec2").describe_placement_groups(GroupNames=[name])["PlacementGroups"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "InvalidPlacementGroup.Unknown":
                raise
            found = []
        yield judge(name, found[0] if found else None)


def judge(name: str, group: dict[str, str] | None) -> PreflightFinding:
    if group is None:
        return REPORT.error(name, "no such placement group", "an existing one; or placement_group: create")
    got = f"{group['State']}, strategy {group['Strategy']}"
    fits = group["State"] == "available" and group["Strategy"] == "cluster"
    return (REPORT.ok if fits else REPORT.error)(name, got, "available, strategy cluster")
