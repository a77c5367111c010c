"""TorchX's kubernetes scheduler: renders a run, and submits what has been made of it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

from kubernetes import client
from torchx.schedulers.kubernetes_scheduler import KubernetesScheduler, create_scheduler
from torchx.specs import AppDryRunInfo

from ops.launch.container import Launch
from ops.launch.volcano_job import complete
from ops.torchx_component import app_def
from spec.names import TRAINING_SERVICE_ACCOUNT
from spec.placement import EksPlacement


def render(launch: Launch, placement: EksPlacement) -> dict[str, Any]:
    """The Volcano job of a new run, under a name of its own, with placeholders for what a deployment makes."""
    with warnings.catch_warnings():
        # What TorchX says of retries is said as a finding of the job file.
        warnings.simplefilter("ignore")
        info = _scheduler().submit_dryrun(app_def(launch, placement, launch.image), _options(placement))
    resource = client.ApiClient().sanitize_for_serialization(info.request.resource)
    return complete(json.loads(json.dumps(resource)), launch, placement)


def submit(api: client.ApiClient, job: Mapping[str, Any], placement: EksPlacement) -> str:
    """Submit a rendered job and give its run id."""
    scheduler = _scheduler(api)
    request = type("Request", (), {"resource": dict(job), "images_to_push": {}})()
    info: AppDryRunInfo[Any] = AppDryRunInfo(request, repr)
    info._scheduler, info._cfg = scheduler.backend, _options(placement)
    return str(scheduler.schedule(info)).partition(":")[2]


def _scheduler(api: client.ApiClient | None = None) -> KubernetesScheduler:
    return create_scheduler("trn", client=api)


def _options(placement: EksPlacement) -> dict[str, str]:
    name = placement.queue.name
    return {"queue": name, "namespace": name, "service_account": TRAINING_SERVICE_ACCOUNT}
