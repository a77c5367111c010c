"""S3, through the AWS CLI that the training images have."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from trn_job.messages import NOT_COPIED, NOT_FOUND, Stop, say

PROGRESS_SECONDS = 30


def names(uri: str) -> list[str]:
    """Names of the objects directly below a URI."""
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    where = ["--bucket", bucket, "--prefix", f"{prefix}/", "--delimiter", "/"]
    listed = _run(["s3api", "list-objects-v2", *where, "--query", "Contents[].Key", "--output", "json"], f"{uri}/")
    return [key.removeprefix(f"{prefix}/") for key in json.loads(listed or "null") or []]


def copy(source: str | Path, target: str | Path) -> None:
    """Copy one file. An object appears in S3 whole or not at all, so an interrupted upload leaves nothing behind.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
    """
    _run(["s3", "cp", str(source), str(target), "--only-show-errors"], str(source))


def remove(uri: str) -> None:
    _run(["s3", "rm", uri, "--only-show-errors"], uri)


def upload_folder(folder: Path, uri: str, *, include: str) -> None:
    _run(
        ["s3", "sync", str(folder), uri, "--exclude", "*", "--include", include, "--only-show-errors"],
        str(folder),
    )


def download_folder(uri: str, folder: Path) -> None:
    """Copy what is new below a URI, and say every half minute how much is there."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["aws", "s3", "sync", f"{uri}/", str(folder), "--only-show-errors"]
    started = time.monotonic()
    say(f"copying {uri}/ to {folder}")
    process = _started(command)
    try:
        while _runs(process):
            say(f"copying {uri}/: {_bytes_in(folder) / 1e9:.1f} GB so far")
    except SystemExit:  # a signal that ends the job
        process.kill()
        raise
    if process.returncode:
        raise _failed(uri, process.returncode, "see its message above")
    say(f"copied {_bytes_in(folder) / 1e9:.1f} GB in {time.monotonic() - started:.0f} s")


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process still runs after the time between two lines of progress."""
    try:
        process.wait(PROGRESS_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command)
    except FileNotFoundError:
        raise Stop("the AWS CLI is not in this image; it is needed for s3:// places", NOT_FOUND) from None


def _run(arguments: Sequence[str], what: str) -> str:
    try:
        done = subprocess.run(["aws", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Stop("the AWS CLI is not in this image; it is needed for s3:// places", NOT_FOUND) from None
    if done.returncode:
        raise _failed(what, done.returncode, done.stderr.strip())
    return done.stdout


def _failed(what: str, code: int, message: str) -> Stop:
    return Stop(f"{what}: aws exited with {code}: {message}", NOT_COPIED)
