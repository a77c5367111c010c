"""Logs of a run, wherever it runs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from ops.aws import Account, outputs
from ops.console import say
from ops.errors import OpsError
from ops.kube import cluster_api
from ops.watch.batch_logs import BatchLogs
from ops.watch.eks_logs import EksLogs
from ops.watch.runs import UNREACHED, EndedBadlyError, Run, why
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
        for service in ("batch", "logs"):  # boto3 makes clients in one thread only
            account.client(service)
        yield BatchLogs(account, outputs(account, team, StackName.BATCH)[Output.JOB_LOG_GROUP_NAME], run)
    else:
        with cluster_api(account, team) as api:
            yield EksLogs(api, run)


def lines_of_all(logs: Logs, nodes: int, *, follow: bool, tail: int | None) -> Iterator[str]:
    """Lines of every node, each with its node in front: one node after the other, or as they come with `follow`.

    What goes wrong with one node is said and does not end the others; OpsError at the end names the nodes.
    """
    coming: queue.Queue[tuple[int, str | Exception | None]] = queue.Queue(maxsize=1000)

    def pump(nodes: Iterable[int], lines_of: Callable[[int, int | None], Iterator[str]]) -> None:
        for node in nodes:
            try:
                for line in lines_of(node, tail):
                    coming.put((node, f"[node {node}] {line}"))
            except Exception as error:
                coming.put((node, error))
            coming.put((node, None))

    works = [([node], logs.follow) for node in range(nodes)] if follow else [(range(nodes), logs.read)]
    for work in works:
        # Daemons: Ctrl-C does not wait for lines that may take an hour.
        threading.Thread(target=pump, args=work, daemon=True).start()
    failed: list[int] = []
    bad_end = None
    ended = 0
    while ended < nodes:
        node, it = coming.get()
        if isinstance(it, str):
            yield it
        elif it is None:
            ended += 1
        elif isinstance(it, EndedBadlyError):
            bad_end = it
        elif isinstance(it, UNREACHED):
            failed.append(node)
            say(f"node {node}: {why(it)}")
        else:
            raise it
    if failed:
        raise OpsError(f"logs that were not shown to their end: node {', '.join(map(str, sorted(failed)))}")
    if bad_end:
        raise bad_end
