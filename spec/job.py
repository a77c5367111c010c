"""The job file: one training job, for either path. docs/job-file.md describes every key."""

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from spec.fields import Name
from spec.findings import Problem
from spec.job_fields import Argument, EnvironmentName, EnvironmentValue, ImageName, JobName, ScriptPath, ShareIdentifier
from spec.names import POD_NAME_LIMIT, PRECOMPILE_SUFFIX, longest_pod_name


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class Parallelism(_Part):
    """How a global batch is divided; gradient accumulation follows from it."""

    global_batch_size: int = Field(ge=1, le=1000000000)
    """Samples of one optimizer step over all workers."""
    micro_batch_size: int = Field(default=1, ge=1, le=1000000)
    """Samples that a data-parallel worker takes at once."""
    tensor_parallel_size: int = Field(default=1, ge=1, le=1024)
    """Workers that share one copy of the model."""

    def replicas(self, workers: int) -> int:
        """Data-parallel copies of the model on that many workers."""
        return workers // self.tensor_parallel_size

    def accumulation_steps(self, workers: int) -> int:
        """Micro batches of a worker in one optimizer step."""
        return self.global_batch_size // (self.micro_batch_size * self.replicas(workers))

    def divides(self, workers: int) -> bool:
        """Whether the global batch falls evenly on that many workers."""
        if workers % self.tensor_parallel_size:
            return False
        return self.global_batch_size % (self.micro_batch_size * self.replicas(workers)) == 0


class Precompile(_Part):
    """A job before training that fills the compile cache."""

    steps: int = Field(ge=1, le=1000)
    """Steps of the trial run that shows the compiler every graph; 10 to 15 are usual."""


class JobKeys(_Part):
    """One training job."""

    name: JobName
    """Name of the job; pods, checkpoints and logs are named after it."""
    image: ImageName
    """Folder in images/, whose image lies in the team's repository; or a whole image reference (EKS only)."""
    script: ScriptPath
    """Training script, relative to the image's working directory."""
    nodes: int = Field(ge=1, le=1000)
    """Instances, each with one torchrun agent."""
    args: tuple[Argument, ...] = Field(default=(), max_length=200)
    """Arguments of the script, in quotes where they are numbers; `{grad_accum_usteps}` and the like are filled in."""
    workers_per_node: int | None = Field(default=None, ge=1, le=1024)
    """torchrun's nproc_per_node; absent = one worker per NeuronCore of the node."""
    parallelism: Parallelism | None = None
    """How a global batch is divided; node counts that do not divide it are refused."""
    bf16: bool = True
    """Whether the script trains in bfloat16."""
    cache: Name | None = None
    """Name of the compile cache; one active run per name. Absent = each run compiles anew."""
    precompile: Precompile | None = None
    """A job before training that fills the compile cache; needs cache, and runs with `trn run --precompile`."""
    env: Mapping[EnvironmentName, EnvironmentValue] = Field(default={}, max_length=100)
    """Further environment variables."""
    queue: Name | None = None
    """EKS: queue of the team file; absent = its only one."""
    node_group: Name | None = None
    """EKS: node group of the team file; absent = its only one."""
    rendezvous: Literal["c10d", "etcd"] | None = None
    """EKS: how torchrun's agents meet; absent = the team file's."""
    max_retries: int = Field(default=0, ge=0, le=10)
    """EKS: how often Volcano starts all pods anew after one failed. On Batch the team file's attempts count."""
    ttl_hours: int = Field(default=72, ge=1, le=8760)
    """EKS: hours after its end in which a run and its pods' logs can still be looked at."""
    share: ShareIdentifier | None = None
    """Batch: fair-share identifier of the team file; absent = its only one."""


class Job(JobKeys):
    """A job file that has passed every check that needs no team."""

    path: Path

    def arguments(self, workers_per_node: int) -> list[str]:
        """Arguments of the script, every placeholder filled in."""
        values = self._values(workers_per_node)
        return [PLACEHOLDER.sub(lambda match: str(values[match[1]]), argument) for argument in self.args]

    def _values(self, workers_per_node: int) -> dict[str, int]:
        workers = self.nodes * workers_per_node
        values = {"nodes": self.nodes, "workers_per_node": workers_per_node, "world_size": workers}
        if self.parallelism is None:
            return values
        return values | {
            "global_batch_size": self.parallelism.global_batch_size,
            "micro_batch_size": self.parallelism.micro_batch_size,
            "tensor_parallel_size": self.parallelism.tensor_parallel_size,
            "data_parallel_size": self.parallelism.replicas(workers),
            "grad_accum_usteps": self.parallelism.accumulation_steps(workers),
        }


ALWAYS = ("nodes", "workers_per_node", "world_size")
WITH_PARALLELISM = (
    "global_batch_size",
    "micro_batch_size",
    "tensor_parallel_size",
    "data_parallel_size",
    "grad_accum_usteps",
)
PLACEHOLDER = re.compile(rf"\{{({'|'.join((*ALWAYS, *WITH_PARALLELISM))})\}}")
_LOOKS_LIKE_ONE = re.compile(r"\{([a-z_]+)\}")

