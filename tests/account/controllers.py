"""What Volcano and the Job controller do in the stand-in cluster: each request moves things on by a step.

A run is Pending, then Running; a precompile run and a batch/v1 Job then complete, training runs on. Pods start if the
namespace has the claims and the service account that they name. No schedule, no quota, no program: a log says what
the commands look for, and nothing that a program would have found out.
"""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from kubernetes.utils import parse_quantity

from spec.hardware import NEURON_RESOURCE
from spec.names import JobLabel
from tests.account.kubernetes_api import KubernetesApi, Object, Request

VOLCANO = "/apis/batch.volcano.sh/v1alpha1"
SCHEDULING = "/apis/scheduling.volcano.sh/v1beta1"
BUS = "/apis/bus.volcano.sh/v1alpha1"
BATCH = "/apis/batch/v1"
CORE = "/api/v1"


Labelled = tuple[dict[str, str], list[str]]
"""Labels that a controller writes on a pod, and the lines of its log."""


def act(api: KubernetesApi, request: Request) -> tuple[int, Any] | None:
    """Move everything on; an answer where a webhook refuses."""
    for it in _all(api, BATCH, "jobs"):
        _job(api, it)
    for it in _all(api, VOLCANO, "jobs"):
        _run(api, it)
    for queue in _all(api, SCHEDULING, "queues"):
        _queue(api, queue)
    for command in _all(api, BUS, "commands"):
        _obey(api, command)
    if request.method == "POST":
        request.body["metadata"]["creationTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if request.path.startswith(VOLCANO):
            return _admit(api, request.body)
    return None


def _all(api: KubernetesApi, prefix: str, plural: str) -> list[Object]:
    return [it for key, it in api.objects.items() if key[:2] == (prefix, plural)]


def _admit(api: KubernetesApi, job: Object) -> tuple[int, Any] | None:
    """A job is Pending from the start; what Volcano's webhook says where its queue is not there or not open."""
    job["status"] = {"state": {"phase": "Pending"}}
    name = job["spec"]["queue"]
    queue = api.objects.get((SCHEDULING, "queues", "", name))
    if queue is not None and queue.get("status", {}).get("state", "Open") == "Open":
        return None
    return 400, {"kind": "Status", "code": 400, "message": f"can only submit job to an open queue: {name}"}


def _run(api: KubernetesApi, job: Object) -> None:
    """From Pending to Running, and to Completed where it is a precompile run."""
    phase = job["status"]["state"]["phase"]
    if phase == "Pending":
        for number, task in enumerate(job["spec"]["tasks"]):
            more = {"volcano.sh/job-name": _name(job)}, _lines(job, number)
            if not _start(api, job, f"{task['name']}-0", task["template"], more):
                return
        job["status"] = {"state": {"phase": "Running"}}
    elif phase == "Running" and job["metadata"]["labels"].get(JobLabel.PHASE) == "precompile":
        job["status"] = {"state": {"phase": "Completed"}}
        _end_pods(api, job)


def _lines(job: Object, number: int) -> list[str]:
    """A log as torchrun begins it. With c10d any node may get rank 0: here it is the last one."""
    rank = (number + 1) % len(job["spec"]["tasks"])
    stamp = "I1130 10:00:00.000000 7 torch/distributed/elastic/agent/server/api.py:525]"
    return [
        f"{stamp} [default] Rendezvous complete for workers. Result:",
        f"{stamp}   restart_count=0",
        f"{stamp}   group_rank={rank}",
        f"[default0]:stand-in: {_name(job)} began",
    ]


def _job(api: KubernetesApi, job: Object) -> None:
    """A pod, then its end."""
    conditions = job.setdefault("status", {}).setdefault("conditions", [])
    label = {"batch.kubernetes.io/job-name": _name(job)}
    if conditions:
        return
    if not job["status"].get("active"):
        lines = [json.dumps({"bytes": n, "total": 4, "percent": 25 * n}) for n in range(1, 5)]
        job["status"]["active"] = int(_start(api, job, "x7k2p", job["spec"]["template"], (label, lines)))
        return
    conditions.append({"type": "Complete", "status": "True"})
    _end_pods(api, job)


def _start(api: KubernetesApi, owner: Object, suffix: str, template: Object, more: Labelled) -> bool:
    """Whether a pod of a job runs; its owner says what it waits for otherwise."""
    namespace, spec = owner["metadata"]["namespace"], template["spec"]
    labels, lines = more
    claims = [it["persistentVolumeClaim"]["claimName"] for it in spec["volumes"] if "persistentVolumeClaim" in it]
    needs = [*(("persistentvolumeclaims", name) for name in claims), ("serviceaccounts", spec["serviceAccountName"])]
    missing = [f"{plural}/{name}" for plural, name in needs if (CORE, plural, namespace, name) not in api.objects]
    if missing:
        owner["status"].setdefault("state", {})["message"] = f"{namespace} has no {', '.join(missing)}"
        return False
    name = f"{_name(owner)}-{suffix}"
    metadata = {
        "name": name,
        "namespace": namespace,
        "labels": template.get("metadata", {}).get("labels", {}) | labels,
        "ownerReferences": [{"uid": owner["metadata"]["uid"], "kind": "Job", "name": _name(owner)}],
    }
    api.put(CORE, "pods", {"metadata": metadata, "spec": deepcopy(spec), "status": {"phase": "Running"}})
    api.logs[(namespace, name)] = "".join(f"{line}\n" for line in lines)
    return True


def _end_pods(api: KubernetesApi, owner: Object) -> None:
    for pod in _all(api, CORE, "pods"):
        if owner["metadata"]["uid"] in [it["uid"] for it in pod["metadata"].get("ownerReferences", ())]:
            pod["status"]["phase"] = "Succeeded"


def _queue(api: KubernetesApi, queue: Object) -> None:
    """Open unless it was closed, with the devices of what runs in it."""
    running = [it for it in _all(api, VOLCANO, "jobs") if it["status"]["state"]["phase"] == "Running"]
    devices = sum(
        int(parse_quantity(task["template"]["spec"]["containers"][0]["resources"]["limits"].get(NEURON_RESOURCE, "0")))
        for it in running
        if it["spec"]["queue"] == _name(queue)
        for task in it["spec"]["tasks"]
    )
    status = queue.setdefault("status", {})
    status.setdefault("state", "Open")
    status["allocated"] = {NEURON_RESOURCE: str(devices)}


def _obey(api: KubernetesApi, command: Object) -> None:
    """Open or close the queue that a Command is for, and delete the Command."""
    queue = api.objects.get((SCHEDULING, "queues", "", command["target"]["name"]))
    if queue is not None:
        queue["status"]["state"] = {"CloseQueue": "Closed", "OpenQueue": "Open"}[command["action"]]
    metadata = command["metadata"]
    api.objects.pop((BUS, "commands", metadata["namespace"], metadata["name"]))


def _name(it: Object) -> str:
    return str(it["metadata"]["name"])
