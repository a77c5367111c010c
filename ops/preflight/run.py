"""All checks of a team, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import Account, ends_every_call, explain
from ops.errors import OpsError
from ops.preflight import (
    addresses,
    batch_image,
    bootstrap,
    bucket,
    hardware_table,
    identity,
    images,
    kubernetes,
    node_image,
    offerings,
    placement,
    quota,
    reservation,
    roles,
)
from ops.preflight.finding import Check, PreflightFinding, Reporter, Severity
from spec.team import Team

CHECKS: tuple[tuple[Reporter, Check], ...] = tuple(
    (module.REPORT, module.check)
    for module in (
        quota,
        offerings,
        hardware_table,
        reservation,
        placement,
        addresses,
        bootstrap,
        roles,
        kubernetes,
        node_image,
        batch_image,
        images,
        bucket,
    )
)
"""After the account itself, which is checked first: without an answer to who asks, nothing else is worth asking."""

_ORDER = list(Severity)


def run(
    account: Account, team: Team, *, told: Callable[[str, int], None] = lambda _text, _done: None
) -> list[PreflightFinding]:
    """Every finding, errors first. A check that is refused or fails is a warning; expired credentials end it all."""
    findings = list(identity.check(account, team))
    for done, (report, check) in enumerate(CHECKS):
        told(report.check, done)
        findings += _guarded(report, check, account, team)
    return sorted(findings, key=lambda finding: (_ORDER.index(finding.severity), finding.check, finding.subject))


def _guarded(report: Reporter, check: Check, account: Account, team: Team) -> list[PreflightFinding]:
    found: list[PreflightFinding] = []
    try:
        for finding in check(account, team):
            found.append(finding)  # noqa: PERF402  what came before an error stays
    except (ClientError, BotoCoreError) as error:
        if ends_every_call(error):
            raise
        subject = error.operation_name if isinstance(error, ClientError) else "AWS"
        found.append(report.warning(subject, f"not checked: {explain(error)}", "an answer"))
    except OpsError as error:
        found.append(report.warning("stacks", f"not checked: {error}", "an answer"))
    return found
