"""One active run per compile cache: two at once break each other's files."""

from __future__ import annotations

from collections.abc import Iterable

from ops.errors import RefusedError
from ops.watch.runs import Run
from spec.job import Job
from spec.team import Team


def check_cache(job: Job, team: Team, runs: Iterable[Run]) -> None:
    """RefusedError where another run uses the job's compile cache. https://github.com/aws-neuron/aws-neuron-sdk/issues/1097."""
    for run in runs:
        if job.cache is not None and run.active and run.cache == job.cache:
            raise RefusedError(
                f"{job.path}: cache: got {job.cache}, which run {run.id} ({run.job}, {run.state}) uses, expected "
                f"a cache that no run uses; wait for it, stop it with `trn cancel {run.id} --team {team.name}`, "
                "or name another"
            )
