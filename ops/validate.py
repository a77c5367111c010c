"""`trn validate`: what is wrong with files, before anything is deployed."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from ops.errors import REFUSED
from spec.file_kind import check_file


def validate_files(paths: Iterable[Path], *, today: date, echo: Callable[[str], object]) -> int:
    """Echoes every finding, and a line for each file without an error; gives the exit code."""
    code = 0
    for path in paths:
        valid, findings = check_file(path, today=today)
        for finding in findings:
            echo(str(finding))
        if not valid:
            code = REFUSED
        else:
            echo(f"{path}: OK")
    return code
