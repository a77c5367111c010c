"""cdk-nag's AwsSolutions checks, with the findings that stay and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aws_cdk import App
from cdk_nag import AwsSolutionsChecks

from stacks.acknowledged import ACKNOWLEDGED, Acknowledged


def nag_report(app: App) -> tuple[list[str], bool]:
    """Lines to print about a synthesized app, and whether every finding is acknowledged.

    The pack is run by hand instead of as a validation plugin: acknowledging there takes the exact text of a finding,
    which holds the export names of other stacks and exists only after synthesis.
    """
    acknowledged: dict[Acknowledged, list[str]] = {}
    open_findings: list[str] = []
    for finding, path in nag_findings(app):
        row = acknowledgement(finding, path)
        if row is None:
            open_findings.append(f"not acknowledged: {finding} at {path}")
        else:
            acknowledged.setdefault(row, []).append(path)
    lines = [
        line
        for row, paths in acknowledged.items()
        for line in (f"acknowledged {row.finding}: {row.reason}", *_indented(paths))
    ]
    return lines + sorted(open_findings), not open_findings


def nag_findings(app: App) -> Iterator[tuple[str, str]]:
    """(finding, construct path with the team in front) of everything that the pack finds."""
    for violation in AwsSolutionsChecks().validate_scope(app).violations:
        for resource in violation.violating_resources:
            assert resource.construct_path is not None
            yield violation.rule_name, resource.construct_path


def acknowledgement(finding: str, path: str) -> Acknowledged | None:
    """The row that covers a finding."""
    below = path.partition("/")[2]
    return next((row for row in ACKNOWLEDGED if row.covers(finding, below)), None)


def _indented(paths: Iterable[str]) -> list[str]:
    return [f"    {path}" for path in sorted(set(paths))]
