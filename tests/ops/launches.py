"""Sample jobs on teams of every instance type, as they are launched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from ops.launch.batch_job import submit_request
from ops.launch.container import Launch
from ops.launch.torchx_scheduler import render
from spec.hardware import HARDWARE, Hardware
from spec.job import Job
from spec.job_file import load_job
from spec.names import RUN_SUFFIX_LENGTH
from spec.output_values import placeholder, with_slots
from spec.placement import place_on_batch, place_on_eks
from spec.team import Team
from spec.team_file import load_team
from tests.conftest import ROOT

JOBS = {path.stem: path for path in sorted((ROOT / "jobs").glob("*.yaml"))}
SUFFIX = "x" * RUN_SUFFIX_LENGTH


def team_of(row: Hardware, folder: Path, **eks: Any) -> Team:
    """A team with both paths on one instance type, large enough for every sample job."""
    nodes = 4 if row.efa_interfaces else 1
    region, zones = next(iter(row.zone_ids.items()))
    group = {"name": "trn", "instance_type": row.instance_type, "max": nodes, "desired": 0}
    keys = {
        "region": region,
        "network": {"training_zone": zones[0], "second_zone": f"{zones[0][:-1]}9"},
        "storage": {"lustre": {}},
        "eks": {
            "admins": ["arn:aws:iam::111122223333:role/Admin"],
            "node_groups": [group],
            "queues": [{"name": "research", "neuron_devices": nodes * row.neuron_devices}],
        }
        | eks,
        "batch": {"instance_type": row.instance_type, "max_nodes": nodes},
    }
    path = folder / "ours.yaml"
    path.write_text(json.dumps(keys))
    return load_team(path)


def sample_job(name: str, row: Hardware) -> Job:
    """A sample job with one worker per core, on as many nodes as the type can join."""
    job = load_job(JOBS[name])
    nodes = job.nodes if row.efa_interfaces else 1
    return job.model_copy(update={"workers_per_node": None, "nodes": nodes})


@contextmanager
def fixed_suffix(suffix: str = SUFFIX) -> Iterator[None]:
    """TorchX with no chance in it."""
    with mock.patch("torchx.schedulers.ids.random_id", return_value=suffix):
        yield


def rendered(job: Job, team: Team, *, precompile: bool = False) -> dict[str, Any]:
    """The Volcano job of a run, under a fixed name."""
    placement, _ = place_on_eks(job, team, precompile=precompile)
    with fixed_suffix():
        return shown(render(Launch(job, team, placement.hardware, precompile), placement))


def requested(job: Job, team: Team, *, precompile: bool = False, after: str | None = None) -> dict[str, Any]:
    """The SubmitJob request of a run, as a dry run shows it."""
    placement, _ = place_on_batch(job, team, precompile=precompile)
    launch = Launch(job, team, placement.hardware, precompile)
    return shown(submit_request(launch, share=placement.share, after=after))


def shown(sent: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = with_slots(sent, placeholder)
    return found


def containers(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The container of each pod, in the order of the nodes."""
    return [task["template"]["spec"]["containers"][0] for task in job["spec"]["tasks"]]


def variables(container: dict[str, Any]) -> dict[str, str]:
    """Environment of a container, but for what Kubernetes fills in."""
    return {it["name"]: it["value"] for it in container["env"] if "value" in it}


ROWS = list(HARDWARE.values())
EFA_ROW = HARDWARE["trn1.32xlarge"]
