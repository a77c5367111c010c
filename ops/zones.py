"""`trn zones`: where an account gets an instance type, by zone id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import Account, ends_every_call, explain
from ops.errors import RefusedError
from spec.fields import REGION_PATTERN
from spec.hardware import Hardware

NOT_ENABLED = ("AuthFailure", "OptInRequired", "InvalidClientTokenId", "UnrecognizedClientException")
"""How EC2 answers credentials of an account that has not enabled the Region.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html"""


@dataclass(frozen=True)
class RegionAnswer:
    """What one Region said about one instance type."""

    region: str
    offered: tuple[str, ...] = ()
    """Zone ids that offer the type."""
    names: Mapping[str, str] | None = None
    """Zone name in this account, by zone id."""
    reason: str | None = None
    """Why there is no answer; None where there is one."""


def regions_to_ask(asked: Sequence[str] | None, row: Hardware) -> Sequence[str]:
    """The Regions asked for, or all that are known to offer the type; RefusedError for what is no Region's name."""
    for region in asked or ():
        if not re.match(REGION_PATTERN, region):
            raise RefusedError(f"region: got {region}, expected the name of a Region, such as {', '.join(row.regions)}")
    return asked or row.regions


def ask(
    accounts: Sequence[Account], row: Hardware, *, told: Callable[[str, int], None] = lambda _text, _done: None
) -> list[RegionAnswer]:
    """Ask every account's Region at the same time; credentials that are missing or expired end it at once."""
    for account in accounts:
        account.client("ec2")  # boto3 makes clients in one thread only
    answers = []
    with ThreadPoolExecutor(max_workers=len(accounts)) as pool:
        waiting = [pool.submit(_ask_one, account, row) for account in accounts]
        for future in as_completed(waiting):
            answers.append(future.result())
            told(answers[-1].region, len(answers))
    return sorted(answers, key=lambda answer: answer.region)


def _ask_one(account: Account, row: Hardware) -> RegionAnswer:
    try:
        return RegionAnswer(account.region, offered_zones(account, row.instance_type), zone_names(account))
    except (ClientError, BotoCoreError) as error:
        code = error.response["Error"]["Code"] if isinstance(error, ClientError) else ""
        if code in NOT_ENABLED:
            return RegionAnswer(account.region, reason=f"Region not enabled, or credentials unknown to it ({code})")
        if ends_every_call(error):
            raise
        return RegionAnswer(account.region, reason=explain(error))


def offered_zones(account: Account, instance_type: str) -> tuple[str, ...]:
    """Zone ids of the account's Region that offer a type."""
    found = account.pages(
        "ec2",
        "describe_instance_type_offerings",
        "InstanceTypeOfferings",
        LocationType="availability-zone-id",
        Filters=[{"Name": "instance-type", "Values": [instance_type]}],
    )
    return tuple(sorted(offering["Location"] for offering in found))


def zone_names(account: Account) -> dict[str, str]:
    """Zone name by zone id; the names mean other places in other accounts."""
    zones = account.client("ec2").describe_availability_zones()["AvailabilityZones"]
    return {zone["ZoneId"]: zone["ZoneName"] for zone in zones}


def rows(answers: Iterable[RegionAnswer], row: Hardware) -> list[dict[str, Any]]:
    """A row per zone that the account or the built-in table has, and per Region without an answer."""
    listed: list[dict[str, Any]] = []
    for answer in answers:
        table = row.zones_in(answer.region)
        if answer.reason is not None:
            listed.append(_row(answer.region, None, None, "not asked", answer.reason))
            continue
        for zone in sorted({*answer.offered, *table}):
            state = "missing" if zone not in answer.offered else "known" if zone in table else "new"
            listed.append(_row(answer.region, zone, (answer.names or {}).get(zone), state, paste(zone, state)))
        if not answer.offered and not table:
            listed.append(_row(answer.region, None, None, "known", "not offered"))
    return listed


def _row(region: str, zone: str | None, name: str | None, table: str, note: str) -> dict[str, Any]:
    return {"region": region, "zone_id": zone, "zone_name": name, "table": table, "note": note}


def paste(zone: str, state: str) -> str:
    """The keys of a team file's `network` that choose a zone; a zone unknown to the table is vouched for."""
    if state == "missing":
        return "in the built-in table, not offered to this account"
    verified = f", verified_zones: [{zone}]" if state == "new" else ""
    return f"network: {{training_zone: {zone}{verified}}}"
