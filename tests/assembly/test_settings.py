"""Where the team files of a synthesis lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spec.names import TEAMS_DIR_VARIABLE
from stacks.settings import CONTEXT_VARIABLE, ROOT, read_settings
from tests.spec.samples import BATCH


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    (tmp_path / "ours.yaml").write_text(BATCH)
    return tmp_path


def test_a_variable_names_them_for_the_cdk_cli_too(elsewhere: Path) -> None:
    """As it does for make and trn: what was synthesized is what `cdk deploy` finds."""
    assert read_settings([], {TEAMS_DIR_VARIABLE: str(elsewhere)}).team_files == (elsewhere / "ours.yaml",)
    assert {path.parent for path in read_settings([], {}).team_files} == {ROOT / "teams"}


def test_an_argument_goes_before_the_variable(elsewhere: Path) -> None:
    variables = {TEAMS_DIR_VARIABLE: str(ROOT / "teams")}
    for found in (
        read_settings(["-c", f"teams_dir={elsewhere}"], variables),
        read_settings([], variables | {CONTEXT_VARIABLE: json.dumps({"teams_dir": str(elsewhere)})}),
    ):
        assert found.team_files == (elsewhere / "ours.yaml",)
