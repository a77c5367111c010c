"""One child process at a time: its output goes through, signals reach it, its exit code comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import FrameType

from trn_job.messages import NOT_FOUND, Stop, say

READER_SECONDS = 5


class Supervisor:
    """Process 1 of the container, so the kernel delivers it no signal without a handler.

    It does not reap orphans: torchrun reaps its workers, and once torchrun is gone the container ends.
    """

    def __init__(self, *, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._starting = False
        self._told = False
        self.received: int | None = None
        """The signal that ended the job; None while nobody sent one."""

    def listen(self) -> None:
        """Take over SIGTERM and SIGINT from here on."""
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGALRM, self._on_alarm)

    def stop(self) -> None:
        """From any thread: end the job as SIGTERM does."""
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    def run(
        self, command: Sequence[str], environment: Mapping[str, str], *, on_line: Callable[[str], None] | None = None
    ) -> int:
        """Exit code as a shell would give it; with `on_line`, standard output and error are read line by line."""
        output = subprocess.PIPE if on_line else None
        errors = subprocess.STDOUT if on_line else None
        say(f"running {' '.join(command)}")
        self._starting = True
        try:
            self._child = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=errors)
        except FileNotFoundError:
            raise Stop(f"{command[0]}: not found in this image", NOT_FOUND) from None
        reader = threading.Thread(target=self._read, args=(on_line,), daemon=True) if on_line else None
        if reader:
            reader.start()
        self._starting = False
        self._tell()
        code = self._child.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
        if reader:
            reader.join(READER_SECONDS)  # workers that outlive torchrun keep the pipe open
        if self.received:
            return 128 + self.received
        return 128 - code if code < 0 else code

    def _read(self, on_line: Callable[[str], None]) -> None:
        assert self._child is not None
        assert self._child.stdout is not None
        with self._child.stdout as lines:
            for line in lines:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
                on_line(line.decode(errors="replace"))

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.received:
            return
        self.received = number
        if self._starting:
            return  # run() tells the child when it is there
        if self._child is None:
            sys.exit(128 + number)
        self._tell()

    def _tell(self) -> None:
        """Pass a signal on, once, to a child that runs."""
        if self.received is None or self._told or self._child is None or self._child.poll() is not None:
            return
        self._told = True
        say(f"{signal.Signals(self.received).name}: stopping, {self._grace_seconds:g} s for torchrun")
        self._child.send_signal(self.received)
        signal.setitimer(signal.ITIMER_REAL, self._grace_seconds)

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGKILL)
