"""Every mutant is killed by its rule, every original passes it, and every rule has a mutant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conftest import Synthesized
from tests.mutants import (
    batch_mutants,
    csi_driver_mutants,
    eks_mutants,
    interface_mutants,
    job_mutants,
    launch_template_mutants,
    network_mutants,
    node_group_mutants,
    storage_mutants,
)
from tests.mutants.missed_by_public_tools import MISSED
from tests.mutants.mutant import Mutant
from tests.rules import RULES, assembly, rule_name
from tests.rules.training import Rule

MODULES = (
    launch_template_mutants,
    interface_mutants,
    network_mutants,
    storage_mutants,
    csi_driver_mutants,
    eks_mutants,
    node_group_mutants,
    batch_mutants,
    job_mutants,
)
MUTANTS: tuple[Mutant, ...] = MISSED + tuple(mutant for module in MODULES for mutant in module.MUTANTS)

WHOLE_TEAM: dict[Rule, Callable[[Synthesized], Synthesized]] = {
    assembly.stacks_are_those_asked_for: lambda team: replace(
        team, templates={name: template for name, template in team.templates.items() if name != "Nodes"}
    ),
    assembly.outputs_are_what_operators_read: lambda team: replace(
        team, templates={**team.templates, "Nodes": {**team.templates["Nodes"], "Outputs": {}}}
    ),
    assembly.every_stack_carries_the_tags: lambda team: replace(team, team=team.team.model_copy(update={"name": "x"})),
    assembly.cdk_has_nothing_to_say: lambda team: replace(
        team, annotations=("Network/Group: Ignoring Egress rule [ack: @aws-cdk/aws-ec2:ipv4IgnoreEgressRule]",)
    ),
    assembly.nothing_was_looked_up: lambda team: replace(
        team, manifest={**team.manifest, "missing": [{"key": "availability-zones:account=1:region=us-west-2"}]}
    ),
}
"""Mistakes that are not in one resource."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_the_rule_sees_the_mistake(mutant: Mutant, originals: dict[str, Synthesized]) -> None:
    original = originals[mutant.team]
    assert mutant.rule(original) == []
    assert mutant.rule(mutant.of(original)), f"{rule_name(mutant.rule)} lets {mutant.name} pass"


@pytest.mark.parametrize("rule", WHOLE_TEAM, ids=rule_name)
def test_the_rule_sees_the_mistake_of_a_whole_team(rule: Rule, samples: dict[str, Synthesized]) -> None:
    assert rule(samples["bert"]) == []
    assert rule(WHOLE_TEAM[rule](samples["bert"]))


def test_every_rule_has_a_mutant() -> None:
    killing = {mutant.rule for mutant in MUTANTS} | set(WHOLE_TEAM)
    assert [rule_name(rule) for rule in RULES if rule not in killing] == []
    assert killing <= set(RULES)


def test_mutants_have_names_of_their_own() -> None:
    assert [name for name, times in Counter(map(str, MUTANTS)).items() if times > 1] == []


def test_all_23_mistakes_that_public_tools_miss_have_a_mutant() -> None:
    assert len(MISSED) == 23
