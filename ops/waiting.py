"""Waiting for what was told to end, and how long ago something was."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from ops.errors import OpsError

PAUSE_SECONDS = 2
PATIENCE = timedelta(minutes=15)
"""Longer than the grace period of any pod here, and than Batch takes to stop a job's containers."""
PATIENCE_TEXT = f"{PATIENCE.total_seconds() / 60:.0f} minutes"

Told = Callable[[str], object]
Pause = Callable[[float], None]


class StillThereError(OpsError):
    """What was told to end has not ended in time."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = ", ".join(names)
        super().__init__(f"still there after {PATIENCE_TEXT}: {self.names}")


def wait_until_none(left: Callable[[], Sequence[str]], told: Told, pause: Pause = time.sleep) -> None:
    """Ask until nothing is left, saying what is; StillThereError after PATIENCE."""
    names: Sequence[str] = ()
    for _ in range(int(PATIENCE.total_seconds() / PAUSE_SECONDS)):
        names = left()
        if not names:
            return
        told(f"waiting for {', '.join(names)}")
        pause(PAUSE_SECONDS)
    raise StillThereError(names)


def age(since: datetime | None, now: datetime | None = None) -> str:
    """How long ago a moment was: `3h 5m`."""
    if since is None:
        return "unknown"
    minutes = max(int(((now or datetime.now(UTC)) - since).total_seconds() // 60), 0)
    days, hours = divmod(minutes // 60, 24)
    parts = [f"{amount}{unit}" for amount, unit in ((days, "d"), (hours, "h"), (minutes % 60, "m")) if amount]
    return " ".join(parts[:2]) or "0m"
