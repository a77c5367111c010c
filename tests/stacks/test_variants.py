"""What holds for every stack of a team, in every variant: accounts, names, tags, order, repetition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spec.names import TEAM_TAG, Output
from spec.team import Team
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.rules.assembly import OUTPUTS

ACCOUNT = "111122223333"
STACKS = ["Network", "Storage", "Cluster", "Nodes", "Batch"]
KEYS: dict[str, Any] = {
    "storage": {"on_delete": "delete", "lustre": {}},
    "eks": {"node_groups": [{"name": "a", "instance_type": "trn1.32xlarge"}]},
    "batch": {"instance_type": "trn1.32xlarge", "max_nodes": 4},
    "tags": {"cost-center": "4711"},
}


@pytest.fixture(scope="module")
def both(make_team: TeamFactory) -> list[Team]:
    """One team with and one without an account, otherwise the same."""
    return [make_team("anywhere", **KEYS), make_team("somewhere", account=ACCOUNT, **KEYS)]


@pytest.fixture(scope="module")
def teams(both: list[Team], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    return synthesize_teams(both, tmp_path_factory.mktemp("variants"))


def stacks(synthesized: Synthesized) -> dict[str, dict[str, Any]]:
    """Each stack's entry in the manifest, in the order of deployment."""
    artifacts = synthesized.manifest["artifacts"].values()
    return {
        item["displayName"].partition("/")[2]: item for item in artifacts if item["type"] == "aws:cloudformation:stack"
    }


@pytest.mark.parametrize(("name", "account"), [("anywhere", "unknown-account"), ("somewhere", ACCOUNT)])
def test_every_stack_works_with_and_without_an_account(name: str, account: str, teams: dict[str, Synthesized]) -> None:
    environments = {stack: item["environment"] for stack, item in stacks(teams[name]).items()}
    assert environments == dict.fromkeys(STACKS, f"aws://{account}/us-west-2")


def test_an_account_adds_and_removes_nothing(teams: dict[str, Synthesized]) -> None:
    def kinds(name: str, stack: str) -> dict[str, str]:
        found = teams[name].templates[stack]["Resources"]
        return {logical_id: resource["Type"] for logical_id, resource in found.items()}

    for stack in STACKS:
        assert kinds("somewhere", stack) == kinds("anywhere", stack)


def test_stack_names_are_team_and_stack(teams: dict[str, Synthesized]) -> None:
    for name, team in teams.items():
        names = {stack: item["properties"]["stackName"] for stack, item in stacks(team).items()}
        assert names == {stack: f"{name}-{stack}" for stack in STACKS}


def test_team_and_own_tags_are_on_every_stack(teams: dict[str, Synthesized]) -> None:
    for name, team in teams.items():
        tags = [item["properties"]["tags"] for item in stacks(team).values()]
        assert tags == [{"cost-center": "4711", TEAM_TAG: name}] * len(STACKS)


def test_teams_share_nothing(teams: dict[str, Synthesized]) -> None:
    """Each template names its own team's exports alone, so that teams come and go one by one."""
    for name, team in teams.items():
        (other,) = set(teams) - {name}
        assert other not in json.dumps(dict(team.templates))


def test_stateful_stacks_do_not_wait_for_compute(teams: dict[str, Synthesized]) -> None:
    for team in teams.values():
        needs = {stack: json.dumps(item.get("dependencies", [])) for stack, item in stacks(team).items()}
        for stack, others in {
            "Network": STACKS[1:],
            "Storage": ["Cluster", "Nodes", "Batch"],
            "Cluster": ["Nodes", "Batch"],
            "Nodes": ["Batch"],
            "Batch": ["Cluster", "Nodes"],
        }.items():
            assert not [other for other in others if other in needs[stack]], stack


def test_synthesis_repeats_itself(both: list[Team], teams: dict[str, Synthesized], tmp_path: Path) -> None:
    """In another order and another folder, byte for byte."""
    again = synthesize_teams(both[::-1], tmp_path / "cdk.out")
    for name, team in teams.items():
        assert json.dumps(again[name].templates) == json.dumps(team.templates)


def test_every_output_key_is_used(teams: dict[str, Synthesized]) -> None:
    """A key in spec/names.py that no stack gives would make an operator's command fail."""
    assert set(OUTPUTS) == set(Output)
    given = {key for template in teams["anywhere"].templates.values() for key in template["Outputs"]}
    assert set(Output) <= given
