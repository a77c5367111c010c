"""Logs of a run on Batch: CloudWatch Logs, one stream per node and attempt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.console import say
from ops.errors import OpsError, RefusedError
from ops.waiting import Pause
from ops.watch.runs import BATCH_ENDED, BATCH_SUCCEEDED, Run, described, tell_end
from spec.names import JOB_LOG_RETENTION

PAUSE_SECONDS = 3
"""CloudWatch allows 25 of these requests per second and account.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html"""
QUIET_ROUNDS = 2
"""Rounds without a line after which the log of a run that has ended is whole: its last lines come after its end."""


def node_job(account: Account, run: Run, node: int) -> dict[str, Any]:
    """What Batch says about one node of a run; OpsError where it does not know the node."""
    job, whole = node_and_run(account, run, node)
    if job is None:
        raise OpsError(_unknown(run, node, whole))
    return job


def node_and_run(account: Account, run: Run, node: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """What Batch says about a node and about its whole run; None of what it does not know: not yet, or not any more.

    Node 0 is the main node, which holds rank 0. A node that has failed may be started anew with the whole run.
    """
    if not 0 <= node < run.nodes:
        raise RefusedError(f"--node: got {node}, expected 0 to {run.nodes - 1}: the nodes of {run.id}")
    node_id = f"{run.id}#{node}"
    found = {job["jobId"]: job for job in described(account, [node_id, run.id])}
    return found.get(node_id), found.get(run.id)


def _unknown(run: Run, node: int, whole: dict[str, Any] | None) -> str:
    state, reason = (whole["status"], whole.get("statusReason", "")) if whole else (run.state, run.reason)
    if state in BATCH_ENDED:
        return f"run {run.id}: Batch does not know its node {node} ({state}); {reason or 'it may never have started'}"
    return f"run {run.id}: Batch has no node {node} yet ({state}); {reason or 'it waits'}"


@dataclass(frozen=True)
class BatchLogs:
    """Logs of one run."""

    account: Account
    group: str
    """Log group of every job of the team."""
    run: Run
    pause: Pause = time.sleep

    def read(self, node: int | None, tail: int | None) -> Iterator[str]:
        """What the log of a node, or of rank 0, holds now."""
        job = node_job(self.account, self.run, node or 0)
        stream = _stream(job)
        if stream is None:
            raise OpsError(
                f"run {self.run.id}: node {node or 0} has no log yet ({job['status']}); {job.get('statusReason', '')}"
            )
        lines, token = self._events(stream, None, tail)
        yield from lines
        while tail is None:
            lines, following = self._events(stream, token, None)
            if following == token:
                return
            yield from lines
            token = following

    def follow(self, node: int | None, tail: int | None) -> Iterator[str]:
        """The same, and what comes, until the run ends; a new attempt is followed from its first line."""
        stream = token = None
        waiting = False
        quiet = 0
        while True:
            job, whole = node_and_run(self.account, self.run, node or 0)
            ended = whole is None or whole["status"] in BATCH_ENDED
            if job is None and stream is None and ended:
                raise OpsError(_unknown(self.run, node or 0, whole))
            if job is not None and _stream(job) not in (None, stream):
                stream, token = _stream(job), None
            if stream is None and not waiting:
                waiting = True
                say(f"run {self.run.id}: node {node or 0}: {job['status'] if job else 'not there yet'}; waiting")
            came = False
            while stream is not None:
                lines, following = self._events(stream, token, tail if token is None else None)
                came = came or bool(lines)
                yield from lines
                if following == token:
                    break
                token, tail = following, None
            quiet = quiet + 1 if ended and not came else 0
            if quiet >= QUIET_ROUNDS:
                state, reason = (
                    (whole["status"], whole.get("statusReason", "")) if whole else ("not known any more", "")
                )
                tell_end(self.run, state, reason, succeeded=state == BATCH_SUCCEEDED)
                return
            self.pause(PAUSE_SECONDS)

    def _events(self, stream: str, token: str | None, tail: int | None) -> tuple[list[str], str | None]:
        """(lines, token of what follows); the token is the one that was given where nothing does yet."""
        wanted: dict[str, Any] = {"startFromHead": tail is None}
        wanted |= {"nextToken": token} if token else {}
        wanted |= {"limit": tail} if tail is not None else {}
        wanted |= {"logGroupName": self.group, "logStreamName": stream}
        try:
            page = self.account.client("logs").get_log_events(**wanted)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            if token is None and self.run.active:
                return [], None  # Batch names the stream before the first line makes it
            raise OpsError(
                f"log stream {stream}: not in log group {self.group} any more, which keeps what a job printed for "
                f"{JOB_LOG_RETENTION.lower().replace('_', ' ')}"
            ) from None
        return [event["message"] for event in page["events"]], page["nextForwardToken"]


def _stream(job: dict[str, Any]) -> str | None:
    name = job.get("container", {}).get("logStreamName")
    return str(name) if name else None
