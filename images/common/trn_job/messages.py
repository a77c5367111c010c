"""What trn-job says, and the exit codes it stops with."""

from __future__ import annotations

import sys

FAILED = 1
"""Precompilation had failures. A training job that fails passes its own code on."""
NOT_COPIED = 74
"""EX_IOERR: something was not copied from or to its durable place."""
NODE_LOST = 76
"""EX_PROTOCOL: another node of the job is gone, or never came."""
REFUSED = 78
"""EX_CONFIG: the job cannot work as it is configured, here or anywhere; starting it again does not help."""
NOT_FOUND = 127
"""The command does not exist in this image; the code that shells use."""


class Stop(Exception):  # noqa: N818 - it ends the job, whoever is to blame
    """The job ends here; the message says what was got, what is expected and what to change."""

    def __init__(self, message: str, code: int = REFUSED) -> None:
        super().__init__(message)
        self.code = code


def say(text: str) -> None:
    print(f"trn-job: {text}", flush=True)


def complain(text: str) -> None:
    print(f"trn-job: error: {text}", file=sys.stderr, flush=True)
