"""Ending runs before they end by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from kubernetes import client

from ops.aws import Account
from ops.cluster import RUNS, delete, find
from ops.console import confirm, progress, say
from ops.errors import RefusedError, StoppedError, UnfinishedError
from ops.kube import cluster_api
from ops.watch.pods import pods_of
from ops.watch.runs import BATCH_ACTIVE, DESCRIBED_AT_ONCE, Run
from spec.team import Team

PAUSE_SECONDS = 2
PATIENCE = timedelta(minutes=15)
"""Longer than the grace period of any pod here, and than Batch takes to stop a job's containers."""
REASON = "cancelled with trn"

Told = Callable[[str], object]


class StillThereError(Exception):
    """What was told to end has not ended in time."""


def delete_run(api: client.ApiClient, run: Run) -> bool:
    """Delete a run's Volcano job; False where it was gone already."""
    return delete(api, RUNS, run.id, run.queue)


def wait_for_pods(api: client.ApiClient, run: Run, told: Told, pause: Callable[[float], None]) -> None:
    """Until a deleted run has neither a job nor a pod any more; StillThereError names the pods."""

    def left() -> list[str]:
        pods = [pod["metadata"]["name"] for pod in pods_of(api, run)]
        return pods or ([run.id] if find(api, RUNS, run.id, run.queue) else [])

    wait_until_none(left, told, pause)


def terminate_run(account: Account, run: Run) -> None:
    """Tell Batch to end a job; what has ended stays as it is."""
    account.client("batch").terminate_job(jobId=run.id, reason=REASON)


def wait_for_batch(
    account: Account, runs: Sequence[Run], told: Told, pause: Callable[[float], None] = time.sleep
) -> None:
    """Until Batch says of every run that it has ended; StillThereError names the others."""
    ids = [run.id for run in runs]

    def left() -> list[str]:
        jobs = [
            job
            for start in range(0, len(ids), DESCRIBED_AT_ONCE)
            for job in account.client("batch").describe_jobs(jobs=ids[start : start + DESCRIBED_AT_ONCE])["jobs"]
        ]
        return [job["jobId"] for job in jobs if job["status"] in BATCH_ACTIVE]

    wait_until_none(left, told, pause)


def wait_until_none(left: Callable[[], Sequence[str]], told: Told, pause: Callable[[float], None] = time.sleep) -> None:
    """Ask until nothing is left, saying what is; StillThereError after PATIENCE."""
    rounds = int(PATIENCE.total_seconds() / PAUSE_SECONDS)
    for _ in range(rounds):
        names = left()
        if not names:
            return
        told(f"waiting for {', '.join(names)}")
        pause(PAUSE_SECONDS)
    raise StillThereError(", ".join(names))


def age(run: Run, now: datetime | None = None) -> str:
    """How long ago a run was submitted: `3h 5m`."""
    if run.created is None:
        return "unknown"
    minutes = max(int(((now or datetime.now(UTC)) - run.created).total_seconds() // 60), 0)
    days, hours = divmod(minutes // 60, 24)
    parts = [f"{amount}{unit}" for amount, unit in ((days, "d"), (hours, "h"), (minutes % 60, "m")) if amount]
    return " ".join(parts[:2]) or "0m"


def describe(run: Run) -> str:
    """A run in a sentence, for whoever is asked about it."""
    place = {"eks": "EKS", "batch": "Batch"}[run.path]
    return f"{run.id} ({run.job}, {run.phase}): {run.nodes} nodes on {place}, {run.state}, submitted {age(run)} ago"


def cancel_run(
    account: Account, team: Team, run: Run, *, yes: bool, pause: Callable[[float], None] = time.sleep
) -> None:
    """End a run after asking; a run that has ended is left as it is."""
    if not run.active:
        say(f"run {run.id} has ended already: {run.state}; there is nothing to cancel")
        return
    say(describe(run))
    say("What it has computed since its last checkpoint is lost; checkpoints and curves stay.")
    if not confirm(f"Cancel {run.id}?", yes=yes):
        raise RefusedError(f"run {run.id}: not cancelled; it goes on. Without a terminal to ask at, give --yes")
    again = f"`trn cancel {run.id} --team {team.name}`"
    try:
        with progress(f"cancelling {run.id}") as told:
            if run.path == "batch":
                terminate_run(account, run)
                wait_for_batch(account, [run], told, pause)
            else:
                with cluster_api(account, team) as api:
                    delete_run(api, run)
                    wait_for_pods(api, run, told, pause)
    except StillThereError as left:
        raise UnfinishedError(
            f"run {run.id}: told to end, but has not after {PATIENCE.total_seconds() / 60:.0f} minutes",
            done=["the cancellation was accepted"],
            left=[f"still there: {left}"],
            way_on=f"`trn status {team.name}` shows it; {again} waits again",
        ) from None
    except KeyboardInterrupt:
        raise StoppedError(f"stopped waiting; the cancellation of {run.id} goes on. {again} waits again") from None
    say(f"run {run.id} is cancelled")
