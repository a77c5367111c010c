"""Logs of a run on Batch: CloudWatch Logs, one stream per node and attempt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.console import say
from ops.errors import OpsError, RefusedError
from ops.watch.runs import BATCH_ENDED, Run

PAUSE_SECONDS = 3
"""CloudWatch allows 25 of these requests per second and account.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html"""


def node_job(account: Account, run: Run, node: int) -> dict[str, Any]:
    """What Batch says about one node of a run; node 0 is the main node, which holds rank 0."""
    return node_and_run(account, run, node)[0]


def node_and_run(account: Account, run: Run, node: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What Batch says about a node and about its whole run; a node that has failed may be started anew with it."""
    if not 0 <= node < run.nodes:
        raise RefusedError(f"--node: got {node}, expected 0 to {run.nodes - 1}: the nodes of {run.id}")
    node_id = f"{run.id}#{node}"
    found = {job["jobId"]: job for job in account.client("batch").describe_jobs(jobs=[node_id, run.id])["jobs"]}
    if node_id not in found:
        raise OpsError(f"run {run.id}: Batch has no node {node} yet ({run.state}); {run.reason or 'it waits'}")
    return found[node_id], found.get(run.id, found[node_id])


@dataclass(frozen=True)
class BatchLogs:
    """Logs of one run."""

    account: Account
    group: str
    """Log group of every job of the team."""
    run: Run
    pause: Callable[[float], None] = time.sleep

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
        while True:
            job, whole = node_and_run(self.account, self.run, node or 0)
            if _stream(job) not in (None, stream):
                stream, token = _stream(job), None
            if stream is None and not waiting:
                waiting = True
                say(f"run {self.run.id}: {job['status']}; waiting for its log")
            came = False
            while stream is not None:
                lines, following = self._events(stream, token, tail if token is None else None)
                came = came or bool(lines)
                yield from lines
                if following == token:
                    break
                token, tail = following, None
            if whole["status"] in BATCH_ENDED and not came:
                say(f"run {self.run.id} ended: {whole['status']} {whole.get('statusReason', '')}".rstrip())
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
                "three months"
            ) from None
        return [event["message"] for event in page["events"]], page["nextForwardToken"]


def _stream(job: dict[str, Any]) -> str | None:
    name = job.get("container", {}).get("logStreamName")
    return str(name) if name else None
