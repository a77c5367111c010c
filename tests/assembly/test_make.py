"""The Makefile's targets for set-up and synthesis, without running them for real."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAKE = shutil.which("make") or "make"


def make(*arguments: str, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/dev/null", "LC_ALL": "C"}
    return subprocess.run(
        [MAKE, "-C", str(directory), "--no-print-directory", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("variables", "arguments"),
    [
        ([], ""),
        (["TEAM=bert"], '-c "team=bert"'),
        (["TEAMS_DIR=/my teams", "TEAM=a,b"], '-c "team=a,b" -c "teams_dir=/my teams"'),
    ],
)
def test_variables_become_arguments(variables: list[str], arguments: str) -> None:
    last = make("--dry-run", "synth", *variables).stdout.splitlines()[-1]
    assert last.split() == [".venv/bin/python", "app.py", *arguments.split()]


@pytest.mark.parametrize("python", ["", "/bin/false", "/nonexistent/python3.11"])
def test_set_up_says_which_python_it_needs(python: str, tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "uv.lock", "package.json", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path)
    done = make("setup", f"PYTHON={python}", directory=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Python 3.11, 3.12 or 3.13 not found: install one, or say where: make PYTHON=")
    assert not (tmp_path / ".venv").exists()


def test_python_and_uv_are_the_ones_that_the_project_pins() -> None:
    text = (ROOT / "Makefile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] < (3, 14)" in text
    (pinned,) = (line for line in project["dependency-groups"]["dev"] if line.startswith("uv=="))
    assert f"UV_VERSION := {pinned.removeprefix('uv==')}\n" in text


def test_locks_name_the_public_registries_only() -> None:
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text()))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        if name:
            assert package["integrity"].startswith("sha512-")
            assert package.get("resolved", "https://registry.npmjs.org/").startswith("https://registry.npmjs.org/")
