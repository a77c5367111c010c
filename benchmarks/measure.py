"""Time and memory of a command with every process it starts. Linux only: memory is read from /proc."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, user and system, of all processes."""
    peak_mib: Mapping[str, float]
    """Largest resident set of any process, by program: python3.11, node."""
    processes: Mapping[str, int]
    """Number of processes seen, by program."""


def measure(command: Sequence[str], environment: Mapping[str, str]) -> Usage:
    """Run a command to its end; CalledProcessError if it fails."""
    started = time.perf_counter()
    # A session of its own: that is how its descendants are told from other processes.
    child = subprocess.Popen(command, env=environment, start_new_session=True)
    peaks: dict[tuple[str, int], float] = {}
    while True:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        peaks |= _peaks(child.pid)
        time.sleep(POLL_SECONDS)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    programs = sorted({program for program, _ in peaks})
    return Usage(
        wall,
        used.ru_utime + used.ru_stime,
        {program: max(peak for (name, _), peak in peaks.items() if name == program) for program in programs},
        {program: sum(name == program for name, _ in peaks) for program in programs},
    )


def _peaks(session: int) -> dict[tuple[str, int], float]:
    """Peak resident set so far in MiB of each process of a session, by program and process id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # After the command name, which may hold anything: state, parent, process group, session.
            if int((entry / "stat").read_text().rpartition(")")[2].split()[3]) != session:
                continue
            status = dict(line.split(":", 1) for line in (entry / "status").read_text().splitlines())
            program = (entry / "exe").readlink().name
        except OSError:
            continue  # It ended meanwhile, or is not ours to read.
        if "VmHWM" in status:  # a process that is just ending has no memory left
            found[program, int(entry.name)] = int(status["VmHWM"].split()[0]) / 1024
    return found
