"""Whole templates, one readable JSON file per team and stack."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.conftest import SAMPLES, Synthesized

STACKS_OF_SAMPLES = {
    "bert": ("Network", "Storage", "Cluster", "Nodes"),
    "llama2": ("Network", "Storage", "Batch"),
    "research": ("Network", "Storage", "Cluster", "Nodes", "Batch"),
}


def test_every_sample_has_the_stacks_it_asks_for(samples: dict[str, Synthesized]) -> None:
    assert {name: tuple(sample.templates) for name, sample in samples.items()} == STACKS_OF_SAMPLES
    assert set(STACKS_OF_SAMPLES) == set(SAMPLES)


@pytest.mark.parametrize(("team", "stack"), [(team, stack) for team, own in STACKS_OF_SAMPLES.items() for stack in own])
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
