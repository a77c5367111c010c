"""The rules hold in every team of teams/."""

from __future__ import annotations

import pytest

from tests.conftest import Synthesized
from tests.rules import RULES, rule_name
from tests.rules.training import Rule


@pytest.mark.parametrize("rule", RULES, ids=rule_name)
def test_rule_holds(rule: Rule, sample: Synthesized) -> None:
    assert rule(sample) == []
