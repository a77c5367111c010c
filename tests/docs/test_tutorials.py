"""README takes a newcomer through each tutorial in few commands; tests/docs/test_commands.py runs them."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.docs.test_commands import BLOCK

README = (ROOT / "README.md").read_text()
TUTORIALS = ("BERT pre-training on EKS", "Llama-2 pre-training on AWS Batch")
TO_A_RUNNING_JOB = 8
TO_TEAR_DOWN = 2


def blocks(title: str) -> list[list[str]]:
    """Commands of each block of a section."""
    section = README.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [block.splitlines() for _, block in BLOCK.findall(section)]


@pytest.mark.parametrize("title", TUTORIALS)
def test_a_running_job_in_few_commands(title: str) -> None:
    first = blocks(title)[0]
    assert first[0] == "make setup"
    assert first[-1].startswith(".venv/bin/trn run jobs/")
    assert len(first) <= TO_A_RUNNING_JOB


@pytest.mark.parametrize("title", TUTORIALS)
def test_torn_down_in_two(title: str) -> None:
    last = blocks(title)[-1]
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
