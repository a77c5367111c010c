"""Cleaning up a team: the plan carried out step by step, each of which may be repeated."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from kubernetes import client

from ops.aws import Account
from ops.cleanup.plan import Named, Plan, StoredImage
from ops.cleanup.queue_state import set_batch_queue, set_volcano_queue
from ops.cluster import CLAIMS, JOBS, PODS, SERVICES, VOLUMES, Kind, Object, delete, find, objects
from ops.console import say
from ops.data.staging import JOB_POD_LABEL
from ops.errors import InterruptedHalfWayError, OpsError, UnfinishedError
from ops.progress import spinner
from ops.waiting import Pause, Told, wait_until_none
from ops.watch.cancel import delete_run, terminate_run, wait_for_batch, wait_for_pods
from ops.watch.pods import phase_of
from ops.watch.runs import UNREACHED, Run, batch_runs, eks_runs, why
from spec.team import Team

DELETED_AT_ONCE = 100
"""https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_BatchDeleteImage.html"""
REFERRED_TO = "ImageReferencedByManifestList"
GONE = "ImageNotFound"
"""https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_ImageFailure.html"""

Step = tuple[str, Callable[[Told], None]]
"""(what is done, doing it)."""


@dataclass(frozen=True)
class CleanUp:
    """Steps for one team, and what they need."""

    account: Account
    team: Team
    api: client.ApiClient | None
    plan: Plan
    pause: Pause = field(default=time.sleep)

    def steps(self) -> Iterator[Step]:
        """In order: nothing new starts while things are deleted, and what uses a thing goes before it."""
        for run in self.plan.runs:
            yield f"cancel run {run.id}", partial(self._cancel, run)
        if self.plan.runs:
            yield "wait until the runs are gone", partial(self._wait, self.plan.runs)
        for name in self.plan.volcano_queues:
            yield f"close queue {name}", partial(self._close, name)
        if self.plan.batch_queue:
            yield f"disable {self.plan.batch_queue}", partial(self._disable, self.plan.batch_queue)
        if self.plan.volcano_queues or self.plan.batch_queue:
            yield "cancel runs that came meanwhile", self._cancel_late_runs
        for job in self.plan.staging_jobs:
            yield f"delete Job {job} and its pods", partial(self._delete_staging, job)
        for claim in self.plan.claims:
            yield f"delete claim {claim}", partial(self._delete_claim, claim)
        for service in self.plan.services:
            yield f"delete Service {service} and its load balancer", partial(self._delete, SERVICES, service)
        for name, images in self.plan.images.items() if self.plan.delete_images else ():
            if images:
                yield f"delete {len(images)} images of {name}", partial(self._delete_images, name, images)

    def _cancel(self, run: Run, _: Told) -> None:
        if run.path == "batch":
            terminate_run(self.account, run)
        else:
            delete_run(self._cluster, run)

    def _wait(self, runs: Sequence[Run], told: Told) -> None:
        for run in runs:
            if run.path == "eks":
                wait_for_pods(self._cluster, run, told, self.pause)
        wait_for_batch(self.account, [run for run in runs if run.path == "batch"], told, self.pause)

    def _cancel_late_runs(self, told: Told) -> None:
        runs = [*(eks_runs(self.api, self.team) if self.api else ())]
        runs += batch_runs(self.account, self.team) if self.plan.batch_queue else []
        late = [run for run in runs if run.active]
        for run in late:
            told(f"cancelling {run.id}")
            self._cancel(run, told)
        self._wait(late, told)

    def _close(self, name: str, told: Told) -> None:
        set_volcano_queue(self._cluster, name, "CloseQueue", told, self.pause)

    def _disable(self, arn: str, _: Told) -> None:
        set_batch_queue(self.account, arn, "DISABLED")

    def _delete(self, kind: Kind, it: Named, told: Told) -> None:
        delete(self._cluster, kind, it.name, it.namespace)
        wait_until_none(lambda: [str(it)] if find(self._cluster, kind, it.name, it.namespace) else [], told, self.pause)

    def _delete_staging(self, job: Named, told: Told) -> None:
        self._delete(JOBS, job, told)
        labels = {JOB_POD_LABEL: job.name}
        wait_until_none(lambda: _names(objects(self._cluster, PODS, job.namespace, labels=labels)), told, self.pause)

    def _delete_claim(self, claim: Named, told: Told) -> None:
        """Until the driver has deleted the file system, too: without a cluster nobody would."""
        delete(self._cluster, CLAIMS, claim.name, claim.namespace)
        wait_until_none(lambda: self._claim_left(claim), told, self.pause)
        wait_until_none(lambda: self._volumes_of(claim), told, self.pause)

    def _claim_left(self, claim: Named) -> list[str]:
        """The claim while it is there, with the pods that hold it."""
        if find(self._cluster, CLAIMS, claim.name, claim.namespace) is None:
            return []
        pods = [pod for pod in objects(self._cluster, PODS, claim.namespace) if _holds(pod, claim)]
        return [f"{claim}, held by pod {', '.join(_names(pods))}" if pods else str(claim)]

    def _volumes_of(self, claim: Named) -> list[str]:
        return [
            f"volume {it['metadata']['name']}"
            for it in objects(self._cluster, VOLUMES)
            if it["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
            and (ref := it["spec"].get("claimRef", {})).get("name") == claim.name
            and ref.get("namespace") == claim.namespace
        ]

    def _delete_images(self, repository: str, images: Sequence[StoredImage], _: Told) -> None:
        """Indexes first; what another manifest still referred to, once more at the end."""
        digests = [image.digest for image in sorted(images, key=lambda image: not image.is_index)]
        failures = self._not_deleted(repository, digests)
        again = [it["imageId"]["imageDigest"] for it in failures if it["failureCode"] == REFERRED_TO]
        failures = [it for it in failures if it["failureCode"] != REFERRED_TO]
        failures += self._not_deleted(repository, again)
        if failures:
            digest, reason = failures[0]["imageId"]["imageDigest"], failures[0]["failureReason"]
            raise OpsError(f"{repository}: {len(failures)} images are not deleted; {digest}: {reason}")

    def _not_deleted(self, repository: str, digests: Sequence[str]) -> list[dict[str, Any]]:
        """Failures of ECR, but for images that are gone."""
        failures: list[dict[str, Any]] = []
        for start in range(0, len(digests), DELETED_AT_ONCE):
            chunk = [{"imageDigest": digest} for digest in digests[start : start + DELETED_AT_ONCE]]
            answer = self.account.client("ecr").batch_delete_image(repositoryName=repository, imageIds=chunk)
            failures += answer.get("failures", ())
        return [it for it in failures if it["failureCode"] != GONE]

    @property
    def _cluster(self) -> client.ApiClient:
        assert self.api is not None
        return self.api


def _names(things: Sequence[Object]) -> list[str]:
    return [it["metadata"]["name"] for it in things]


def _holds(pod: Object, claim: Named) -> bool:
    """Whether a claim stays for a pod: one that has ended holds it no more."""
    volumes = pod["spec"].get("volumes", ())
    names = [volume.get("persistentVolumeClaim", {}).get("claimName") for volume in volumes]
    return claim.name in names and phase_of(pod) not in ("Succeeded", "Failed")


def carry_out(clean_up: CleanUp) -> None:
    """Do every step; UnfinishedError says what was done, what was not, and that running it again goes on."""
    again = f"Run `trn cleanup {clean_up.team.name}` again: it reads what there is and goes on from there"
    do_all([*clean_up.steps()], again)


def do_all(steps: Sequence[Step], again: str) -> None:
    """Do steps in order; UnfinishedError says what was done and what was not."""
    done: list[str] = []
    left = [name for name, _ in steps]
    for name, act in steps:
        try:
            with spinner(name) as told:
                act(told)
        except KeyboardInterrupt:
            raise InterruptedHalfWayError("interrupted", done=done, left=left[len(done) :], way_on=again) from None
        except UNREACHED as error:
            reason = f"{name}: {why(error)}"
            raise UnfinishedError(reason, done=done, left=left[len(done) :], way_on=again) from None
        done.append(name)
        say(f"done: {name}")
