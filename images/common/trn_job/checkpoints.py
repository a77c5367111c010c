"""Checkpoint files of the BERT script, ckpt_<step>.pt: which one to resume from.

The script writes them in place and takes the highest step it sees, complete or not.
"""

from __future__ import annotations

import contextlib
import re
import zipfile
from pathlib import Path

from trn_job import s3
from trn_job.messages import say

PARTIAL = ".partial"


def step(name: str) -> int | None:
    """Training step of a checkpoint's file name; None for any other name."""
    found = re.fullmatch(r"ckpt_(\d+)\.pt", name)
    return int(found[1]) if found else None


def is_complete(path: Path) -> bool:
    """Whether the whole file was written.

    torch.save writes a zip archive, whose directory comes last: a file that was cut off has none.
    https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return bool(archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def present(folder: Path) -> list[Path]:
    """Checkpoints in a folder, complete or not, newest first."""
    found = [(number, path) for path in folder.glob("*.pt") if (number := step(path.name)) is not None]
    return [path for _, path in sorted(found, reverse=True)]


def complete(folder: Path) -> list[Path]:
    """Complete checkpoints in a folder, newest first."""
    return [path for path in present(folder) if is_complete(path)]


def set_aside(folder: Path) -> None:
    """Rename incomplete checkpoints, so that the script does not take them; nothing is deleted."""
    for path in present(folder):
        if not is_complete(path):
            say(f"{path} is incomplete, probably from a run that was interrupted: renamed to {path.name}{PARTIAL}")
            with contextlib.suppress(FileNotFoundError):
                path.rename(path.with_name(path.name + PARTIAL))


def restore(uri: str, folder: Path) -> None:
    """Copy the newest complete checkpoint below a URI into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = sorted((number for name in s3.names(uri) if (number := step(name)) is not None), reverse=True)
    for number in steps:
        name = f"ckpt_{number}.pt"
        partial = folder / f"{name}{PARTIAL}"
        s3.copy(f"{uri}/{name}", partial)
        if is_complete(partial):
            partial.rename(folder / name)
            return
        say(f"{uri}/{name} is incomplete; trying the one before")
