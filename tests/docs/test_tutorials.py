"""README takes a newcomer through each tutorial in few commands; tests/docs/test_commands.py runs them."""

from __future__ import annotations

import re

import pytest

from tests.account.shell import TUTORIALS, tutorial
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()
TO_A_RUNNING_JOB = 8
TO_TEAR_DOWN = 2


@pytest.mark.parametrize("title", TUTORIALS)
def test_a_running_job_in_few_commands(title: str) -> None:
    first = tutorial(title)[0]
    assert first[0] == "make setup"
    assert first[-1].startswith(".venv/bin/trn run jobs/")
    assert len(first) <= TO_A_RUNNING_JOB


@pytest.mark.parametrize("title", TUTORIALS)
def test_torn_down_in_two(title: str) -> None:
    last = tutorial(title)[-1]
    assert [line.split()[:2] for line in last] == [[".venv/bin/trn", "cleanup"], [".venv/bin/cdk", "destroy"]]
    assert len(last) == TO_TEAR_DOWN


def test_every_step_of_the_tutorials_has_its_place() -> None:
    section = README.partition("## Where the tutorials' steps are\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 12
    named = {word for row in rows for word in re.findall(r"`trn ([a-z]+)", row)}
    assert named == {
        *("zones", "preflight", "images", "data", "run", "status", "logs", "top", "tensorboard", "cleanup"),
    }
