"""The runs of a team: its Volcano jobs and its Batch jobs, told the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Literal

from botocore.exceptions import BotoCoreError, ClientError
from kubernetes import client
from urllib3.exceptions import HTTPError

from ops.aws import Account, explain as explain_aws, outputs
from ops.cluster import RUNS, objects
from ops.console import say
from ops.errors import OpsError, RefusedError
from ops.kube import cluster_api, explain as explain_kubernetes
from spec.field_errors import close_match
from spec.names import DEFAULT_QUEUE, JobLabel, Output, StackName
from spec.team import Team

VOLCANO_SUCCEEDED = "Completed"
VOLCANO_ENDED = (VOLCANO_SUCCEEDED, "Failed", "Terminated", "Aborted")
"""Phases in which a Volcano job has no pods and gets none. https://volcano.sh/en/docs/vcjob/#status"""
BATCH_ACTIVE = ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING")
BATCH_SUCCEEDED = "SUCCEEDED"
BATCH_ENDED = (BATCH_SUCCEEDED, "FAILED")
KEPT = timedelta(days=1)
"""How long an ended Batch job is listed; Batch itself keeps it for seven days."""
UNREACHED = (OpsError, client.ApiException, HTTPError, ClientError, BotoCoreError)
"""Errors by which a path, or a part of what it tells, is not reached."""
DESCRIBED_AT_ONCE = 100
"""https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobs.html"""


@dataclass(frozen=True)
class Run:
    """One start of a job file: a Volcano job or a multi-node Batch job."""

    path: Literal["eks", "batch"]
    id: str
    """Name of the Volcano job, or id of the Batch job."""
    job: str
    """Name of the job file's job."""
    phase: str
    """`training` or `precompile`."""
    state: str
    """Volcano's phase or Batch's status."""
    active: bool
    """Whether it runs, waits, or is on its way out."""
    nodes: int
    queue: str
    namespace: str
    """Of a Volcano job and its pods; empty on Batch."""
    cache: str | None
    created: datetime | None
    reason: str
    """What Volcano or Batch says about the state; often empty."""


def queue_names(team: Team) -> tuple[str, ...]:
    """Volcano queues of a team, which are also the namespaces of its jobs; empty without the EKS path."""
    if team.eks is None:
        return ()
    return tuple(queue.name for queue in team.eks.queues) or (DEFAULT_QUEUE,)


def eks_runs(api: client.ApiClient, team: Team) -> list[Run]:
    """Every Volcano job in the namespaces of the team's queues that the caller may read, newest first."""
    found, refused = [], []
    for queue in queue_names(team):
        try:
            found += [_eks_run(it) for it in objects(api, RUNS, queue)]
        except client.ApiException as error:
            if error.status == HTTPStatus.FORBIDDEN:
                refused.append((queue, error))
            elif error.status != HTTPStatus.NOT_FOUND:  # 404: no Volcano, so no jobs
                raise
    if refused and len(refused) == len(queue_names(team)):
        raise refused[0][1]
    for queue, _ in refused:
        say(f"queue {queue}: left out, you are not one of its researchers")
    return _newest_first(found)


def phase_of_job(job: Mapping[str, Any]) -> str:
    """Volcano's phase of a job; Pending before it has written one."""
    return str(job.get("status", {}).get("state", {}).get("phase") or "Pending")


def _eks_run(job: Mapping[str, Any]) -> Run:
    metadata, spec = job["metadata"], job["spec"]
    state = job.get("status", {}).get("state", {})
    phase = phase_of_job(job)
    labels = metadata.get("labels", {})
    return Run(
        path="eks",
        id=metadata["name"],
        job=labels.get(JobLabel.JOB, metadata["name"]),
        phase=labels.get(JobLabel.PHASE, "training"),
        state=phase,
        active=phase not in VOLCANO_ENDED,
        nodes=sum(task.get("replicas", 1) for task in spec.get("tasks", ())),
        queue=spec.get("queue", metadata["namespace"]),
        namespace=metadata["namespace"],
        cache=labels.get(JobLabel.CACHE),
        created=datetime.fromisoformat(metadata["creationTimestamp"]) if "creationTimestamp" in metadata else None,
        reason=state.get("message") or state.get("reason") or "",
    )


