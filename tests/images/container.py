"""A container to run programs in, and what tests of it have in common."""

from __future__ import annotations

import signal
import subprocess
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

JOB = ("trn-job", "torchrun", "script.py", "--data_dir=/mine")
URI = "s3://bucket/checkpoints/job"
# A script that writes a checkpoint made beforehand, then waits; it stops when it is told to.
WRITES = 'cp "$SEEN"/new/* "$OUT/"; touch "$SEEN/started"\n'
WAITS = 'trap "exit 0" TERM; while sleep 0.02; do :; done\n'


@dataclass(frozen=True)
class Container:
    root: Path
    environment: dict[str, str]

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def s3(self) -> Path:
        return self.root / "s3"

    @property
    def work(self) -> Path:
        return self.root / "work"

    def program(self, name: str, body: str, interpreter: str = "/bin/bash") -> None:
        path = self.bin / name
        path.write_text(f"#!{interpreter}\n{body}")
        path.chmod(0o755)

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*command, **environment)
        out, err = process.communicate(timeout=30)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def job(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.run("trn-job", "torchrun", "script.py", *arguments, **environment)

    @property
    def arguments(self) -> list[str]:
        return (self.root / "arguments").read_text().splitlines()

    @property
    def seen(self) -> dict[str, str]:
        lines = (self.root / "environment").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    @property
    def calls(self) -> list[str]:
        return (self.root / "calls").read_text().splitlines() if (self.root / "calls").exists() else []

    def dataset(self, place: Path, name: str = "wiki_training_0.hdf5") -> Path:
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("data")
        return place


def checkpoint(path: Path, *, cut: bool = False) -> Path:
    """A file as torch.save writes it: a zip archive; `cut`: one that was interrupted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", path.name)
    if cut:
        path.write_bytes(path.read_bytes()[:-30])
    return path


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"no {path}"
        time.sleep(0.01)


def end(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err
