"""From the path of a team file to a Team, or to everything that is wrong with it."""

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from spec import field_errors, rules
from spec.findings import FILE, Finding, Loc, Problem, TeamFileError
from spec.kubernetes_versions import AS_OF
from spec.placeholders import take_out
from spec.team import Team, TeamKeys
from spec.yaml_file import read_document
from spec.yaml_nodes import Document, UnreadableError

MAX_FINDINGS = 100
"""What one file gets told at once: more than anyone reads, less than a wrong file of 1 MiB yields."""
MAX_ROUNDS = 5
"""Taking a wrong value out can only uncover its parent; the model is four levels deep."""
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
    file = str(path)
    try:
        document = read_document(path)
    except UnreadableError as error:
        return None, [error.problem.in_file(file, error.line)]
    named = [problem.in_file(file, 1) for problem in _name_problems(path)]
    if document.root.kind != "mapping":
        got = field_errors.shown(document.root)
        return None, [
            *named,
            Finding("error", file, document.root.line, FILE, got, f"a mapping (keys: {', '.join(_KEYS)})"),
        ]
    team, found = _check(document, path, today)
    notation = [problem.in_file(file, line) for line, problem in document.problems]
    findings = sorted({*named, *notation, *found}, key=_order)
    valid = not any(finding.severity == "error" for finding in findings)
    if len(findings) > MAX_FINDINGS:
        got = f"{len(findings) - MAX_FINDINGS} findings more"
        rest = Finding("warning" if valid else "error", file, 1, FILE, got, "the ones above to be dealt with first")
        findings = [*findings[:MAX_FINDINGS], rest]
    return (team if valid else None), findings


def find_team_files(directory: Path) -> list[Path]:
    """The team files of a directory, sorted; TeamFileError for a .yml file, which would be left out."""
    if not directory.is_dir():
        raise TeamFileError([Finding("error", str(directory), 1, FILE, "no directory", "a directory of .yaml files")])
    misnamed = sorted(directory.glob("*.yml"))
    if misnamed:
        raise TeamFileError([_suffix_problem(path).in_file(str(path), 1) for path in misnamed])
    return sorted(directory.glob("*.yaml"))


_KEYS = tuple(TeamKeys.model_fields)


def _suffix_problem(path: Path) -> Problem:
    return Problem(
        "error", (FILE,), f"the name {path.name}", f"a name that ends in .yaml: rename it to {path.stem}.yaml"
    )


def _name_problems(path: Path) -> Iterable[Problem]:
    if path.suffix != ".yaml":
        yield _suffix_problem(path)
    if not TEAM_NAME.fullmatch(path.stem):
        expected = "a file name of 1 to 32 lower-case letters, digits and hyphens that starts with a letter"
        yield Problem("error", (FILE,), f"the name {path.name}", expected)


def _check(document: Document, path: Path, today: date) -> tuple[Team | None, list[Finding]]:
    data: Any = document.root.data()
    reported: list[Problem] = []
    for key in ("name", "path"):  # fields of Team, but no keys of the file
        if key in data:
            del data[key]
            expected = f"one of {', '.join(_KEYS)}; a team is named after its file"
            reported.append(Problem("error", (key,), "an unknown key", expected))
    doubtful: list[Loc] = [problem.loc for _, problem in document.problems]
    for loc in doubtful:
        take_out(data, loc)
    team, errors = _validate(data, path)
    reported += [
        field_errors.explain(error, document, TeamKeys)
        for error in errors
        if not field_errors.follows(error, document) and not _touch(field_errors.clean(error["loc"]), doubtful)
    ]
    # With wrong values out of the way the rules can judge the rest, so that a user sees every finding at once.
    for _ in range(MAX_ROUNDS):
        if team is not None:
            break
        for error in errors:
            doubtful.append(field_errors.meant(error, TeamKeys))
            take_out(data, field_errors.clean(error["loc"]))
        team, errors = _validate(data, path)
    if team is not None:
        reported += [
            problem
            for problem in rules.problems(team, today)
            if not any(_touch(loc, doubtful) for loc in (problem.loc, *problem.reads))
        ]
    return team, [problem.in_file(str(path), document.line(problem.loc)) for problem in reported]


def _touch(loc: Loc, others: Iterable[Loc]) -> bool:
    """Whether a location is, holds or lies in one of the others."""
    return any(loc[: len(other)] == other[: len(loc)] for other in others)


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return finding.line, finding.key, finding.severity, finding.expected


def _validate(data: Any, path: Path) -> tuple[Team | None, list[Any]]:
    try:
        return Team.model_validate(_frozen(data) | {"name": path.stem, "path": path}), []
    except ValidationError as error:
        return None, error.errors(include_url=False)


def _frozen(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _frozen(value) for key, value in data.items()}
    if isinstance(data, list):
        return tuple(_frozen(item) for item in data)
    return data
