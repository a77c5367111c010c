"""What goes wrong while an operator works, in the operator's terms."""

from __future__ import annotations

from collections.abc import Sequence

FAILED = 1
"""Exit code of a command that could not do its work, and of a preflight with an error."""
REFUSED = 2
"""Exit code of bad input: nothing was sent."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


class OpsError(Exception):
    """A command cannot go on; the message says what happened and what to do."""

    exit_code = FAILED


class RefusedError(OpsError):
    """What was asked for cannot be; nothing was sent."""

    exit_code = REFUSED


class WrongFileError(RefusedError):
    """Findings about files and options, one a line, printed as `trn validate` prints them."""


class StoppedError(OpsError):
    """Ctrl-C while something went on that goes on without us; says how to come back to it."""

    exit_code = INTERRUPTED


class UnfinishedError(OpsError):
    """An operation stopped half-way. Says what was done, what was not, and how to go on."""

    def __init__(
        self, reason: str, *, done: Sequence[str], left: Sequence[str], way_on: str, exit_code: int | None = None
    ) -> None:
        if exit_code is not None:
            self.exit_code = exit_code
        lines = [reason, *(f"  done: {text}" for text in done), *(f"  not done: {text}" for text in left), way_on]
        super().__init__("\n".join(lines))


class InterruptedHalfWayError(UnfinishedError):
    """Ctrl-C in the middle of an operation of several steps."""

    exit_code = INTERRUPTED
