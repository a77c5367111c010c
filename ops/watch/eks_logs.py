"""Logs of a run on EKS: one pod's, followed over restarts to the end of the run."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from kubernetes import client
from urllib3.exceptions import HTTPError

from ops.cluster import RUNS, Object, find, log_lines
from ops.console import say
from ops.errors import OpsError
from ops.waiting import Pause
from ops.watch.pods import STARTED, has_rank_zero, phase_of, pod_at, pods_of, rank_zero
from ops.watch.runs import VOLCANO_ENDED, VOLCANO_SUCCEEDED, Run, phase_of_job, tell_end
from spec.names import DATA_PATH, Prefix

PAUSE_SECONDS = 5
UNNAMED = (
    "no log says which node has rank 0: torchrun does once all nodes have met, and a long log may have lost it. "
    "This is node 0; --node shows another"
)
STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S* ")
"""What the kubelet puts before a line: the same number of digits each time, so that later ones sort after earlier."""


@dataclass(frozen=True)
class EksLogs:
    """Logs of one run."""

    api: client.ApiClient
    run: Run
    pause: Pause = time.sleep

    def read(self, node: int | None, tail: int | None) -> Iterator[str]:
        """What the log of a node, or of rank 0, holds now."""
        pods = pods_of(self.api, self.run)
        if not pods:
            raise OpsError(self._gone(self.run.state))
        pod, _ = self._choose(pods, node)
        phase = phase_of(pod)
        if phase not in STARTED:
            raise OpsError(f"{pod['metadata']['name']}: no log yet, the pod is {phase}; `trn status` says why it waits")
        yield from log_lines(self.api, pod, tail=tail)

    def follow(self, node: int | None, tail: int | None) -> Iterator[str]:
        """The same, and what comes, until the run ends; a pod that is made anew is followed from its first line."""
        read: dict[str, str] = {}
        """Time of the last line of each pod that was read, by its uid: lines after that are new."""
        finished: set[str] = set()
        """uids of pods that had ended before their log was read to its end."""
        whole = True
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
                uid, phase = pod["metadata"]["uid"], phase_of(pod)
                if phase in STARTED and uid not in finished:
                    whole = yield from self._stream(pod, read, tail if not read else None, named)
                    finished |= {uid} if whole and phase != "Running" else set()
                elif phase not in STARTED and waiting != uid:
                    waiting = uid
                    say(f"{pod['metadata']['name']}: the pod is {phase}; waiting for its log")
            state = self._state()
            if (state is None or state in VOLCANO_ENDED) and whole:
                if not read:
                    raise OpsError(self._gone(state or "deleted"))
                tell_end(self.run, state or "deleted", succeeded=state == VOLCANO_SUCCEEDED)
                return
            self.pause(PAUSE_SECONDS)

    def _stream(self, pod: Object, read: dict[str, str], tail: int | None, chosen: bool) -> Generator[str, None, bool]:
        """Lines of a pod until its log ends, or it turns out not to be rank 0's; False where the connection broke."""
        uid = pod["metadata"]["uid"]
        last = read.setdefault(uid, "")
        # Asked for to the second, told apart to the nanosecond: none is lost and none comes twice.
        since = f"{found[1]}Z" if (found := STAMP.match(last)) else None
        try:
            for stamped in log_lines(self.api, pod, follow=True, tail=tail, since=since, timestamps=True):
                stamp = found[0] if (found := STAMP.match(stamped)) else ""
                if stamp and stamp <= last:
                    continue
                line = stamped.removeprefix(stamp)
                read[uid] = stamp or read[uid]
                yield line
                if not chosen and has_rank_zero([line]) is False:
                    say(f"{pod['metadata']['name']} does not have rank 0: looking for it")
                    return True
        except HTTPError:
            say(f"{pod['metadata']['name']}: the connection broke; trying again")
            return False
        except client.ApiException as error:
            if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST):  # gone, or not started after all
                raise
        return True

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
        job = find(self.api, RUNS, self.run.id, self.run.namespace)
        return None if job is None else phase_of_job(job)

    def _gone(self, state: str) -> str:
        if self.run.active and state == self.run.state:
            return f"run {self.run.id}: no pods yet ({state}); `trn status` says what it waits for"
        return (
            f"run {self.run.id}: {state}, and its pods are gone with their logs. What the job wrote stays on "
            f"the shared file system: curves in {DATA_PATH}/{Prefix.LOGS}, checkpoints in {DATA_PATH}/"
            f"{Prefix.CHECKPOINTS}; `trn tensorboard` shows the curves"
        )
