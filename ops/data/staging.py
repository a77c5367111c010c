"""Staging the BERT dataset: starts the Job, or finds it running, and follows it to its end."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from http import HTTPStatus

from kubernetes import client
from urllib3.exceptions import HTTPError

from ops.cluster import JOBS, PODS, Object, create, delete, find, log_lines, objects
from ops.console import say
from ops.data.staging_job import DESTINATION, HOURS_KEPT, NAME, bert_job
from ops.errors import OpsError, RefusedError, StoppedError
from ops.progress import bar, spinner
from ops.teams import eks_of
from ops.waiting import Pause, wait_until_none
from ops.watch.pods import phase_of
from spec.names import SHELL_IMAGE
from spec.team import Team

PAUSE_SECONDS = 3
LAST_LINES = 15
JOB_POD_LABEL = "batch.kubernetes.io/job-name"
"""https://kubernetes.io/docs/reference/labels-annotations-taints/#batch-kubernetes-io-job-name"""
PULL_FAILED = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName")
Shown = Callable[[int, int | None], None]


def namespace_for(team: Team, queue: str | None) -> str:
    """Namespace of the Job: that of a queue, which has a claim; RefusedError where there is none."""
    eks = eks_of(team)
    if team.storage.lustre is None:
        raise RefusedError(f"{team.path}: storage.lustre: got none, expected the file system that the data goes to")
    names = [it.name for it in eks.queues]
    if not names:
        raise RefusedError(f"{team.path}: eks.queues: got none, expected a queue: its namespace has the claim")
    if queue is not None and queue not in names:
        raise RefusedError(f"--queue: got {queue}, expected one of {', '.join(names)}")
    return queue or names[0]


def stage_bert(api: client.ApiClient, team: Team, namespace: str, image: str, pause: Pause = time.sleep) -> None:
    """Have the dataset staged and wait for it; OpsError where it fails, StoppedError after Ctrl-C."""
    again = f"trn data stage bert --team {team.name} --queue {namespace}"
    try:
        if _start(api, namespace, image, pause):
            _follow(api, team, namespace, again, pause)
    except KeyboardInterrupt:
        raise StoppedError(
            f"stopped watching; Job {NAME} in namespace {namespace} goes on. Watch it again: `{again}`"
        ) from None


def _start(api: client.ApiClient, namespace: str, image: str, pause: Pause) -> bool:
    """Whether there is a Job to follow; one that has failed is made anew, one that is done is not."""
    job = find(api, JOBS, NAME, namespace)
    if job is not None and _condition(job, "Complete"):
        say(f"staged already: {DESTINATION}; Job {NAME} is kept for {HOURS_KEPT} h after its end, then it can run anew")
        return False
    if job is not None and _condition(job, "Failed"):
        say(f"Job {NAME} in namespace {namespace} failed before: it is made anew, and starts from the beginning")
        delete(api, JOBS, NAME, namespace)
        with spinner(f"deleting the Job {NAME} that failed") as told:
            wait_until_none(partial(_left, api, namespace), told, pause)
        job = None
    if job is not None:
        say(f"Job {NAME} in namespace {namespace} runs already")
        return True
    try:
        create(api, JOBS, bert_job(namespace, image), namespace)
    except client.ApiException as error:
        if error.status == HTTPStatus.FORBIDDEN:
            raise OpsError(
                f"not allowed to create a Job in namespace {namespace}: researchers start Volcano jobs only; data is "
                "staged by one of eks.admins"
            ) from None
        if error.status != HTTPStatus.CONFLICT:  # somebody else was quicker: theirs is followed
            raise
    return True


def _left(api: client.ApiClient, namespace: str) -> list[str]:
    return [f"Job {NAME}"] if find(api, JOBS, NAME, namespace) else []


def _follow(api: client.ApiClient, team: Team, namespace: str, again: str, pause: Pause) -> None:
    last: deque[str] = deque(maxlen=LAST_LINES)
    read: set[str] = set()
    waits = ""
    with bar("staging bert", None) as shown:
        while True:
            pod = _newest_pod(api, namespace)
            if pod is not None and _state(pod) != waits:
                waits = _state(pod)
                _say_why_it_waits(pod, team, waits)
            uid = pod["metadata"]["uid"] if pod else ""
            phase = phase_of(pod) if pod else ""
            if pod is not None and (phase == "Running" or (phase in ("Succeeded", "Failed") and uid not in read)):
                _show(api, pod, shown, last)
                read.add(uid)
            job = find(api, JOBS, NAME, namespace)
            if job is None:
                raise OpsError(f"Job {NAME} in namespace {namespace} was deleted; start it again: `{again}`")
            if _condition(job, "Complete"):
                break
            if failed := _condition(job, "Failed"):
                raise OpsError(
                    "\n    ".join([f"staging failed: {failed.get('message', failed.get('reason', ''))}", *last])
                    + f"\nFetch it from the beginning with `{again}`"
                )
            pause(PAUSE_SECONDS)
    say(f"staged: {DESTINATION}")


def _show(api: client.ApiClient, pod: Object, shown: Shown, last: deque[str]) -> None:
    try:
        for line in log_lines(api, pod, follow=True):
            figures = progress_in(line)
            if figures:
                shown(*figures)
            else:
                last.append(line)
    except HTTPError:
        say("the connection to the log broke; trying again")
    except client.ApiException as error:
        if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST):
            raise


def progress_in(line: str) -> tuple[int, int | None] | None:
    """(bytes so far, total) in a line of the staging program; None for a line that says something else."""
    try:
        it = json.loads(line)
        return int(it["bytes"]), int(it["total"]) if it.get("total") else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _newest_pod(api: client.ApiClient, namespace: str) -> Object | None:
    pods = objects(api, PODS, namespace, labels={JOB_POD_LABEL: NAME})
    return max(pods, key=lambda pod: pod["metadata"]["creationTimestamp"], default=None)


def _state(pod: Object) -> str:
    """Phase of a pod, or why its container waits."""
    for container in pod.get("status", {}).get("containerStatuses", ()):
        if reason := container.get("state", {}).get("waiting", {}).get("reason"):
            return str(reason)
    return phase_of(pod)


def _say_why_it_waits(pod: Object, team: Team, state: str) -> None:
    if state in PULL_FAILED:
        image = pod["spec"]["containers"][0].get("image", SHELL_IMAGE)
        say(f"{state}: {image} cannot be pulled; push it: `trn images push {team.name} {SHELL_IMAGE}`")
    elif state != "Running":
        say(f"pod {pod['metadata']['name']}: {state}")


def _condition(job: Object, kind: str) -> dict[str, str]:
    conditions = job.get("status", {}).get("conditions", ())
    return next((it for it in conditions if it["type"] == kind and it["status"] == "True"), {})
