"""Jobs, queues and the rest against our own definitions: what is right passes, what is misspelt does not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from k8s_charts.render import Objects
from tests.k8s.validation import pod_template_errors, problems

NEWEST = "1.36"

POD = {
    "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
    "spec": {
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "worker",
                "image": "example.com/bert:1",
                "command": ["bash", "-c", "torchrun train.py"],
                "resources": {"limits": {"aws.amazon.com/neuron": "16", "vpc.amazonaws.com/efa": "8"}},
            }
        ],
    },
}
RESTART = [{"action": "RestartJob", "event": "PodEvicted"}, {"action": "RestartJob", "event": "PodFailed"}]
JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "bert", "namespace": "research"},
    "spec": {
        "schedulerName": "volcano",
        "queue": "research",
        "minAvailable": 2,
        "maxRetry": 3,
        "ttlSecondsAfterFinished": 3600,
        "priorityClassName": "urgent",
        "plugins": {"svc": ["--publish-not-ready-addresses"], "env": []},
        "policies": RESTART,
        "tasks": [
            {"name": f"worker-{index}", "replicas": 1, "maxRetry": 3, "policies": RESTART, "template": POD}
            for index in range(2)
        ],
    },
}
QUEUE: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "research"},
    "spec": {
        "weight": 2,
        "reclaimable": False,
        "parent": "root",
        "capability": {"aws.amazon.com/neuron": 32, "memory": "1.5Ti"},
        "deserved": {"aws.amazon.com/neuron": "16"},
        "guarantee": {"resource": {"aws.amazon.com/neuron": 16}},
    },
}
POD_GROUP: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "bert"},
    "spec": {
        "minMember": 2,
        "minTaskMember": {"worker-0": 1},
        "queue": "research",
        "minResources": {"cpu": "200m", "pods": 2},
        "priorityClassName": "urgent",
    },
    "status": {"phase": "Running", "running": 2, "anything": {"else": True}},
}
HYPER_NODE: dict[str, Any] = {
    "apiVersion": "topology.volcano.sh/v1alpha1",
    "kind": "HyperNode",
    "metadata": {"name": "spine"},
    "spec": {"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": "node-0"}}}]},
}
JOB_FLOW: dict[str, Any] = {
    "apiVersion": "flow.volcano.sh/v1alpha1",
    "kind": "JobFlow",
    "metadata": {"name": "flow"},
    "spec": {"jobRetainPolicy": "retain", "flows": [{"name": "a"}, {"name": "b", "dependsOn": {"targets": ["a"]}}]},
}
COMMAND: dict[str, Any] = {
    "apiVersion": "bus.volcano.sh/v1alpha1",
    "kind": "Command",
    "metadata": {"name": "abort"},
    "action": "AbortJob",
    "target": {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "bert"},
}


@pytest.mark.parametrize("it", [JOB, QUEUE, POD_GROUP, HYPER_NODE, JOB_FLOW, COMMAND], ids=lambda it: it["kind"])
def test_good(it: dict[str, Any], crds: Objects) -> None:
    assert problems([it], version=NEWEST, definitions=crds) == []


@pytest.mark.parametrize(
    "amount", [0, 16, "16", "100m", "1.5Ti", "512Gi", "1e3", ".5", "+2", "-1", "3E", "12.", "1E-3"]
)
def test_amounts(amount: int | str, crds: Objects) -> None:
    assert problems([with_field(QUEUE, "spec.capability.cpu", amount)], version=NEWEST, definitions=crds) == []


def with_field(it: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one field set; a number in the dotted path is an index."""
    copy = deepcopy(it)
    *parents, last = path.split(".")
    place: Any = copy
    for part in parents:
        place = place[int(part) if part.isdigit() else part]
    place[last] = value
    return copy


@pytest.mark.parametrize(
    ("it", "path", "value"),
    [
        (JOB, "spcc", {}),
        (JOB, "spec.queu", "research"),
        (JOB, "spec.minAvailable", "two"),
        (JOB, "spec.minAvalable", 2),
        (JOB, "spec.ttlSecondsAfterFinish", 60),
        (JOB, "spec.maxRetries", 3),
        (JOB, "spec.priorityClass", "urgent"),
        (JOB, "spec.plugins", {"svc": "--publish-not-ready-addresses"}),
        (JOB, "spec.plugins", ["svc"]),
        (JOB, "spec.policies.0.events", "PodFailed"),
        (JOB, "spec.policies.0.evnt", "PodFailed"),
        (JOB, "spec.tasks", {"worker": {}}),
        (JOB, "spec.tasks.0.replica", 1),
        (JOB, "spec.tasks.0.replicas", "1"),
        (JOB, "spec.tasks.0.minavailable", 1),
        (JOB, "spec.tasks.1.templates", POD),
        (JOB, "spec.tasks.1.template", "bert"),
        (JOB, "spec.tasks.1.policies.0.exitcode", 137),
        (QUEUE, "spec.wieght", 1),
        (QUEUE, "spec.weight", "1"),
        (QUEUE, "spec.reclaimable", "false"),
        (QUEUE, "spec.capabilities", {"cpu": 1}),
        (QUEUE, "spec.capability.cpu", "two"),
        (QUEUE, "spec.capability.cpu", "16 devices"),
        (QUEUE, "spec.capability.cpu", 1.5),
        (QUEUE, "spec.capability.memory", "512GB"),
        (QUEUE, "spec.guarantee", {"cpu": 1}),
        (POD_GROUP, "spec.minMembers", 2),
        (POD_GROUP, "spec.minResources", {"cpu": True}),
        (HYPER_NODE, "spec.members.0.type", "node"),
        (HYPER_NODE, "spec.members.0.selector.exact", {}),
        (JOB_FLOW, "spec.flows.0.dependOn", {}),
        (COMMAND, "actions", "AbortJob"),
    ],
)
def test_misspelt(it: dict[str, Any], path: str, value: Any, crds: Objects) -> None:
    assert problems([with_field(it, path, value)], version=NEWEST, definitions=crds)


def test_message(crds: Objects) -> None:
    assert problems([with_field(JOB, "spec.tasks.0.replica", 1)], version=NEWEST, definitions=crds) == [
        "Job/bert: spec.tasks.0: Additional properties are not allowed ('replica' was unexpected)"
    ]


def test_a_kind_that_nobody_defines(crds: Objects) -> None:
    for it in ({**JOB, "apiVersion": "batch.volcano.sh/v1beta1"}, {**QUEUE, "kind": "Queues"}):
        assert problems([it], version=NEWEST, definitions=crds)


def test_pod_templates_are_judged_as_pods() -> None:
    assert pod_template_errors(POD, NEWEST) == []
    assert pod_template_errors(with_field(POD, "spec.container", []), NEWEST)
    assert pod_template_errors(with_field(POD, "spec.containers.0.resources.limit", {}), NEWEST)
    assert pod_template_errors({"spec": {}}, NEWEST)
