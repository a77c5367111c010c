"""The pods of a run on EKS, and which of them holds rank 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kubernetes import client

from ops.cluster import PODS, Object, log_lines, objects
from ops.errors import OpsError, RefusedError
from ops.watch.runs import Run
from spec.names import TASK

JOB_NAME_LABEL = "volcano.sh/job-name"
"""Volcano writes it on every pod of a job.
https://github.com/volcano-sh/volcano/blob/v1.15.1/staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/labels.go"""
STARTED = ("Running", "Succeeded", "Failed")
"""Phases of pods that have a log."""

# torchrun says so on each node once all have met; with c10d any node may get group rank 0, which holds global rank 0.
# PyTorch's log format puts time and place, `I1130 10:00:00.000000 7 .../api.py:525]`, before every line of a message;
# where it is switched off the line stands alone. Lines of workers begin with `[default0` and count in neither form.
# https://github.com/pytorch/pytorch/blob/v2.9.0/torch/distributed/elastic/agent/server/api.py
# https://github.com/pytorch/pytorch/blob/v2.9.0/torch/_logging/_internal.py
GROUP_RANK = re.compile(r"^(?!\[\w*\d+(?: rank \d+)?\]:)(?:.*\]\s)?\s*group_rank=(\d+)\s*$")
# That line is lost once the kubelet has rotated a long log. The launcher has torchrun begin each line of a worker with
# its number on its node and in the whole run, `[default3 rank 35]:`; on the node of rank 0 the two are the same.
# https://github.com/pytorch/pytorch/blob/v2.9.0/torch/distributed/elastic/agent/server/local_elastic_agent.py
WORKER = re.compile(r"^\[[a-z_]*(\d+) rank (\d+)\]:")
TAIL_LINES = 200
HEAD_BYTES = 1 << 20
"""How much of a log is read to find rank 0: of its end, where workers print, then of its beginning, where torchrun
does."""


def pods_of(api: client.ApiClient, run: Run) -> list[Object]:
    """Pods of a run, by node."""
    return sorted(objects(api, PODS, run.namespace, labels={JOB_NAME_LABEL: run.id}), key=node_of)


def node_of(pod: Object) -> int:
    """Which node of its run a pod is: N in RUN-TASK-N-0."""
    found = re.search(rf"-{TASK}-(\d+)-\d+$", pod["metadata"]["name"])
    return int(found[1]) if found else 0


def group_rank(lines: Iterable[str]) -> int | None:
    """The rank that torchrun last gave to the node of a log; None before all nodes have met."""
    rank = None
    for line in lines:
        if found := GROUP_RANK.match(line):
            rank = int(found[1])
    return rank


def has_rank_zero(lines: Iterable[str]) -> bool | None:
    """Whether a log is of the node that holds rank 0, by what it says last; None where it does not say."""
    answer = None
    for line in lines:
        if found := WORKER.match(line):
            answer = found[1] == found[2]
        elif found := GROUP_RANK.match(line):
            answer = found[1] == "0"
    return answer


def rank_zero(api: client.ApiClient, pods: Sequence[Object]) -> Object | None:
    """The pod of rank 0; None where no log says so."""
    started = [pod for pod in pods if phase_of(pod) in STARTED]
    unknown = []
    for pod in started:
        answer = has_rank_zero(log_lines(api, pod, tail=TAIL_LINES))
        if answer:
            return pod
        unknown += [pod] if answer is None else []
    return next((pod for pod in unknown if has_rank_zero(log_lines(api, pod, at_most=HEAD_BYTES))), None)


def phase_of(pod: Object) -> str:
    """Pending, Running, Succeeded or Failed."""
    return str(pod.get("status", {}).get("phase", "Pending"))


def pod_at(run: Run, pods: Sequence[Object], node: int) -> Object:
    """The pod of a node; RefusedError where the run has no such node, OpsError where its pod is gone."""
    if not 0 <= node < run.nodes:
        raise RefusedError(f"--node: got {node}, expected 0 to {run.nodes - 1}: the nodes of {run.id}")
    for pod in pods:
        if node_of(pod) == node:
            return pod
    raise OpsError(f"run {run.id}: node {node} has no pod ({run.state}); `trn status` says what the run waits for")
