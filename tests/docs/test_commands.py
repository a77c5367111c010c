"""Every command that README.md and docs/ print, run in order in a copy of the checkout.

A block fenced as `bash` runs as it stands; one fenced as `bash account` runs against a stand-in for an AWS account.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

BLOCK = re.compile(r"^```bash( account)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
RUN_BY_CI = {"make validate", "make test"}
"""Run over the same team files by .ci/run, which runs this test too."""
PROMPTS = {
    ".venv/bin/cdk deploy": "--require-approval never",  # a person confirms changes of permissions
    ".venv/bin/cdk destroy": "--force",  # a person confirms
}
ACCOUNT_ID = "111122223333"


def commands(page: Path) -> list[tuple[bool, str]]:
    """(needs an account, command line) of every command on a page."""
    return [
        (bool(account), line)
        for account, block in BLOCK.findall(page.read_text())
        for line in block.splitlines()
        if line.strip() and not line.startswith("#")
    ]


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Environment of a shell with credentials of the stand-in account."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.account.server"],
        cwd=ROOT,
        env=os.environ | {"MOTO_ACCOUNT_ID": ACCOUNT_ID},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        endpoint = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        yield {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-west-2",
            # Where the CLI remembers which account a key belongs to.
            "CDK_HOME": str(tmp_path_factory.mktemp("cdk-home")),
            "AWS_ENDPOINT_URL": endpoint,
            # Only shapes the TemplateURL that the CLI sends; moto finds the bucket in it, and nobody opens it.
            "AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION": "https://s3.us-west-2.amazonaws.com",
        }
    finally:
        server.stdin.close()
        server.stdout.close()
        server.wait(timeout=30)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout that is set up already."""
    copy = tmp_path_factory.mktemp("checkout") / "copy"
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "cdk.out", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=left_out)
    for name in (".venv", "node_modules"):
        (copy / name).symlink_to(ROOT / name)
    # Older than what was made from them: nothing may set the shared virtual environment up for this copy.
    for name in ("pyproject.toml", "uv.lock", "package.json", "package-lock.json"):
        os.utime(copy / name, (0, 0))
    return copy


def run(command: str, *, cwd: Path, variables: dict[str, str]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CDK_", "PYTEST_"))}
    finished = subprocess.run(
        ["bash", "-ec", command],
        check=False,
        cwd=cwd,
        env=kept | {"AWS_EC2_METADATA_DISABLED": "true"} | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: str(page.name))
def test_commands_run(page: Path, checkout: Path, account: dict[str, str]) -> None:
    for needs_account, command in commands(page):
        if command in RUN_BY_CI:
            continue
        prompt = next((flag for start, flag in PROMPTS.items() if command.startswith(start)), "")
        run(f"{command} {prompt}", cwd=checkout, variables=account if needs_account else {})


def test_the_quick_start_is_two_commands() -> None:
    first = BLOCK.search((ROOT / "README.md").read_text())
    assert first is not None
    assert first.group(2).splitlines() == ["make synth", "make test"]


def test_fails_on_a_command_that_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="what is wrong"):
        run("echo what is wrong >&2; exit 3", cwd=tmp_path, variables={})


def test_every_target_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)`", (ROOT / "README.md").read_text()))
    assert named <= targets


def test_what_is_left_to_ci_is_run_by_it() -> None:
    assert set((ROOT / ".ci" / "run").read_text().splitlines()) >= RUN_BY_CI
