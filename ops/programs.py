"""Programs of others that a few commands run: kubectl and docker. None is needed for anything else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ops.errors import OpsError

WHERE = {
    "kubectl": "https://kubernetes.io/docs/tasks/tools/",
    "docker": "https://docs.docker.com/engine/install/",
}


def program(name: str, *, purpose: str) -> str:
    """Path of a program; OpsError says what it is needed for and where to get it."""
    path = shutil.which(name)
    if path is None:
        raise OpsError(f"{name}: not found on PATH; {purpose} needs it: {WHERE[name]}")
    return path


def run(command: Sequence[str], *, text: str | None = None, cwd: Path | None = None) -> int:
    """Run a command in this terminal, with `text` as its input where given; gives its exit code."""
    return subprocess.run(command, input=text, text=True, cwd=cwd, check=False).returncode


def ask(command: Sequence[str]) -> tuple[int, str]:
    """Run a command quietly; gives its exit code and what it printed, errors included."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, (done.stdout + done.stderr).strip()
