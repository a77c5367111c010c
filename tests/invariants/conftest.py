"""The matrix, synthesized once in one App."""

from __future__ import annotations

import json

import pytest

from spec.team_file import load_team
from tests.conftest import Synthesized, synthesize_teams
from tests.invariants.matrix import teams


@pytest.fixture(scope="session")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    """Every team of the matrix, by name."""
    folder = tmp_path_factory.mktemp("matrix-teams")
    loaded = []
    for name, keys in teams():
        path = folder / f"{name}.yaml"
        path.write_text(json.dumps(keys))
        loaded.append(load_team(path))
    return synthesize_teams(loaded, tmp_path_factory.mktemp("matrix"))
