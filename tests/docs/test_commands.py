"""Every command that README.md and docs/ print, run in order in a copy of the checkout.

A block fenced as `bash` runs as it stands; one fenced as `bash account` runs against a stand-in for an AWS account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.account.shell import BLOCK, account, commands, confirmed, copy_checkout, run
from tests.conftest import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
RUN_BY_CI = {"make validate", "make test"}
"""Run over the same team files by .ci/run, which runs this test too."""


@pytest.fixture(scope="module")
def deployed_into(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Variables of a shell with credentials of the stand-in account."""
    with account(tmp_path_factory.mktemp("account")) as variables:
        yield variables


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout."""
    copy = tmp_path_factory.mktemp("checkout") / "copy"
    copy_checkout(copy)
    return copy


def must_run(command: str, *, cwd: Path, variables: dict[str, str]) -> None:
    finished = run(command, cwd=cwd, variables=variables)
    assert finished.returncode == 0, f"{command}\n{finished.stdout}"


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: str(page.name))
def test_commands_run(page: Path, checkout: Path, deployed_into: dict[str, str]) -> None:
    for needs_account, command in commands(page):
        if command not in RUN_BY_CI:
            must_run(confirmed(command), cwd=checkout, variables=deployed_into if needs_account else {})


def test_the_quick_start_is_two_commands() -> None:
    first = BLOCK.search((ROOT / "README.md").read_text())
    assert first is not None
    assert first.group(2).splitlines() == ["make synth", "make test"]


def test_fails_on_a_command_that_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="what is wrong"):
        must_run("echo what is wrong >&2; exit 3", cwd=tmp_path, variables={})


def test_every_target_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)`", (ROOT / "README.md").read_text()))
    assert named <= targets


def test_what_is_left_to_ci_is_run_by_it() -> None:
    assert set((ROOT / ".ci" / "run").read_text().splitlines()) >= RUN_BY_CI
