"""The rules hold for every hardware row, EFA layout and path, in every variant of the rest."""

from __future__ import annotations

import pytest

from tests.conftest import Synthesized
from tests.rules import RULES, rule_name
from tests.rules.training import Rule


@pytest.mark.parametrize("rule", RULES, ids=rule_name)
def test_rule_holds_over_the_matrix(rule: Rule, matrix: dict[str, Synthesized]) -> None:
    findings = {name: found for name, synthesized in matrix.items() if (found := rule(synthesized))}
    assert findings == {}
