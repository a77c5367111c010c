"""How findings are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import typer

from ops.console import show
from ops.preflight.finding import PreflightFinding, Severity

COLUMNS = ("severity", "check", "subject", "got")


def print_findings(findings: Sequence[PreflightFinding], *, as_json: bool) -> None:
    """JSON, or a table with what to do below it, which is too long for a cell and holds commands to copy."""
    rows = [asdict(finding) for finding in findings]
    if as_json:
        show(rows, as_json=True, empty="")
        return
    show([{column: row[column] for column in COLUMNS} for row in rows], as_json=False, empty="")
    for finding in findings:
        if finding.severity != Severity.OK:
            typer.echo(finding)
