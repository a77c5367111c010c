"""Whether EKS still offers the team's Kubernetes version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from spec.team import Eks, Team

REPORT = Reporter("Kubernetes version")


def check(account: Account, team: Team) -> Findings:
    if team.eks is None:
        return
    found = account.client("eks").describe_cluster_versions(clusterVersions=[team.eks.version])["clusterVersions"]
    yield judge(found[0] if found else None, team.eks)


def judge(found: Mapping[str, Any] | None, eks: Eks) -> PreflightFinding:
    status = found["versionStatus"] if found is not None else "UNSUPPORTED"
    if found is None or status == "UNSUPPORTED":
        return REPORT.error(eks.version, "not offered by EKS", "a supported version in eks.version")
    if status == "EXTENDED_SUPPORT":
        until = found.get("endOfExtendedSupportDate")
        got = "in extended support" + (f" until {until:%Y-%m-%d}" if until else "")
        return REPORT.warning(eks.version, got, "a version in standard support: extended support is charged")
    return REPORT.ok(eks.version, "in standard support", "in standard support")
