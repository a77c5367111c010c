"""`trn validate`: what is wrong with files, before anything is deployed."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from spec.team_file import check_team

FAILED = 2
"""Exit code when any file has an error."""


def validate_files(paths: Iterable[Path], *, today: date, echo: Callable[[str], object]) -> int:
    """Echoes every finding, and a line for each file without an error; gives the exit code."""
    code = 0
    for path in paths:
        team, findings = check_team(path, today=today)
        for finding in findings:
            echo(str(finding))
        if team is None:
            code = FAILED
        else:
            echo(f"{path}: OK")
    return code