LOCAL_ADDRESS = re.compile(r"(localhost|127\.[0-9.]+|0\.0\.0\.0|\[?::1?\]?)(:[0-9]+)?$", re.IGNORECASE)
"""A node's own address, with or without a port."""


def _close(word: str) -> bool:
    """Whether a word in braces is a misspelt placeholder rather than braces of the script's own."""
    return bool(difflib.get_close_matches(word, (*ALWAYS, *WITH_PARALLELISM), n=1, cutoff=0.75))


TORCHRUN_OPTIONS = {
    "nnodes": "set the key nodes",
    "nproc_per_node": "set the key workers_per_node",
    "rdzv_backend": "set the key rendezvous",
    "rdzv_endpoint": "the launcher knows it",
    "rdzv_id": "the launcher makes one for every run: a fixed one meets the closed rendezvous of an earlier run",
    "max_restarts": "set the key max_retries",
    "node_rank": "the launcher knows it",
    "master_addr": "the launcher knows it",
    "master_port": "the launcher knows it",
}
"""Options of torchrun, which a script would get as its own, by what to write instead.
https://github.com/pytorch/pytorch/issues/82160"""


def problems(job: Job) -> Iterator[Problem]:
    """Every problem of a job whose single values are right, whatever the team."""
    yield from _name_problems(job)
    yield from _argument_problems(job)
    if job.precompile is not None and job.cache is None:
        yield Problem(
            "error", ("precompile",), "precompile without cache", "cache: NAME, or no precompile", (("cache",),)
        )
    yield from _environment_problems(job)
    if job.max_retries:
        # https://github.com/volcano-sh/volcano/issues/1651
        got, expected = str(job.max_retries), "0, unless the script resumes by itself: Volcano starts every pod anew"
        yield Problem("warning", ("max_retries",), got, expected)
    if job.workers_per_node is not None:
        yield from division_problems(job, job.workers_per_node)


def _name_problems(job: Job) -> Iterator[Problem]:
    app = job.name + (PRECOMPILE_SUFFIX if job.precompile is not None else "")
    excess = len(longest_pod_name(app, job.nodes)) - POD_NAME_LIMIT
    if excess > 0:
        longest = len(job.name) - excess
        expected = f"at most {longest} characters: with what is added, a pod's name must fit {POD_NAME_LIMIT}"
        yield Problem("error", ("name",), f"{job.name} ({len(job.name)} characters)", expected)


def _environment_problems(job: Job) -> Iterator[Problem]:
    several = (("nodes",),)
    comm = job.env.get("NEURON_RT_ROOT_COMM_ID", "")
    if job.nodes > 1 and LOCAL_ADDRESS.match(comm):
        expected = "no such variable: on several nodes every worker must reach the address; PyTorch finds it by itself"
        yield Problem("error", ("env", "NEURON_RT_ROOT_COMM_ID"), comm, expected, several)
    provider = job.env.get("FI_PROVIDER", "efa")
    if job.nodes > 1 and provider != "efa":
        yield Problem(
            "error", ("env", "FI_PROVIDER"), provider, "efa, or no such variable: the launcher sets it", several
        )
    flags = job.env.get("NEURON_CC_FLAGS", "")
    if "--cache_dir" in flags:
        expected = "flags without --cache_dir, which would go past cache: one active run a cache is checked by its name"
        yield Problem("error", ("env", "NEURON_CC_FLAGS"), flags, expected)


def division_problems(job: Job, workers_per_node: int) -> Iterator[Problem]:
    """A global batch that does not fall evenly on the workers."""
    parallelism = job.parallelism
    if parallelism is None or parallelism.divides(job.nodes * workers_per_node):
        return
    fitting = [str(n) for n in range(1, 129) if parallelism.divides(n * workers_per_node)]
    reads = (("parallelism",), ("workers_per_node",))
    if not fitting:
        expected = f"values that divide evenly on {workers_per_node} workers per node"
        yield Problem("error", ("parallelism",), "sizes that fit no number of nodes", expected, (*reads, ("nodes",)))
        return
    expected = (
        f"a number that divides global_batch_size {parallelism.global_batch_size} evenly with "
        f"{workers_per_node} workers per node: {', '.join(fitting[:12])}"
    )
    yield Problem("error", ("nodes",), str(job.nodes), expected, reads)


def _argument_problems(job: Job) -> Iterator[Problem]:
    for index, argument in enumerate(job.args):
        option = argument.partition("=")[0].removeprefix("--").replace("-", "_")
        if argument.startswith("--") and option in TORCHRUN_OPTIONS:
            expected = f"an argument of the script, not of torchrun: {TORCHRUN_OPTIONS[option]}"
            yield Problem("error", ("args", index), argument, expected)
        for word in _LOOKS_LIKE_ONE.findall(argument):
            if word in WITH_PARALLELISM and job.parallelism is None:
                yield Problem(
                    "error", ("args", index), argument, "parallelism in the job file too", (("parallelism",),)
                )
            elif word not in (*ALWAYS, *WITH_PARALLELISM) and (argument == f"{{{word}}}" or _close(word)):
                known = ", ".join(f"{{{name}}}" for name in (*ALWAYS, *WITH_PARALLELISM))
                yield Problem("error", ("args", index), argument, f"text, or one of {known}")
