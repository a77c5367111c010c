"""What a job's container is told, the same on both paths but for where things lie: environment and command."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from spec.hardware import Hardware
from spec.job import Job
from spec.job_fields import is_reference
from spec.job_rules import workers_per_node
from spec.names import (
    DATA_PATH,
    JOB_COMMAND,
    JOIN_TIMEOUT_SECONDS,
    LOG_LINE_PREFIX,
    PRECOMPILE_SUFFIX,
    RENDEZVOUS_PORT,
    JobEnv,
    JobLabel,
    Output,
    Prefix,
    repository_uri_output,
)
from spec.output_values import slot
from spec.team import Team

DIGEST_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Launch:
    """One run of a job: what all that is sent for it is made from."""

    job: Job
    team: Team
    hardware: Hardware
    precompile: bool = False
    """Whether this run fills the compile cache instead of training."""

    @property
    def app(self) -> str:
        """Name of the run before it is made unique."""
        return self.job.name + (PRECOMPILE_SUFFIX if self.precompile else "")

    @property
    def workers(self) -> int:
        """torchrun's nproc_per_node."""
        return workers_per_node(self.job, self.hardware)

    @property
    def image(self) -> str:
        """Image reference; of an image of the team its repository is known after the deployment only."""
        if is_reference(self.job.image):
            return self.job.image
        return f"{slot(repository_uri_output(self.job.image))}:{self.team.image_tag}"

    @property
    def labels(self) -> dict[str, str]:
        """Labels, or tags, by which the run is found again."""
        cache = {JobLabel.CACHE.value: self.job.cache} if self.job.cache is not None else {}
        phase = "precompile" if self.precompile else "training"
        return {JobLabel.JOB.value: self.job.name, JobLabel.PHASE.value: phase} | cache


def shared_directory(team: Team) -> str | None:
    """Where pods see the shared file system; None without one."""
    return DATA_PATH if team.storage.lustre is not None else None


BUCKET_URI = f"s3://{slot(Output.BUCKET_NAME)}"
"""Where a Batch job finds what pods find on the shared file system."""


def environment(launch: Launch, root: str | None, *, queue: str | None = None) -> dict[str, str]:
    """Variables of every node.

    `root`: directory or s3:// URI of datasets, cache, checkpoints and logs, if any. `queue`: queue whose caches are
    apart from those of others, whose runs it may not see.
    """
    job = launch.job
    variables = {
        JobEnv.JOB.value: job.name,
        JobEnv.NODES.value: str(job.nodes),
        JobEnv.BF16.value: str(int(job.bf16)),
        # torchrun then says which of its nodes has rank 0.
        "LOGLEVEL": "INFO",
        # Lines of a worker tell its rank, too: the head of a long log, where torchrun names it, is not kept.
        "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": LOG_LINE_PREFIX,
        # Or a line of a worker stays in torchrun's buffer until 8 KiB have come.
        "PYTHONUNBUFFERED": "1",
    }
    if root is not None:
        variables |= {
            JobEnv.DATASETS.value: f"{root}/{Prefix.DATASETS.rstrip('/')}",
            JobEnv.CHECKPOINTS.value: f"{root}/{Prefix.CHECKPOINTS}{job.name}",
            JobEnv.LOGS.value: f"{root}/{Prefix.LOGS}{job.name}",
        }
        if job.cache is not None:
            folder = "/".join(part for part in (queue, job.cache, cache_digest(launch)) if part)
            variables[JobEnv.CACHE.value] = f"{root}/{Prefix.NEURON_CACHE}{folder}"
    if launch.precompile:
        assert job.precompile is not None
        variables[JobEnv.PRECOMPILE_STEPS.value] = str(job.precompile.steps)
    return variables | launch.hardware.efa_environment | dict(job.env)


def cache_digest(launch: Launch) -> str:
    """Names what decides on the graphs: SDK, image, script, arguments and world size. The same while precompiling."""
    job = launch.job
    parts = [
        launch.team.neuron_sdk,
        launch.image,
        job.script,
        job.arguments(launch.workers),
        job.bf16,
        job.nodes * launch.workers,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:DIGEST_LENGTH]


def agent_line(launch: Launch, rendezvous: Sequence[str]) -> str:
    """The shell line that becomes a node's torchrun agent.

    `rendezvous`: torchrun's options by which the agents meet, already quoted for the shell. The script's arguments
    reach it letter by letter. --tee: every worker's output goes to the container's log.
    """
    job = launch.job
    script = [job.script, *job.arguments(launch.workers)]
    options = [
        f"--nnodes={job.nodes}",
        f"--nproc_per_node={launch.workers}",
        *rendezvous,
        "--max_restarts=0",
        "--tee=3",
    ]
    # An image from elsewhere has no entrypoint of ours.
    start = [] if is_reference(job.image) else [JOB_COMMAND]
    return " ".join(["exec", *start, "torchrun", *options, *map(shlex.quote, script)])


def static_rendezvous() -> list[str]:
    """Options for AWS Batch, where every node knows its index and the main node's address but the main node itself.

    Static, so that rank 0 is on the main node, whose end is the end of the job.
    https://docs.aws.amazon.com/batch/latest/userguide/mnp-env-vars.html
    """
    main_node = "${AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-$(hostname -i | cut -d' ' -f1)}"
    return [
        "--node_rank=$AWS_BATCH_JOB_NODE_INDEX",
        f"--master_addr={main_node}",
        f"--master_port={RENDEZVOUS_PORT}",
        f"--rdzv_conf=timeout={JOIN_TIMEOUT_SECONDS}",
    ]
