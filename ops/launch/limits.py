"""Whether what is sent for a run is small enough for everything on its way, told before it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ops.errors import RefusedError
from ops.launch.container import Launch
from spec.launch_limits import ARGUMENT, BATCH_OVERRIDES, KUBERNETES_OBJECT
from spec.output_values import with_slots

LONGEST_VALUE = "x" * 63
"""Of an output that stands in a job's overrides: a bucket's name."""


def check_request_size(launch: Launch, request: Mapping[str, Any]) -> None:
    """RefusedError where Batch would take a SubmitJob request and then fail its job."""
    for override in request["nodeOverrides"]["nodePropertyOverrides"]:
        filled = with_slots(override["containerOverrides"], lambda _: LONGEST_VALUE)
        _check(launch, len(json.dumps(filled)), BATCH_OVERRIDES, "characters of container overrides on Batch")


def check_job_size(launch: Launch, job: Mapping[str, Any]) -> None:
    """RefusedError where no node could start a Volcano job's command, or etcd could not hold the job."""
    for task in job["spec"]["tasks"]:
        (container,) = task["template"]["spec"]["containers"]
        _check(launch, len(container["command"][-1].encode()), ARGUMENT, "bytes of one command line")
    _check(launch, len(json.dumps(job).encode()), KUBERNETES_OBJECT, "bytes of one object in the cluster")


def _check(launch: Launch, size: int, most: int, what: str) -> None:
    if size > most:
        raise RefusedError(
            f"{launch.job.path}: args and env: got {size} {what}, expected at most {most}; "
            "put long values into a file of the image or the dataset"
        )
