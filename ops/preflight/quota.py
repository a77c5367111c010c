"""Whether the account may run the team's on-demand nodes all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.deployed import instances
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from ops.preflight.parts import parts_of
from spec.account import TRN_QUOTA
from spec.hardware import HARDWARE
from spec.names import TEAM_TAG
from spec.team import Team

REPORT = Reporter("quota")


def check(account: Account, team: Team) -> Findings:
    needed = vcpus_needed(team)
    if not needed:
        yield REPORT.ok(TRN_QUOTA.name, "not asked", "nothing: every node comes from a capacity block")
        return
    granted = _granted(account)
    others = (
        vcpus_of_others(instances(account, {"instance-type": sorted(HARDWARE)}), team.name) if granted >= needed else 0
    )
    yield judge(granted=granted, needed=needed, others=others, region=account.region)


def vcpus_needed(team: Team) -> int:
    """vCPUs of all nodes at their most; those of capacity blocks left out, those of reservations not.

    A reservation takes from the quota from the day it is made, whether it is used or not.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-create.html
    """
    return sum(
        part.nodes * part.asks.hardware.vcpus for part in parts_of(team) if part.asks.capacity.kind != "capacity-block"
    )


def vcpus_of_others(running: Iterable[Mapping[str, Any]], team: str) -> int:
    """vCPUs of running on-demand Trn instances that are not the team's."""
    return sum(
        HARDWARE[instance["InstanceType"]].vcpus
        for instance in running
        if {"Key": TEAM_TAG, "Value": team} not in instance.get("Tags", ())
        and instance.get("InstanceLifecycle") is None
    )


def judge(*, granted: float, needed: int, others: int, region: str) -> PreflightFinding:
    subject, got = TRN_QUOTA.name, f"{granted:g} vCPUs"
    if granted < needed:
        return REPORT.error(
            subject,
            got,
            f"at least {needed}; ask for it: aws service-quotas request-service-quota-increase --region {region} "
            f"--service-code {TRN_QUOTA.service_code} --quota-code {TRN_QUOTA.quota_code} --desired-value {needed}",
        )
    if granted < needed + others:
        expected = f"{needed} for this team besides the {others} that run for others now"
        return REPORT.warning(subject, got, expected)
    return REPORT.ok(subject, got, f"at least {needed}")


def _granted(account: Account) -> float:
    asked = {"ServiceCode": TRN_QUOTA.service_code, "QuotaCode": TRN_QUOTA.quota_code}
    try:
        return float(account.client("service-quotas").get_service_quota(**asked)["Quota"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchResourceException":
            raise
        found = account.client("service-quotas").get_aws_default_service_quota(**asked)
        return float(found["Quota"]["Value"])
