"""From the path of a YAML file to what it asks for, or to everything that is wrong with it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from spec import field_errors
from spec.findings import FILE, Finding, Loc, Problem
from spec.placeholders import take_out
from spec.yaml_file import read_document
from spec.yaml_nodes import Document, UnreadableError

MAX_FINDINGS = 100
"""What one file gets told at once: more than anyone reads, less than a wrong file of 1 MiB yields."""
MAX_ROUNDS = 5
"""Taking a wrong value out can only uncover its parent; the models are four levels deep."""

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class FileKind(Generic[M]):
    """One kind of file and all that makes it valid."""

    model: type[M]
    keys: type[BaseModel]
    """The part of the model that stands in the file."""
    of_path: Callable[[Path], Mapping[str, Any]]
    """The other fields, which come from the file's path."""
    path_problems: Callable[[Path], Iterable[Problem]]
    placeholders: Mapping[Loc, Any]
    """Stand-ins for required values that are wrong; position 0 is any position."""
    least: str
    """The keys that no file is without, in words."""
    hint: str = ""
    """Words after the list of keys where somebody writes a field of the path into the file."""


def check(path: Path, kind: FileKind[M], rules: Callable[[M], Iterable[Problem]]) -> tuple[M | None, list[Finding]]:
    """What a file asks for, None if there is an error, and every finding in line order.

    `rules`: judge values together, once each of them is right or stood in for.
    """
    file = str(path)
    try:
        document = read_document(path)
    except UnreadableError as error:
        return None, [error.problem.in_file(file, error.line)]
    named = [problem.in_file(file, 1) for problem in kind.path_problems(path)]
    if document.root.kind == "null":
        return None, [*named, Finding("error", file, 1, FILE, "an empty file", f"at least the keys {kind.least}")]
    if document.root.kind != "mapping":
        got = field_errors.shown(document.root)
        expected = f"a mapping (keys: {', '.join(kind.keys.model_fields)})"
        return None, [*named, Finding("error", file, document.root.line, FILE, got, expected)]
    asked, found = _check(document, path, kind, rules)
    notation = [problem.in_file(file, line) for line, problem in document.problems]
    findings = sorted({*named, *notation, *found}, key=_order)
    valid = not any(finding.severity == "error" for finding in findings)
    if len(findings) > MAX_FINDINGS:
        got = f"{len(findings) - MAX_FINDINGS} findings more"
        rest = Finding("warning" if valid else "error", file, 1, FILE, got, "the ones above to be dealt with first")
        findings = [*findings[:MAX_FINDINGS], rest]
    return (asked if valid else None), findings


def suffix_problems(path: Path) -> Iterable[Problem]:
    """A name that does not end in .yaml."""
    if path.suffix != ".yaml":
        expected = f"a name that ends in .yaml: rename it to {path.stem}.yaml"
        yield Problem("error", (FILE,), f"the name {path.name}", expected)


def _check(
    document: Document, path: Path, kind: FileKind[M], rules: Callable[[M], Iterable[Problem]]
) -> tuple[M | None, list[Finding]]:
    data: Any = document.root.data()
    reported: list[Problem] = []
    for key in kind.model.model_fields.keys() - kind.keys.model_fields.keys():
        if key in data:
            del data[key]
            expected = f"one of {', '.join(kind.keys.model_fields)}{kind.hint}"
            reported.append(Problem("error", (key,), "an unknown key", expected))
    doubtful: list[Loc] = [problem.loc for _, problem in document.problems]
    for loc in doubtful:
        take_out(data, loc, kind.placeholders)
    asked, errors = _validate(data, path, kind)
    reported += [
        field_errors.explain(error, document, kind.keys)
        for error in errors
        if not field_errors.follows(error, document) and not _touch(field_errors.clean(error["loc"]), doubtful)
    ]
    # With wrong values out of the way the rules can judge the rest, so that a user sees every finding at once.
    for _ in range(MAX_ROUNDS):
        if asked is not None:
            break
        for error in errors:
            doubtful.append(field_errors.meant(error, kind.keys))
            take_out(data, field_errors.clean(error["loc"]), kind.placeholders)
        asked, errors = _validate(data, path, kind)
    if asked is not None:
        reported += [
            problem
            for problem in rules(asked)
            if not any(_touch(loc, doubtful) for loc in (problem.loc, *problem.reads))
        ]
    return asked, [problem.in_file(str(path), document.line(problem.loc)) for problem in reported]


def _touch(loc: Loc, others: Iterable[Loc]) -> bool:
    """Whether a location is, holds or lies in one of the others."""
    return any(loc[: len(other)] == other[: len(loc)] for other in others)


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return finding.line, finding.key, finding.severity, finding.expected


def _validate(data: Any, path: Path, kind: FileKind[M]) -> tuple[M | None, list[Any]]:
    try:
        return kind.model.model_validate(_frozen(data) | dict(kind.of_path(path))), []
    except ValidationError as error:
        return None, error.errors(include_url=False)


def _frozen(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _frozen(value) for key, value in data.items()}
    if isinstance(data, list):
        return tuple(_frozen(item) for item in data)
    return data
