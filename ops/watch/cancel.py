"""Ending runs before they end by themselves."""

from __future__ import annotations

import time
from collections.abc import Sequence

from kubernetes import client

from ops.aws import Account
from ops.cluster import RUNS, delete, find
from ops.console import confirm, say
from ops.errors import RefusedError, StoppedError, UnfinishedError
from ops.kube import cluster_api
from ops.progress import spinner
from ops.waiting import PATIENCE_TEXT, Pause, StillThereError, Told, age, wait_until_none
from ops.watch.pods import pods_of
from ops.watch.runs import BATCH_ACTIVE, UNREACHED, Run, described, why
from spec.team import Team

REASON = "cancelled with trn"


def delete_run(api: client.ApiClient, run: Run) -> bool:
    """Delete a run's Volcano job; False where it was gone already."""
    return delete(api, RUNS, run.id, run.namespace)


def wait_for_pods(api: client.ApiClient, run: Run, told: Told, pause: Pause) -> None:
    """Until a deleted run has neither a job nor a pod any more; StillThereError names the pods."""

    def left() -> list[str]:
        pods = [pod["metadata"]["name"] for pod in pods_of(api, run)]
        return pods or ([run.id] if find(api, RUNS, run.id, run.namespace) else [])

    wait_until_none(left, told, pause)


def terminate_run(account: Account, run: Run) -> None:
    """Tell Batch to end a job; what has ended stays as it is."""
    account.client("batch").terminate_job(jobId=run.id, reason=REASON)


def wait_for_batch(account: Account, runs: Sequence[Run], told: Told, pause: Pause = time.sleep) -> None:
    """Until Batch says of every run that it has ended; StillThereError names the others."""
    ids = [run.id for run in runs]

    def left() -> list[str]:
        return [job["jobId"] for job in described(account, ids) if job["status"] in BATCH_ACTIVE]

    wait_until_none(left, told, pause)


def describe(run: Run) -> str:
    """A run in a sentence, for whoever is asked about it."""
    place = {"eks": "EKS", "batch": "Batch"}[run.path]
    since = age(run.created)
    return f"{run.id} ({run.job}, {run.phase}): {run.nodes} nodes on {place}, {run.state}, submitted {since} ago"


def cancel_run(account: Account, team: Team, run: Run, *, yes: bool, pause: Pause = time.sleep) -> None:
    """End a run after asking; a run that has ended is left as it is."""
    if not run.active:
        say(f"run {run.id} has ended already: {run.state}; there is nothing to cancel")
        return
    say(describe(run))
    say("What it has computed since its last checkpoint is lost; checkpoints and curves stay.")
    if not confirm(f"Cancel {run.id}?", yes=yes):
        raise RefusedError(f"run {run.id}: not cancelled; it goes on. Without a terminal to ask at, give --yes")
    accepted = False
    try:
        with spinner(f"cancelling {run.id}") as told:
            if run.path == "batch":
                terminate_run(account, run)
                accepted = True
                wait_for_batch(account, [run], told, pause)
            else:
                with cluster_api(account, team) as api:
                    delete_run(api, run)
                    accepted = True
                    wait_for_pods(api, run, told, pause)
    except StillThereError as error:
        raise _unfinished(
            team,
            run,
            f"told to end, but has not after {PATIENCE_TEXT}",
            f"still there: {error.names}",
        ) from None
    except UNREACHED as error:
        if not accepted:
            raise
        raise _unfinished(team, run, why(error), "whether it has ended is not known") from None
    except KeyboardInterrupt:
        if not accepted:
            raise
        raise StoppedError(f"stopped waiting; the cancellation of {run.id} goes on. {_again(team, run)}") from None
    say(f"run {run.id} is cancelled")


def _unfinished(team: Team, run: Run, reason: str, left: str) -> UnfinishedError:
    return UnfinishedError(
        f"run {run.id}: {reason}",
        done=["the cancellation was accepted"],
        left=[left],
        way_on=f"`trn status {team.name}` shows it; {_again(team, run)}",
    )


def _again(team: Team, run: Run) -> str:
    return f"`trn cancel {run.id} --team {team.name}` waits again"
