"""Logs of a run, wherever it runs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ops.aws import Account, outputs
from ops.kube import cluster_api
from ops.watch.batch_logs import BatchLogs
from ops.watch.eks_logs import EksLogs
from ops.watch.runs import Run
from spec.names import Output, StackName
from spec.team import Team


class Logs(Protocol):
    """Lines of one node's log; of rank 0's without a node."""

    def read(self, node: int | None, tail: int | None) -> Iterator[str]: ...

    def follow(self, node: int | None, tail: int | None) -> Iterator[str]: ...


@contextmanager
def logs_of(account: Account, team: Team, run: Run) -> Iterator[Logs]:
    """The logs of a run, readable until the context ends."""
    if run.path == "batch":
        yield BatchLogs(account, outputs(account, team, StackName.BATCH)[Output.JOB_LOG_GROUP_NAME], run)
    else:
        with cluster_api(account, team) as api:
            yield EksLogs(api, run)


def lines_of_all(logs: Logs, nodes: int, *, follow: bool, tail: int | None) -> Iterator[str]:
    """Lines of every node, each with its node in front: one node after the other, or as they come with `follow`."""
    if not follow:
        for node in range(nodes):
            yield from (f"[node {node}] {line}" for line in logs.read(node, tail))
        return
    coming: queue.Queue[str | Exception | None] = queue.Queue(maxsize=1000)

    def pump(node: int) -> None:
        try:
            for line in logs.follow(node, tail):
                coming.put(f"[node {node}] {line}")
        except Exception as error:
            coming.put(error)
        coming.put(None)

    for node in range(nodes):
        # Daemons: Ctrl-C does not wait for lines that may take an hour.
        threading.Thread(target=pump, args=(node,), daemon=True).start()
    ended = 0
    while ended < nodes:
        line = coming.get()
        if isinstance(line, Exception):
            raise line
        if line is None:
            ended += 1
        else:
            yield line
