"""Logs of a run on EKS: one pod's, followed over restarts to the end of the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from kubernetes import client
from urllib3.exceptions import HTTPError

from ops.cluster import RUNS, Object, find, log_lines
from ops.console import say
from ops.errors import OpsError
from ops.watch.pods import GROUP_RANK, STARTED, pod_at, pods_of, rank_zero
from ops.watch.runs import VOLCANO_ENDED, Run
from spec.names import DATA_PATH, Prefix

PAUSE_SECONDS = 5
UNNAMED = "rank 0 is not known yet: torchrun names it once all nodes have met. This is node 0."


@dataclass(frozen=True)
class EksLogs:
    """Logs of one run."""

    api: client.ApiClient
    run: Run
    pause: Callable[[float], None] = time.sleep

    def read(self, node: int | None, tail: int | None) -> Iterator[str]:
        """What the log of a node, or of rank 0, holds now."""
        pods = pods_of(self.api, self.run)
        if not pods:
            raise OpsError(self._gone(self.run.state))
        pod, _ = self._choose(pods, node)
        phase = _phase(pod)
        if phase not in STARTED:
            raise OpsError(f"{pod['metadata']['name']}: no log yet, the pod is {phase}; `trn status` says why it waits")
        yield from log_lines(self.api, pod, tail=tail)

    def follow(self, node: int | None, tail: int | None) -> Iterator[str]:
        """The same, and what comes, until the run ends; a pod that is made anew is followed from its first line."""
        read: dict[str, float] = {}
        """When a pod was last heard of, by its uid: lines after that are new."""
        before: list[str] = []
        """uids of the pods among which rank 0 was last looked for."""
        waiting = ""
        pod: Object | None = None
        named = False
        while True:
            pods = pods_of(self.api, self.run)
            uids = [it["metadata"]["uid"] for it in pods]
            if pods and (uids != before or not named):
                pod, named = self._choose(pods, node, quiet=uids == before)
                before = uids
            if pods and pod is not None:
                pod = next((it for it in pods if it["metadata"]["uid"] == pod["metadata"]["uid"]), pod)
                uid, phase = pod["metadata"]["uid"], _phase(pod)
                if phase in STARTED and not (uid in read and phase != "Running"):
                    yield from self._stream(pod, read, tail if not read else None, named)
                elif phase not in STARTED and waiting != uid:
                    waiting = uid
                    say(f"{pod['metadata']['name']}: the pod is {phase}; waiting for its log")
            state = self._state()
            if state is None or state in VOLCANO_ENDED:
                if not read:
                    raise OpsError(self._gone(state or "deleted"))
                say(f"run {self.run.id} ended: {state or 'deleted'}")
                return
            self.pause(PAUSE_SECONDS)

    def _stream(self, pod: Object, read: dict[str, float], tail: int | None, chosen: bool) -> Iterator[str]:
        """Lines of a pod until its log ends, the connection breaks, or it turns out not to be rank 0's."""
        uid = pod["metadata"]["uid"]
        # A second too much repeats a line; one too few would lose it.
        since = int(time.monotonic() - read[uid]) + 1 if uid in read else None
        try:
            for line in log_lines(self.api, pod, follow=True, tail=tail, since_seconds=since):
                read[uid] = time.monotonic()
                yield line
                if not chosen and (found := GROUP_RANK.match(line)) and found[1] != "0":
                    say(f"{pod['metadata']['name']} has group rank {found[1]}: looking for rank 0")
                    return
        except HTTPError:
            say(f"{pod['metadata']['name']}: the connection broke; trying again")
        except client.ApiException as error:
            if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST):  # gone, or not started after all
                raise
        read[uid] = time.monotonic()

    def _choose(self, pods: list[Object], node: int | None, *, quiet: bool = False) -> tuple[Object, bool]:
        """(pod to show, whether it is the one that was asked for); node 0 where rank 0 is not known."""
        if node is not None:
            return pod_at(self.run, pods, node), True
        found = rank_zero(self.api, pods)
        if found is not None:
            return found, True
        if not quiet:
            say(UNNAMED)
        return pod_at(self.run, pods, 0), False

    def _state(self) -> str | None:
        job = find(self.api, RUNS, self.run.id, self.run.queue)
        return None if job is None else str(job.get("status", {}).get("state", {}).get("phase", "Pending"))

    def _gone(self, state: str) -> str:
        if self.run.active and state == self.run.state:
            return f"run {self.run.id}: no pods yet ({state}); `trn status` says what it waits for"
        return (
            f"run {self.run.id}: {state}, and its pods are gone with their logs. What the job wrote stays on "
            f"the shared file system: curves in {DATA_PATH}/{Prefix.LOGS}, checkpoints in {DATA_PATH}/"
            f"{Prefix.CHECKPOINTS}; `trn tensorboard` shows the curves"
        )


def _phase(pod: Object) -> str:
    return str(pod.get("status", {}).get("phase", "Pending"))
