#!/usr/bin/env python3
"""Puts the BERT pre-training dataset (tokenized wikicorpus, sequence length 128) into a directory.

`stage_bert.py [DIRECTORY]`; exit code 0 when the dataset is there, 1 with a message when not. A line of JSON every few
seconds tells the progress. The directory appears under its name only when it is whole.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

BUCKET = "neuron-s3"
KEY = "training_datasets/bert_pretrain_wikicorpus_tokenized_hdf5/bert_pretrain_wikicorpus_tokenized_hdf5_seqlen128.tar"
DESTINATION = "/data/datasets/bert"
PATTERN = "*.hdf5"
PROGRESS_SECONDS = 5.0


class StageError(Exception):
    """The dataset is not there; the message says why and what to change."""


class Counter:
    """A stream that counts what is read from it and says so."""

    def __init__(self, stream: BinaryIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._told = time.monotonic()
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.bytes += len(data)
        if time.monotonic() - self._told >= PROGRESS_SECONDS:
            self.tell()
        return data

    def tell_all(self) -> None:
        """Read to the end: the padding after the last file counts too."""
        while self.read(2**20):
            pass
        self.tell()

    def tell(self) -> None:
        self._told = time.monotonic()
        percent = round(100 * self.bytes / self._total, 1)
        sys.stdout.write(json.dumps({"bytes": self.bytes, "total": self._total, "percent": percent}) + "\n")
        sys.stdout.flush()


def stage(destination: Path) -> str:
    """What was done, in a sentence."""
    if destination.exists():
        return f"{destination} is there already: nothing to do; remove it to stage it anew"
    partial = destination.with_name(f"{destination.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)  # an earlier try of this program
    partial.mkdir(parents=True)
    total = _total()
    # The archive is not compressed and never stored: its files take what it takes.
    free = shutil.disk_usage(partial).free
    if free < total * 1.02:
        raise StageError(f"{destination}: got {free / 1e9:.1f} GB free, expected {total * 1.02 / 1e9:.1f}: make room")
    _unpack(partial, total)
    folder = _innermost(partial)
    if not any(folder.glob(PATTERN)):
        raise StageError(f"s3://{BUCKET}/{KEY}: got an archive without {PATTERN}: the public dataset has changed")
    folder.rename(destination)
    if partial.exists():
        shutil.rmtree(partial)
    return f"{destination} is complete, {total / 1e9:.1f} GB"


def _unpack(folder: Path, total: int) -> None:
    command = ["aws", "s3", "cp", f"s3://{BUCKET}/{KEY}", "-", "--no-sign-request"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as download:
        assert download.stdout is not None
        stream = Counter(download.stdout, total)  # type: ignore[arg-type]
        problem = None
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
                archive.extractall(folder, filter="data")
            stream.tell_all()
        except (tarfile.TarError, OSError) as error:
            problem = error
            download.kill()
    if problem or download.returncode or stream.bytes != total:
        raise StageError(
            f"s3://{BUCKET}/{KEY}: got {stream.bytes} of {total} bytes, aws exited with {download.returncode}"
            f"{f' ({problem})' if problem else ''}: run this again"
        )


def _total() -> int:
    command = ["aws", "s3api", "head-object", "--bucket", BUCKET, "--key", KEY, "--no-sign-request"]
    command += ["--query", "ContentLength", "--output", "text"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip().isdigit():
        raise StageError(
            f"s3://{BUCKET}/{KEY}: {done.stderr.strip() or done.stdout.strip()}: is S3 reachable from here?"
        )
    return int(done.stdout)


def _innermost(folder: Path) -> Path:
    """The folder of the files: archives often hold one folder at the top."""
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def main(arguments: Sequence[str]) -> int:
    os.umask(0o022)  # jobs read it as other users
    try:
        sys.stdout.write(f"{stage(Path(arguments[0] if arguments else DESTINATION))}\n")
    except (StageError, OSError) as error:
        sys.stderr.write(f"stage_bert: error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
