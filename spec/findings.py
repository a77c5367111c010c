"""What is wrong with a file, in the user's terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
Loc = tuple[str | int, ...]
"""Where a value stands in a file: keys and list positions from the top."""

FILE = "file"
"""The key of a finding about the file as a whole; no team file key is called so."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to change (error) or to know (warning); its text is what `trn validate` prints."""

    severity: Severity
    file: str
    line: int
    """1-based; the line of the key's value, or of the nearest enclosing key when the key is absent."""
    key: str
    """Dotted path, list positions counted from 0: `eks.node_groups.0.max`."""
    got: str
    expected: str

    def __str__(self) -> str:
        prefix = "warning: " if self.severity == "warning" else ""
        text = f"{self.file}:{self.line}: {prefix}{self.key}: got {self.got}, expected {self.expected}"
        return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)  # one line, no escapes


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding that does not know its file yet."""

    severity: Severity
    loc: Loc
    got: str
    expected: str
    reads: tuple[Loc, ...] = ()
    """Other values that the judgement rests on; it is not worth telling while one of them is itself wrong."""

    def in_file(self, file: str, line: int) -> Finding:
        return Finding(self.severity, file, line, ".".join(map(str, self.loc)), self.got, self.expected)


class SpecError(ValueError):
    """What was asked for cannot be built; the message says what was got and what is allowed."""


class FileError(SpecError):
    """A file has at least one error; `findings` holds every error and warning, in line order."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class TeamFileError(FileError):
    """A wrong team file."""


class JobFileError(FileError):
    """A wrong job file, or one that the team cannot run."""
