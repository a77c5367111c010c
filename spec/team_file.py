"""From the path of a team file to a Team, or to everything that is wrong with it."""

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from spec import rules
from spec.checked_file import FileKind, check, suffix_problems
from spec.findings import FILE, Finding, Problem, TeamFileError
from spec.kubernetes_versions import AS_OF
from spec.placeholders import PLACEHOLDERS
from spec.team import Team, TeamKeys

TEAM_NAME = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")
"""A file's stem: part of stack names and of Kubernetes names."""


def load_team(path: Path) -> Team:
    """The team in a file; TeamFileError with every finding if there is an error. Synthesis uses this."""
    team, findings = check_team(path)
    if team is None:
        raise TeamFileError(findings)
    return team


def check_team(path: Path, *, today: date = AS_OF) -> tuple[Team | None, list[Finding]]:
    """The team in a file, None if there is an error, and every finding in line order.

    `today` decides on Kubernetes support windows only; the default is the day on which their table was collected.
    """
    return check(path, TEAM_FILE, lambda team: rules.problems(team, today))


def find_team_files(directory: Path) -> list[Path]:
    """The team files of a directory, sorted; TeamFileError for a .yml file, which would be left out."""
    if not directory.is_dir():
        raise TeamFileError([Finding("error", str(directory), 1, FILE, "no directory", "a directory of .yaml files")])
    misnamed = [
        problem.in_file(str(path), 1) for path in sorted(directory.glob("*.yml")) for problem in suffix_problems(path)
    ]
    if misnamed:
        raise TeamFileError(misnamed)
    return sorted(directory.glob("*.yaml"))


def _path_problems(path: Path) -> Iterable[Problem]:
    yield from suffix_problems(path)
    if not TEAM_NAME.fullmatch(path.stem):
        expected = "a file name of 1 to 32 lower-case letters, digits and hyphens that starts with a letter"
        yield Problem("error", (FILE,), f"the name {path.name}", expected)


TEAM_FILE = FileKind(
    model=Team,
    keys=TeamKeys,
    of_path=lambda path: {"name": path.stem, "path": path},
    path_problems=_path_problems,
    placeholders=PLACEHOLDERS,
    least="region, network and one of eks and batch",
    hint="; a team is named after its file",
)
