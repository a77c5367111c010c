"""Staging the BERT dataset: streamed, whole or not there, and safe to start again."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import stage_bert
from spec.names import DATA_PATH, Prefix
from tests.conftest import ROOT
from tests.images.container import Container

PROGRAM = ROOT / "images" / "shell" / "stage_bert.py"


def archive(container: Container, *members: str) -> int:
    """Size of the public archive, which holds these files."""
    path = container.s3 / stage_bert.BUCKET / stage_bert.KEY
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w") as tar:
        for name in members:
            info = tarfile.TarInfo(name)
            info.size = 3000
            tar.addfile(info, io.BytesIO(b"x" * 3000))
    return path.stat().st_size


@pytest.fixture
def destination(container: Container) -> Path:
    return container.root / "data" / "datasets" / "bert"


def stage(container: Container, destination: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return container.run("python3", str(PROGRAM), str(destination), **environment)


@pytest.mark.parametrize("folder", ["", "seqlen128/"])
def test_files_are_where_jobs_look(container: Container, destination: Path, folder: str) -> None:
    total = archive(container, f"{folder}wiki_training_0.hdf5", f"{folder}wiki_training_1.hdf5")
    done = stage(container, destination)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in destination.iterdir()) == ["wiki_training_0.hdf5", "wiki_training_1.hdf5"]
    assert [path.name for path in destination.parent.iterdir()] == ["bert"]
    progress = json.loads(done.stdout.splitlines()[-2])
    assert progress == {"bytes": total, "total": total, "percent": 100.0}
    assert all("--no-sign-request" in call for call in container.calls)


def test_a_second_time_does_nothing(container: Container, destination: Path) -> None:
    destination.mkdir(parents=True)
    done = stage(container, destination)
    assert done.returncode == 0
    assert "is there already" in done.stdout
    assert container.calls == []


def test_fails_when_interrupted_then_succeeds(container: Container, destination: Path) -> None:
    archive(container, "wiki_training_0.hdf5", "wiki_training_1.hdf5")
    done = stage(container, destination, CUT="5000")
    assert done.returncode == 1
    assert "got 5000 of" in done.stderr
    assert not destination.exists()
    (destination.with_name("bert.partial") / "of_an_earlier_try.hdf5").touch()
    assert stage(container, destination).returncode == 0
    assert len(list(destination.iterdir())) == 2


def test_fails_when_only_the_end_is_missing(container: Container, destination: Path) -> None:
    total = archive(container, "wiki_training_0.hdf5")
    done = stage(container, destination, CUT=str(total - 512))
    assert done.returncode == 1
    assert not destination.exists()


def test_fails_when_the_download_fails(container: Container, destination: Path) -> None:
    archive(container, "wiki_training_0.hdf5")
    done = stage(container, destination, FAIL="s3 cp")
    assert done.returncode == 1
    assert "aws exited with 254" in done.stderr
    assert not destination.exists()


def test_fails_when_s3_is_out_of_reach(container: Container, destination: Path) -> None:
    done = stage(container, destination, FAIL="head-object")
    assert done.returncode == 1
    assert "AccessDenied: told to fail: is S3 reachable from here?" in done.stderr


def test_fails_without_shards(container: Container, destination: Path) -> None:
    archive(container, "README", "notes.txt")
    done = stage(container, destination)
    assert done.returncode == 1
    assert "without *.hdf5" in done.stderr
    assert not destination.exists()


def test_fails_without_room(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(stage_bert, "_total", lambda: 10**18)
    assert stage_bert.main([str(tmp_path / "bert")]) == 1
    assert "make room" in capsys.readouterr().err
    assert not (tmp_path / "bert").exists()


@pytest.mark.parametrize("name", ["../outside.hdf5", "/tmp/outside.hdf5.test"])
def test_a_member_never_leaves_the_folder(container: Container, destination: Path, name: str) -> None:
    archive(container, name, "wiki_training_0.hdf5")
    stage(container, destination)
    assert not (destination.parent / "outside.hdf5").exists()
    assert not Path("/tmp/outside.hdf5.test").exists()


def test_progress_is_told_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter(range(0, 100, 3))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    stream = stage_bert.Counter(io.BytesIO(b"x" * 40), 40)
    while stream.read(10):
        pass
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["percent"] for line in lines][:1] == [50.0]
    assert len(lines) < 5


def test_the_default_is_where_the_bert_profile_looks() -> None:
    assert f"{DATA_PATH}/{Prefix.DATASETS}bert" == stage_bert.DESTINATION


def test_it_runs_without_packages() -> None:
    done = subprocess.run([sys.executable, "-IS", "-c", f"import runpy; runpy.run_path('{PROGRAM}')"], check=False)
    assert done.returncode == 0
