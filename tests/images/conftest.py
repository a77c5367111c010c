"""A container with trn-job in it as the Dockerfiles put it there, and fakes of what it calls."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

FAKE_AWS = Path(__file__).with_name("fake_aws.py")
# Records what it was given.
TORCHRUN = 'printf "%s\\n" "$@" > "$SEEN/arguments"; env > "$SEEN/environment"\n'
TRN_FILES = re.compile(r"^COPY (.+) (/opt/trn/\S*)$", re.MULTILINE)


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


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the Dockerfile of bert copies to /opt/trn, and nothing else."""
    folder = tmp_path_factory.mktemp("image") / "opt" / "trn"
    for sources, target in TRN_FILES.findall((ROOT / "images" / "bert" / "Dockerfile").read_text()):
        place = folder / target.removeprefix("/opt/trn/")
        place.mkdir(parents=True, exist_ok=True)
        for source in map(ROOT.joinpath, sources.split()):
            files = sorted(source.glob("*.py")) if source.is_dir() else [source]
            for file in files:
                shutil.copy(file, place)
    return folder


@pytest.fixture
def container(installed: Path, tmp_path: Path) -> Container:
    """Its Python has no packages: trn-job needs the standard library only. Driver and runtime fit."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "trn-job").symlink_to(installed / "trn-job")
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    driver, library = tmp_path / "driver", tmp_path / "lib" / "libnrt.so.2.30.5.0"
    driver.write_text("2.26.5.0\n")
    library.parent.mkdir()
    library.touch()
    (library.parent / "libnrt.so.1").symlink_to(library.name)
    result = Container(
        tmp_path,
        {
            "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
            "SEEN": str(tmp_path),
            "FAKE_S3": str(tmp_path / "s3"),
            "AWS_CALLS": str(tmp_path / "calls"),
            "TRN_WORK_DIR": str(tmp_path / "work"),
            "TRN_DRIVER_FILE": str(driver),
            "TRN_RUNTIME_LIBRARY": str(tmp_path / "lib" / "libnrt.so.1"),
            "TRN_INFINIBAND_DIR": str(tmp_path / "infiniband"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    (tmp_path / "bin" / "python3").symlink_to(base)
    result.program("torchrun", TORCHRUN)
    result.program("aws", FAKE_AWS.read_text(), f"{base} -IS")
    return result


def checkpoint(path: Path, *, cut: bool = False) -> Path:
    """A file as torch.save writes it: a zip archive; `cut`: one that was interrupted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", path.name)
    if cut:
        path.write_bytes(path.read_bytes()[:-30])
    return path


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 10
    while not path.exists():
        assert time.monotonic() < deadline, f"no {path}"
        time.sleep(0.01)


def end(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err
