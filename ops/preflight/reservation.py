"""Whether a capacity reservation or capacity block is there, and is the one the team file means."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.deployed import instances
from ops.preflight.finding import Findings, Reporter
from ops.preflight.parts import Part, parts_of
from spec.names import TEAM_TAG
from spec.team import Team

REPORT = Reporter("reservation")
SOON = timedelta(hours=24)
BECOMING = ("scheduled", "pending", "assessing", "delayed", "payment-pending")
"""States before `active`; all others are after it.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html"""
PLATFORM = "Linux/UNIX"


def check(account: Account, team: Team) -> Findings:
    for part in parts_of(team):
        reservation_id = part.asks.capacity.reservation_id
        if reservation_id is None:
            continue
        found = _describe(account, reservation_id)
        if found is None:
            expected = f"a {part.asks.capacity.kind} of this account in {team.region}, or one shared with it"
            yield REPORT.error(f"{part.name} {reservation_id}", "no such reservation", expected)
            continue
        own = _own_instances(account, team, reservation_id)
        yield from judge(found, part, zone=team.network.training_zone, own=own, now=datetime.now(UTC))


def judge(found: Mapping[str, Any], part: Part, *, zone: str, own: int, now: datetime) -> Findings:
    """What is wrong with a reservation for a part. `own`: the team's instances that run in it."""
    subject = f"{part.name} {found['CapacityReservationId']}"
    kind = "capacity-block" if part.asks.capacity.kind == "capacity-block" else "default"
    for what, got, expected in (
        ("type", found["InstanceType"], part.asks.instance_type),
        ("zone", found["AvailabilityZoneId"], zone),
        ("kind", found.get("ReservationType", "default"), kind),
        ("platform", found["InstancePlatform"], PLATFORM),
    ):
        report = REPORT.ok if got == expected else REPORT.error
        yield report(f"{subject} {what}", got, expected)
    yield from _state(found, subject, now)
    total, free = found["TotalInstanceCount"], found["AvailableInstanceCount"]
    nodes = f"at least {part.nodes} nodes"
    if total < part.nodes:
        yield REPORT.error(f"{subject} size", f"{total} instances", nodes)
    elif found["State"] == "active" and free + own < part.nodes:
        yield REPORT.warning(f"{subject} size", f"{free} free of {total}, {own} in use by this team", nodes)
    else:
        yield REPORT.ok(f"{subject} size", f"{total} instances", nodes)
    if found.get("InstanceMatchCriteria") == "open" and kind == "default":
        expected = "targeted: an open one is also taken by any other instance that matches it"
        yield REPORT.warning(f"{subject} match", "open", expected)


def _state(found: Mapping[str, Any], subject: str, now: datetime) -> Findings:
    state, start, end = found["State"], found.get("StartDate"), found.get("EndDate")
    subject = f"{subject} dates"
    if end is not None and end <= now:
        yield REPORT.error(subject, f"ended {_text(end)}", "one that has not ended")
    elif state in BECOMING or (start is not None and start > now):
        begins = f", begins {_text(start)}" if start is not None else ""
        yield REPORT.warning(subject, f"{state}{begins}", "active; until then no node starts in it")
    elif state != "active":
        yield REPORT.error(subject, state, "active")
    elif end is not None and end - now <= SOON:
        yield REPORT.warning(subject, f"ends {_text(end)}", "more than a day left: EC2 ends what runs in it")
    else:
        yield REPORT.ok(subject, "active" if end is None else f"active until {_text(end)}", "active")


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _describe(account: Account, reservation_id: str) -> Mapping[str, Any] | None:
    try:
        found = account.client("ec2").describe_capacity_reservations(CapacityReservationIds=[reservation_id])
    except ClientError as error:
        if error.response["Error"]["Code"].startswith("InvalidCapacityReservationId"):
            return None
        raise
    reservations: list[Mapping[str, Any]] = found["CapacityReservations"]
    return reservations[0] if reservations else None


def _own_instances(account: Account, team: Team, reservation_id: str) -> int:
    own = instances(account, {"capacity-reservation-id": [reservation_id], f"tag:{TEAM_TAG}": [team.name]})
    return sum(1 for _ in own)
