"""Team files as text, and what their user is told about them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spec.team_file import check_team

Told = Callable[[str], list[str]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """Every finding about a team file with this text, as `LINE: KEY: got X, expected Y`."""

    def tell(text: str) -> list[str]:
        path = tmp_path / "team.yaml"
        path.write_text(text, encoding="utf-8")
        return [str(finding).removeprefix(f"{path}:") for finding in check_team(path)[1]]

    return tell
