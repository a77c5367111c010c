"""Rules that join a job file with a team file. Each yields the problems it finds, in terms of the job file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spec import compatibility
from spec.findings import Problem
from spec.hardware import Hardware
from spec.job import Job, division_problems
from spec.job_fields import is_reference
from spec.names import ALLREDUCE_IMAGE
from spec.team import Batch, Eks, Queue, Team


def workers_per_node(job: Job, hardware: Hardware) -> int:
    """torchrun's nproc_per_node: what the job says, or one worker per NeuronCore."""
    return job.workers_per_node or hardware.neuron_cores


def size_problems(job: Job, hardware: Hardware, most: int, where: str) -> Iterator[Problem]:
    kind = hardware.instance_type
    if job.nodes > most:
        yield Problem("error", ("nodes",), str(job.nodes), f"at most {most} ({where} in the team file)")
    if job.nodes > 1 and not hardware.efa_interfaces:
        # https://github.com/aws-neuron/aws-neuron-sdk/issues/742
        yield Problem("error", ("nodes",), str(job.nodes), f"1: {kind} has no EFA, so it trains on one node only")
    workers = workers_per_node(job, hardware)
    if workers > hardware.neuron_cores:
        expected = f"at most {hardware.neuron_cores}, the NeuronCores of a {kind}"
        yield Problem("error", ("workers_per_node",), str(workers), expected)
    elif hardware.neuron_cores % workers:
        expected = f"a number that divides the {hardware.neuron_cores} NeuronCores of a {kind}"
        yield Problem("error", ("workers_per_node",), str(workers), expected)
    elif job.workers_per_node is None:  # a number in the file has been judged with the file
        yield from division_problems(job, workers)


def queue_problems(job: Job, queue: Queue, hardware: Hardware) -> Iterator[Problem]:
    """A job larger than its queue, which Volcano would let wait for ever."""
    # https://github.com/volcano-sh/volcano/issues/3426
    most = queue.neuron_devices // hardware.neuron_devices
    if job.nodes > most:
        expected = (
            f"at most {most}: queue {queue.name} holds {queue.neuron_devices} Neuron devices, and a "
            f"{hardware.instance_type} has {hardware.neuron_devices}"
        )
        yield Problem("error", ("nodes",), str(job.nodes), expected)


def eks_problems(job: Job, team: Team, eks: Eks, *, precompile: bool) -> Iterator[Problem]:
    if job.rendezvous == "etcd" and eks.rendezvous != "etcd":
        yield Problem("error", ("rendezvous",), "etcd", "c10d, or eks.rendezvous: etcd in the team file")
    if job.share is not None:
        yield Problem("warning", ("share",), job.share, "nothing: shares are of Batch")
    if team.storage.lustre is None:
        if job.cache is not None:
            expected = "nothing, or storage.lustre in the team file: a cache must outlive its pods"
            yield Problem("error", ("cache",), job.cache, expected)
        got, expected = (
            "a team without storage.lustre",
            "a script that keeps nothing: what pods write is lost with them",
        )
        yield Problem("warning", ("image",), got, expected)
    yield from precompile_problems(job, precompile=precompile)


def precompile_problems(job: Job, *, precompile: bool) -> Iterator[Problem]:
    if not precompile:
        return
    if job.precompile is None:
        expected = "precompile: {steps: 10} in the job file, for --precompile"
        yield Problem("error", ("precompile",), "nothing", expected)
    if is_reference(job.image) or job.image == ALLREDUCE_IMAGE:
        # Without the entrypoint every node would compile the same graphs into one cache at once.
        expected = "an image of this project that trains, for --precompile: its entrypoint compiles on one node only"
        yield Problem("error", ("image",), job.image, expected)


def batch_problems(job: Job, team: Team, batch: Batch) -> Iterator[Problem]:
    if is_reference(job.image):
        expected = f"one of {', '.join(team.images)}: Batch runs the team's own images, each by its job definition"
        yield Problem("error", ("image",), job.image, expected)
    else:
        yield from _folder_problems(job, team)
    if job.rendezvous == "etcd":
        yield Problem("error", ("rendezvous",), "etcd", "nothing: etcd runs in the cluster; Batch names the main node")
    for key in ("queue", "node_group", "max_retries"):
        if key in job.model_fields_set:
            expected = "nothing: of EKS alone" if key != "max_retries" else "nothing: on Batch batch.attempts counts"
            yield Problem("warning", (key,), str(getattr(job, key)), expected)
    shares = ", ".join(batch.shares)
    if job.share is None and len(batch.shares) > 1:
        yield Problem("error", ("share",), "nothing", f"one of {shares}; the queue is shared")
    elif job.share is not None and job.share not in batch.shares:
        yield Problem(
            "error", ("share",), job.share, f"one of {shares}" if shares else "nothing: the queue has no shares"
        )


def _folder_problems(job: Job, team: Team) -> Iterator[Problem]:
    if job.image not in team.images:
        yield Problem("error", ("image",), job.image, f"one of {', '.join(team.images)} (images of the team file)")


def image_problems(job: Job, team: Team, eks: Eks) -> Iterator[Problem]:
    """An image whose runtime does not work with the nodes' driver; the team's own were judged with the team file."""
    if not is_reference(job.image):
        yield from _folder_problems(job, team)
        return
    # In the tag alone: a repository may be named after an SDK, too.
    version = re.search(r":[^/]*sdk([0-9]+\.[0-9]+\.[0-9]+)[^/]*$", job.image)
    sdk = compatibility.NEURON_SDKS.get(version[1]) if version else None
    node = compatibility.listed_image(eks.node_release(team.neuron_sdk))
    unknown = "whether its runtime fits the nodes' driver is not known"
    if version is None:
        yield Problem("warning", ("image",), job.image, f"a tag with the Neuron SDK, such as -sdk2.28.0-; {unknown}")
    elif sdk is None or node is None:
        known = ", ".join(compatibility.NEURON_SDKS)
        yield Problem("warning", ("image",), job.image, f"one of Neuron SDK {known}, on a listed node image; {unknown}")
    elif not sdk.runs_on(node.driver):
        driver, runtime = (".".join(map(str, it)) for it in (node.driver, sdk.runtime))
        fitting = ", ".join(it.version for it in compatibility.NEURON_SDKS.values() if it.runs_on(node.driver))
        expected = (
            f"an image of Neuron SDK {fitting}: the nodes' driver is {driver}, and runtime {runtime} of SDK "
            f"{sdk.version} does not work with it; or neuron_sdk: {sdk.version} in the team file"
        )
        yield Problem("error", ("image",), job.image, expected)