def batch_runs(account: Account, team: Team) -> list[Run]:
    """Every active job in the team's Batch queue, and those that ended in the last day; newest first."""
    queue = outputs(account, team, StackName.BATCH)[Output.JOB_QUEUE_ARN]
    since = (datetime.now(UTC) - KEPT).timestamp() * 1000
    # Without a status Batch lists running jobs alone.
    ids = [
        job["jobId"]
        for status in (*BATCH_ACTIVE, *BATCH_ENDED)
        for job in account.pages("batch", "list_jobs", "jobSummaryList", jobQueue=queue, jobStatus=status)
        if status in BATCH_ACTIVE or job.get("stoppedAt", job["createdAt"]) >= since
    ]
    # A job may be listed under two statuses while it goes from one to the other.
    unique = [*dict.fromkeys(ids)]
    return _newest_first([_batch_run(job, queue) for job in described(account, unique)])


def batch_run(account: Account, team: Team, job_id: str) -> Run | None:
    """A job of the team's queue however long ago it ended, while Batch knows it."""
    queue = outputs(account, team, StackName.BATCH)[Output.JOB_QUEUE_ARN]
    return next((_batch_run(job, queue) for job in described(account, [job_id]) if job["jobQueue"] == queue), None)


def described(account: Account, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What Batch says about jobs; those that it does not know any more are left out."""
    for start in range(0, len(ids), DESCRIBED_AT_ONCE):
        yield from account.client("batch").describe_jobs(jobs=ids[start : start + DESCRIBED_AT_ONCE])["jobs"]


def _batch_run(job: Mapping[str, Any], queue: str) -> Run:
    tags = job.get("tags", {})
    return Run(
        path="batch",
        id=job["jobId"],
        job=tags.get(JobLabel.JOB, job["jobName"]),
        phase=tags.get(JobLabel.PHASE, "training"),
        state=job["status"],
        active=job["status"] in BATCH_ACTIVE,
        nodes=job.get("nodeProperties", {}).get("numNodes", 1),
        queue=queue.rpartition("/")[2],
        namespace="",
        cache=tags.get(JobLabel.CACHE),
        created=datetime.fromtimestamp(job["createdAt"] / 1000, UTC) if "createdAt" in job else None,
        reason=job.get("statusReason", ""),
    )


def all_runs(account: Account, team: Team, cluster_runs: Callable[[], list[Run]] | None = None) -> list[Run]:
    """The runs of every path that the team has, newest first. `cluster_runs`: lists those of the cluster in its stead.

    A path that cannot be reached is said and left out; OpsError where none can.
    """
    listings: dict[str, Callable[[], list[Run]]] = {}
    if team.eks is not None:
        listings["eks"] = cluster_runs or (lambda: _cluster_runs(account, team))
    if team.batch is not None:
        listings["batch"] = lambda: batch_runs(account, team)
    found: list[Run] = []
    unreached = []
    for path, listing in listings.items():
        try:
            found += listing()
        except UNREACHED as error:
            unreached.append(f"{path}: {why(error)}")
    if unreached and len(unreached) == len(listings):
        raise OpsError("\n".join(unreached))
    for text in unreached:
        say(text)
    return _newest_first(found)


def _cluster_runs(account: Account, team: Team) -> list[Run]:
    with cluster_api(account, team) as api:
        return eks_runs(api, team)


def why(error: Exception) -> str:
    """What an error of a path means, in the operator's terms."""
    if isinstance(error, ClientError | BotoCoreError):
        return explain_aws(error)
    return explain_kubernetes(error) if isinstance(error, client.ApiException | HTTPError) else str(error)


class EndedBadlyError(OpsError):
    """A run that was followed to its end has not succeeded."""


def tell_end(run: Run, state: str, reason: str = "", *, succeeded: bool) -> None:
    """Say that a run that is followed has ended; EndedBadlyError where it has not succeeded."""
    text = f"run {run.id} ended: {state} {reason}".rstrip()
    if not succeeded:
        raise EndedBadlyError(text)
    say(text)


def find_run(runs: Sequence[Run], name: str) -> Run:
    """The run with this id, else the newest of the job with this name; RefusedError says what there is."""
    for run in runs:
        if run.id == name:
            return run
    of_job = [run for run in _newest_first(runs) if run.job == name]
    if of_job:
        return of_job[0]
    known = [*dict.fromkeys(word for run in runs for word in (run.id, run.job))]
    close = close_match(name, known)
    raise RefusedError(
        f"run: got {name}, expected the id of a run or the name of its job: "
        f"{', '.join(f'{run.id} ({run.job}, {run.state})' for run in runs) or 'there are none'}"
        + (f"; did you mean {close}?" if close else "")
    )


def _newest_first(runs: Sequence[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: run.created or datetime.now(UTC), reverse=True)
