"""The Volcano job of a run: what TorchX renders, completed where it leaves gaps."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ops.launch.container import Launch
from spec.names import NEURON_TAINT, JobEnv, NodeLabel
from spec.placement import EksPlacement

GRACE_SECONDS = 120
"""From SIGTERM to SIGKILL; the entrypoint needs half a minute to end torchrun and copy what is not copied yet."""

RETRY_COUNT = "metadata.annotations['volcano.sh/job-retry-count']"
"""Annotation that Volcano gives each pod it makes; from 0.
https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/controllers/job/job_controller_util.go"""


def complete(resource: Mapping[str, Any], launch: Launch, placement: EksPlacement) -> dict[str, Any]:
    """The whole Volcano job, from the one of TorchX's kubernetes scheduler."""
    job = copy.deepcopy(dict(resource))
    job["metadata"] |= {"namespace": placement.queue.name, "labels": launch.labels}
    for task in job["spec"]["tasks"]:
        _complete_pod(task["template"], launch, placement)
        # Said once, for the whole job.
        task.pop("policies", None)
        task.pop("maxRetry", None)
    job["spec"] |= {
        # All nodes or none: a part of them would hold devices and wait.
        "minAvailable": launch.job.nodes,
        "maxRetry": launch.job.max_retries + 1,
        "policies": _policies(launch),
        "ttlSecondsAfterFinished": launch.job.ttl_hours * 3600,
    }
    return job


def _policies(launch: Launch) -> list[dict[str, Any]]:
    """When one pod is gone the others wait for it in a collective for ever, on nodes that are paid for.

    Volcano counts the restarts and gives up when they reach maxRetry, so that is one more than the retries.
    https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/controllers/job/state/restarting.go
    """
    action = "RestartJob" if launch.job.max_retries else "TerminateJob"
    return [{"events": ["PodFailed", "PodEvicted"], "action": action}]


def _complete_pod(template: dict[str, Any], launch: Launch, placement: EksPlacement) -> None:
    hardware, group = launch.hardware, placement.node_group
    template["metadata"]["labels"] |= launch.labels
    spec = template["spec"]
    spec["automountServiceAccountToken"] = False
    spec["enableServiceLinks"] = False
    spec["nodeSelector"] |= {NodeLabel.NODE_GROUP.value: group.name}
    spec["terminationGracePeriodSeconds"] = GRACE_SECONDS
    if group.taint:
        spec["tolerations"] = [{"key": NEURON_TAINT, "operator": "Exists", "effect": "NoSchedule"}]
    for volume in spec["volumes"]:
        if "emptyDir" in volume:
            volume["emptyDir"]["sizeLimit"] = f"{hardware.shared_memory_mib}Mi"
    (container,) = spec["containers"]
    container["imagePullPolicy"] = "IfNotPresent"
    # What the program said last is then in the pod's status, after its log is gone too.
    container["terminationMessagePolicy"] = "FallbackToLogsOnError"
    container["securityContext"] = {"allowPrivilegeEscalation": False}
    # Limits alone. The API server takes them for requests when it stores a pod; Volcano, which looks at the template
    # before there is a pod, would wait for a node of that size and never ask for one.
    container["resources"] = {"limits": container["resources"]["limits"] | {"memory": f"{hardware.pod_memory_mib}Mi"}}
    container["env"].append({"name": JobEnv.ATTEMPT.value, "valueFrom": {"fieldRef": {"fieldPath": RETRY_COUNT}}})
