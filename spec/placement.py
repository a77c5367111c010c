"""Where a job runs: its path, and on EKS its queue and node group; or why the team cannot run it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spec import job_rules
from spec.findings import JobFileError, Problem
from spec.hardware import Hardware
from spec.job import Job
from spec.team import Eks, NodeGroup, Queue, Team
from spec.yaml_file import read_document


@dataclass(frozen=True, slots=True)
class EksPlacement:
    """A queue, whose name is its namespace's, and a node group."""

    queue: Queue
    node_group: NodeGroup
    rendezvous: Literal["c10d", "etcd"]

    @property
    def hardware(self) -> Hardware:
        return self.node_group.hardware


@dataclass(frozen=True, slots=True)
class BatchPlacement:
    """The team's one job queue; `share` is a fair-share identifier, None where the queue has none."""

    hardware: Hardware
    share: str | None


def place_on_eks(job: Job, team: Team, *, precompile: bool = False) -> tuple[EksPlacement, list[Problem]]:
    """Where a job runs in the team's cluster, and the warnings; JobFileError with every reason where it cannot."""
    eks = team.eks
    if eks is None:
        raise _refused(job, [Problem("error", ("image",), f"team {team.name}, which has no cluster", "--on batch")])
    chosen = [*_choices(job, eks)]
    problems = [it for it in chosen if isinstance(it, Problem)]
    queue = next((it for it in chosen if isinstance(it, Queue)), None)
    group = next((it for it in chosen if isinstance(it, NodeGroup)), None)
    if group is not None:
        problems += job_rules.size_problems(job, group.hardware, group.max, f"eks.node_groups, max of {group.name}")
        if queue is not None:
            problems += job_rules.queue_problems(job, queue, group.hardware)
    problems += job_rules.image_problems(job, team, eks)
    problems += job_rules.eks_problems(job, team, eks, precompile=precompile)
    warnings = _raise_errors(job, problems)
    assert queue is not None
    assert group is not None
    return EksPlacement(queue, group, job.rendezvous or eks.rendezvous), warnings


def place_on_batch(job: Job, team: Team, *, precompile: bool = False) -> tuple[BatchPlacement, list[Problem]]:
    """The team's Batch queue for a job, and the warnings; JobFileError with every reason where it cannot run there."""
    batch = team.batch
    if batch is None:
        raise _refused(job, [Problem("error", ("image",), f"team {team.name}, which has no Batch path", "--on eks")])
    problems = [
        *job_rules.size_problems(job, batch.hardware, batch.max_nodes, "batch.max_nodes"),
        *job_rules.batch_problems(job, team, batch),
        *job_rules.precompile_problems(job, precompile=precompile),
    ]
    warnings = _raise_errors(job, problems)
    share = job.share or next(iter(batch.shares), None)
    return BatchPlacement(batch.hardware, share), warnings


def _refused(job: Job, problems: list[Problem]) -> JobFileError:
    document = read_document(job.path)
    findings = [problem.in_file(str(job.path), document.line(problem.loc)) for problem in problems]
    return JobFileError(sorted(findings, key=lambda finding: finding.line))


def _raise_errors(job: Job, problems: list[Problem]) -> list[Problem]:
    if any(problem.severity == "error" for problem in problems):
        raise _refused(job, problems)
    return problems


def _choices(job: Job, eks: Eks) -> Iterator[Queue | NodeGroup | Problem]:
    """The queue and the node group that a job names, or the only ones there are."""
    for key, asked, there in (("queue", job.queue, eks.queues), ("node_group", job.node_group, eks.node_groups)):
        names = ", ".join(it.name for it in there)
        found = [it for it in there if asked in (None, it.name)]
        if not there:
            yield Problem("error", (key,), f"a team without {key}s", f"one in eks.{key}s of the team file")
        elif not found:
            yield Problem("error", (key,), str(asked), f"one of {names}")
        elif len(found) > 1:
            yield Problem("error", (key,), "nothing", f"one of {names}; the team has several")
        else:
            yield found[0]
