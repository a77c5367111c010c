"""cfn-lint over every template of every sample team, in the team's own Region."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from cfnlint.api import lint
from cfnlint.config import ManualArgs
from cfnlint.core import get_rules
from cfnlint.rules import RulesCollection

from tests.conftest import ROOT, Synthesized

CONFIG: dict[str, Any] = yaml.safe_load((ROOT / ".cfnlintrc").read_text())


@pytest.fixture(scope="module")
def rules() -> RulesCollection:
    return get_rules([], CONFIG["ignore_checks"], ["W", "E"])


def findings(template: dict[str, Any], region: str, rules: RulesCollection) -> list[str]:
    matches = lint(json.dumps(template), rules, [region], ManualArgs(ignore_checks=CONFIG["ignore_checks"]))
    return [str(match) for match in matches]


def test_no_template_has_a_finding(sample: Synthesized, rules: RulesCollection) -> None:
    found = [
        finding for template in sample.templates.values() for finding in findings(template, sample.team.region, rules)
    ]
    assert found == []


def test_fails_on_a_wrong_property(samples: dict[str, Synthesized], rules: RulesCollection) -> None:
    template = json.loads(json.dumps(samples["llama2"].templates["Network"]))
    vpc = next(resource for resource in template["Resources"].values() if resource["Type"] == "AWS::EC2::VPC")
    vpc["Properties"]["CidrBlocks"] = vpc["Properties"].pop("CidrBlock")
    assert any("CidrBlocks" in finding for finding in findings(template, "us-west-2", rules))


def test_each_rule_left_out_has_its_reason() -> None:
    lines = (ROOT / ".cfnlintrc").read_text().splitlines()
    for rule in CONFIG["ignore_checks"]:
        assert lines[lines.index(f"  - {rule}") - 1].lstrip().startswith("#"), rule


def test_make_validate_lints_what_make_synth_writes() -> None:
    assert CONFIG["templates"] == ["cdk.out/assembly-*/*.template.json"]
