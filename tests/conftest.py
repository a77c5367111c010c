"""One synthesis per variant, shared by every test that only reads templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spec.toolchain import use_pinned_node

use_pinned_node()

from aws_cdk import App  # noqa: E402  jsii reads JSII_NODE when it is imported

from spec.team import Team  # noqa: E402
from spec.team_file import find_team_files, load_team  # noqa: E402
from stacks.team_stage import TeamStage  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = tuple(path.stem for path in find_team_files(ROOT / "teams"))
CONTEXT: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text())["context"] | {
    # 59 MB of Lambda layers per assembly that no test looks at.
    "aws:cdk:disable-asset-staging": True,
}

Template = dict[str, Any]


@dataclass(frozen=True)
class Synthesized:
    """One team's templates by stack name without the team's: Network, Storage, Cluster, Nodes, Batch."""

    team: Team
    templates: Mapping[str, Template]
    annotations: tuple[str, ...]
    """Warnings and errors that CDK attached to constructs, as `<path>: <text>`."""
    manifest: Mapping[str, Any]

    def of_type(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        """(stack name, resource) of every resource of a CloudFormation type."""
        return [
            (stack, resource)
            for stack, template in self.templates.items()
            for resource in template["Resources"].values()
            if resource["Type"] == kind
        ]


def synthesize_teams(teams: list[Team], outdir: Path) -> dict[str, Synthesized]:
    """Synthesize teams as app.py does, without staging assets."""
    app = App(
        outdir=str(outdir),
        context=CONTEXT,
        analytics_reporting=False,
        stack_traces=False,
        tree_metadata=False,
        builtin_cloud_formation_validation=False,
    )
    for team in teams:
        TeamStage(app, team.name, team=team)
    app.synth()
    return {team.name: _read(team, outdir / f"assembly-{team.name}") for team in teams}


def _read(team: Team, assembly: Path) -> Synthesized:
    manifest = json.loads((assembly / "manifest.json").read_text())
    stacks = {
        artifact["displayName"].partition("/")[2]: artifact
        for artifact in manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    templates = {
        name: json.loads((assembly / artifact["properties"]["templateFile"]).read_text())
        for name, artifact in stacks.items()
    }
    annotations = tuple(
        f"{path}: {entry['data']}"
        for artifact in stacks.values()
        for path, entries in json.loads((assembly / artifact["additionalMetadataFile"]).read_text()).items()
        for entry in entries
        if entry["type"] in ("aws:cdk:warning", "aws:cdk:error")
    )
    return Synthesized(team, templates, annotations, manifest)


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    """Every team file in teams/, by team name."""
    teams = [load_team(path) for path in find_team_files(ROOT / "teams")]
    return synthesize_teams(teams, tmp_path_factory.mktemp("samples"))


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest, samples: dict[str, Synthesized]) -> Synthesized:
    """Each sample team in turn."""
    return samples[request.param]


TeamFactory = Callable[..., Team]


@pytest.fixture(scope="session")
def make_team(tmp_path_factory: pytest.TempPathFactory) -> TeamFactory:
    """Write a team file and load it: `make_team("name", network={...}, eks={...})`, region us-west-2 by default."""

    def make(name: str, **keys: Any) -> Team:
        path = tmp_path_factory.mktemp("teams") / f"{name}.yaml"
        network = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
        path.write_text(json.dumps({"region": "us-west-2", "network": network} | keys))
        return load_team(path)

    return make


@pytest.fixture
def synthesize(tmp_path: Path) -> Callable[..., dict[str, Synthesized]]:
    """Synthesize teams that only one test looks at."""
    return lambda *teams: synthesize_teams(list(teams), tmp_path / "cdk.out")
