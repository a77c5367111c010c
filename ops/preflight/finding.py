"""What a preflight finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from ops.aws import Account
from spec.team import Team


class Severity(StrEnum):
    """ERROR stops a deployment or a job, WARNING may, OK does not."""

    ERROR = "ERROR"
    WARNING = "WARNING"
    OK = "OK"


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """One thing that was looked at."""

    severity: Severity
    check: str
    subject: str
    got: str
    expected: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.check}: {self.subject}: got {self.got}, expected {self.expected}"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes the findings of one check."""

    check: str

    def error(self, subject: str, got: str, expected: str) -> PreflightFinding:
        return PreflightFinding(Severity.ERROR, self.check, subject, got, expected)

    def warning(self, subject: str, got: str, expected: str) -> PreflightFinding:
        return PreflightFinding(Severity.WARNING, self.check, subject, got, expected)

    def ok(self, subject: str, got: str, expected: str) -> PreflightFinding:
        return PreflightFinding(Severity.OK, self.check, subject, got, expected)


Findings = Iterable[PreflightFinding]
Check = Callable[[Account, Team], Findings]
