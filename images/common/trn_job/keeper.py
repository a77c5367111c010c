"""Copies what a script writes on this node to S3 while it runs, and once more at the end."""

from __future__ import annotations

import threading
from pathlib import Path

from trn_job import checkpoints, s3
from trn_job.messages import Stop, complain, say


class Keeper:
    """Runs on every node: torchrun decides which node has rank 0, and only that one writes anything to copy."""

    def __init__(
        self,
        *,
        folder: Path,
        every_seconds: float,
        checkpoint_uri: str | None,
        keep: int = -1,
        log_uri: str | None,
    ) -> None:
        """`keep`: how many of the newest checkpoints stay in S3; -1 for all."""
        self._folder = folder
        self._every_seconds = every_seconds
        self._checkpoint_uri = checkpoint_uri
        self._keep = keep
        self._log_uri = log_uri
        self._sent = {path.name for path in checkpoints.present(folder)}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """The last copy; Stop where it fails."""
        self._stopping.set()
        self._thread.join()
        self._copy()

    def _repeat(self) -> None:
        while not self._stopping.wait(self._every_seconds):
            try:
                self._copy()
            except Stop as stop:
                complain(f"{stop}; trying again in {self._every_seconds:.0f} s")

    def _copy(self) -> None:
        if self._checkpoint_uri:
            self._copy_checkpoints(self._checkpoint_uri)
        if self._log_uri and any(self._folder.rglob("*tfevents*")):
            s3.upload_folder(self._folder, self._log_uri, include="*tfevents*")

    def _copy_checkpoints(self, uri: str) -> None:
        # Newest first: it is the one that counts when time is short.
        for path in checkpoints.complete(self._folder):
            if path.name in self._sent:
                continue
            try:
                s3.copy(path, f"{uri}/{path.name}")
            except Stop:
                if path.exists():
                    raise
                continue  # the script removes older checkpoints as it goes
            self._sent.add(path.name)
            say(f"copied {path.name} to {uri}/")
            self._remove_older(uri, checkpoints.step(path.name) or 0)

    def _remove_older(self, uri: str, sent: int) -> None:
        """Only below the step just sent: a run that was told to start from an old step must not lose what it makes."""
        if self._keep < 0:
            return
        try:
            self._remove(uri, sent)
        except Stop as stop:
            complain(f"older checkpoints stay: {stop}")  # what counts has been copied

    def _remove(self, uri: str, sent: int) -> None:
        steps = {number for name in s3.names(uri) if (number := checkpoints.step(name)) is not None}
        older = sorted((number for number in steps if number < sent), reverse=True)
        for number in older[max(self._keep, 1) - 1 :]:
            s3.remove(f"{uri}/ckpt_{number}.pt")
