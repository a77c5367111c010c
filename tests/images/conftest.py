"""A container with trn-job in it as the Dockerfiles put it there, and fakes of what it calls."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.images.container import URI, Container

FAKE_AWS = Path(__file__).with_name("fake_aws.py")
# Records what it was given.
TORCHRUN = 'printf "%s\\n" "$@" > "$SEEN/arguments"; env > "$SEEN/environment"\n'
TRN_FILES = re.compile(r"^COPY (.+) (/opt/trn/\S*)$", re.MULTILINE)


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


@pytest.fixture
def bucket(container: Container) -> Path:
    return container.s3 / "bucket" / "checkpoints" / "job"


@pytest.fixture
def s3(container: Container) -> dict[str, str]:
    return {
        "TRN_PROFILE": "bert",
        "TRN_CHECKPOINTS": URI,
        "TRN_LOGS": "s3://bucket/logs/job",
        "OUT": str(container.work / "checkpoints"),
    }
