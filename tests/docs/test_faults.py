"""docs/faults.md names each public fault once, and only tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.ops.launch_rules import BATCH_RULES, EKS_RULES
from tests.rules import RULES, rule_name

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {*range(1, 16), *range(17, 20), *range(21, 30), *range(31, 44), *range(46, 52)}
NUMBERS |= {53, 55, 58, 60, 62, 64, 65, 68}
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@dataclass(frozen=True)
class Row:
    number: int
    statement: str
    tests: tuple[tuple[str, str], ...]
    """(file, function)."""
    reports: tuple[str, ...]


def rows() -> list[Row]:
    found = []
    for line in (ROOT / "docs" / "faults.md").read_text().splitlines():
        if re.match(r"\| \d+ \|", line):
            number, statement, held, reports = (cell.strip() for cell in line.strip("|").split("|"))
            tests = tuple(TEST.findall(held))
            urls = tuple(re.findall(r"\]\((https://[^)]+)\)", reports))
            found.append(Row(int(number), statement, tests, urls))
    return found


@cache
def functions(path: str) -> frozenset[str]:
    """Names of a file's functions; empty where there is no such file."""
    file = ROOT / path
    if not file.exists():
        return frozenset()
    return frozenset(node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef))


def test_every_fault_is_named_once() -> None:
    times = Counter(row.number for row in rows())
    assert [number for number, count in times.items() if count > 1] == []
    assert set(times) == NUMBERS


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row.number))
def test_what_holds_a_fault_out_exists(row: Row) -> None:
    rules = {rule_name(rule) for rule in RULES} | {
        f"launch_rules.{rule.__name__}" for rule in (*EKS_RULES, *BATCH_RULES)
    }
    for path, name in row.tests:
        assert name in functions(path), f"{path} has no {name}"
        is_rule = f"{Path(path).stem}.{name}" in rules
        assert is_rule or (name.startswith("test_") and Path(path).name.startswith("test_")), f"{name} is not run"
    assert row.tests, "nothing holds it"
    assert row.statement.endswith(".")
    assert row.reports, "no report"
