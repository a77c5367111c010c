"""Whole templates, one readable JSON file per team and stack."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from spec.team import Team
from spec.team_file import find_team_files, load_team
from tests.conftest import ROOT, Synthesized

TEAMS = {path.stem: load_team(path) for path in find_team_files(ROOT / "teams")}
"""Every team file, yours too: `make snapshots` keeps its templates, so that each change shows in review."""


def stacks_of(team: Team) -> tuple[str, ...]:
    return (
        *("Network", "Storage"),
        *(("Cluster", "Nodes") if team.eks else ()),
        *(("Batch",) if team.batch else ()),
    )


@pytest.mark.parametrize("team", TEAMS)
def test_a_team_has_the_stacks_it_asks_for(team: str, samples: dict[str, Synthesized]) -> None:
    assert tuple(samples[team].templates) == stacks_of(TEAMS[team])


@pytest.mark.parametrize(
    ("team", "stack"), [(name, stack) for name, team in TEAMS.items() for stack in stacks_of(team)]
)
def test_snapshot(team: str, stack: str, samples: dict[str, Synthesized], snapshot: SnapshotAssertion) -> None:
    assert masked(samples[team].templates[stack]) == snapshot.use_extension(JSONSnapshotExtension)


def masked(template: dict[str, Any]) -> Any:
    """The template with manifests spelt out and asset digests masked, which change with each release of aws-cdk-lib."""
    masked: Any = json.loads(re.sub(r"\b[0-9a-f]{64}\b", "<asset>", json.dumps(template)))
    for resource in masked["Resources"].values():
        if "Manifest" in resource.get("Properties", {}):
            resource["Properties"]["Manifest"] = objects(resource["Properties"]["Manifest"])
    return masked


def objects(manifest: Any) -> Any:
    """The Kubernetes objects in the JSON text of a manifest; a value known at deployment only is named in brackets."""
    parts = [manifest] if isinstance(manifest, str) else manifest["Fn::Join"][1]
    return json.loads("".join(part if isinstance(part, str) else f"<{next(iter(part.values()))}>" for part in parts))
