"""Whatever a file holds, its user gets findings and never a traceback."""

import random
from pathlib import Path

import pytest

from spec.team_file import check_team, find_team_files

SAMPLES = [path.read_text() for path in find_team_files(Path(__file__).parents[2] / "teams")]
YAML = ["null", "[]", "{}", "- ", "  ", "\n", ": ", "&a ", "*a", "!!str ", "<<: ", "? ", "---\n", "...", "{", "}", "["]
MARKS = ["]", '"', "'", "|", ">", "#", "%", "@", "\t", "\x00", "\x85", "\u2028", "é", "\U0001f600"]
SCALARS = ["0x_", ".nan", "-.inf", "1e999", "012", "no", "2026-13-45", "1:30", "9" * 5000]
KEYS = ["eks: ", "batch: ", "name: ", "region: ", "node_groups: ", "capacity: "]


def _spoiled(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 5, 20, 60)))
        text = text[:start] + chance.choice(YAML + MARKS + SCALARS + KEYS) + text[end:]
    return text


@pytest.mark.parametrize("seed", range(20))
def test_a_spoiled_file_never_raises(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    path = tmp_path / "team.yaml"
    for _ in range(50):
        text = _spoiled(chance.choice(SAMPLES), chance)
        path.write_text(text, encoding="utf-8")
        team, findings = check_team(path)
        assert (team is None) == any(finding.severity == "error" for finding in findings), text
        assert all(1 <= finding.line <= len(text.splitlines()) + 1 for finding in findings), text
        assert all("\n" not in str(finding) for finding in findings), text
