"""Runs of app.py as a user starts it: a process of its own, in an environment that holds next to nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stacks.inputs import CODE, FILES
from tests.conftest import ROOT

NO_NODE = {"JSII_NODE": "/nonexistent/node"}
"""With it a run fails as soon as it has anything to synthesize."""

OREGON = {"region": "us-west-2", "network": {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}}
ALPHA = OREGON | {
    "eks": {
        "admins": ["arn:aws:iam::111122223333:role/Admin"],
        "node_groups": [{"name": "trn1", "instance_type": "trn1.32xlarge"}],
    },
    "storage": {"lustre": {}},
}
"""On EKS, so with assets."""
BETA = OREGON | {"batch": {"instance_type": "trn1.32xlarge", "max_nodes": 2}}
"""On Batch, without assets."""


def environment() -> dict[str, str]:
    """No AWS settings, no Node, no tools. jsii's unpacked packages stay where they are, or each run takes 3 s more."""
    cache = Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
    return {"HOME": str(Path.home()), "PATH": "/nonexistent", "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(cache)}


@dataclass(frozen=True)
class Synthesis:
    """Arguments and surroundings of app.py."""

    teams_dir: Path
    outdir: Path
    arguments: Sequence[str] = ()
    program: Path = ROOT / "app.py"
    environment: Mapping[str, str] = field(default_factory=environment)
    cwd: Path = Path("/")

    def start(self, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(self.program), "-c", f"teams_dir={self.teams_dir}", *self.arguments],
            env={**self.environment, "CDK_OUTDIR": str(self.outdir), **more},
            cwd=self.cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, **more: str) -> tuple[int, str]:
        """Exit code and stderr; there never is anything on stdout."""
        process = self.start(**more)
        stdout, stderr = process.communicate(timeout=60)
        assert stdout == ""
        return process.returncode, stderr


def write_teams(directory: Path, **teams: Any) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for name, keys in teams.items():
        (directory / f"{name}.yaml").write_text(json.dumps(keys, indent=2))
    return directory


def copy_of_checkout(directory: Path) -> Path:
    """All that app.py needs but the virtual environment."""
    for package in CODE:
        shutil.copytree(ROOT / package, directory / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, directory)
    return directory


def contents(directory: Path) -> dict[str, str]:
    """Digest of every file by relative path, hidden ones too; folders appear as such."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in directory.rglob("*")
    }


def manifest_teams(outdir: Path) -> list[str]:
    """Names of the teams in the root manifest, which is what the CDK CLI sees."""
    artifacts = json.loads((outdir / "manifest.json").read_text())["artifacts"]
    return [artifact["properties"]["displayName"] for artifact in artifacts.values()]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesis]:
    """A finished run over the teams alpha and beta in one process; read only, see `assembly`."""
    base = tmp_path_factory.mktemp("reference")
    synthesis = Synthesis(write_teams(base / "teams", alpha=ALPHA, beta=BETA), base / "cdk.out")
    assert synthesis.run() == (0, "")
    yield synthesis
    shutil.rmtree(base)


@pytest.fixture(scope="session")
def expected(reference: Synthesis) -> dict[str, str]:
    return contents(reference.outdir)


@pytest.fixture
def assembly(reference: Synthesis, tmp_path: Path) -> Iterator[Synthesis]:
    """A copy of the finished run, with its own team files and its own output, that a test may do anything to."""
    shutil.copytree(reference.teams_dir, tmp_path / "teams")
    shutil.copytree(reference.outdir, tmp_path / "cdk.out", copy_function=_link_or_copy)
    yield Synthesis(tmp_path / "teams", tmp_path / "cdk.out")
    shutil.rmtree(tmp_path / "cdk.out")


@pytest.fixture
def empty(reference: Synthesis, tmp_path: Path) -> Iterator[Synthesis]:
    """The same team files before any run; the folder of its output has another name."""
    yield Synthesis(reference.teams_dir, tmp_path / "assembly")
    shutil.rmtree(tmp_path / "assembly", ignore_errors=True)


def _link_or_copy(source: str, target: str) -> None:
    # 59 MB per test otherwise. Whoever changes a .zip must write a new file.
    if source.endswith(".zip"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)
