"""Which run a person means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ops.aws import Account
from ops.errors import RefusedError
from ops.watch.runs import Run, all_runs, batch_run, find_run
from spec.team import Team
from spec.yaml_file import read_document
from spec.yaml_nodes import UnreadableError

BATCH_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def run_named(account: Account, team: Team, name: str) -> Run:
    """The run that a person means: by its id, by its job's name, or by the path of a job file."""
    name = job_name(name)
    return run_among(all_runs(account, team), account, team, name)


def run_among(runs: Sequence[Run], account: Account, team: Team, name: str) -> Run:
    """The run of an id or of a job's name, from a listing that is there already."""
    try:
        return find_run(runs, name)
    except RefusedError:
        # Batch knows jobs that ended longer ago than a listing goes back.
        old = batch_run(account, team, name) if team.batch and BATCH_ID.fullmatch(name) else None
        if old is None:
            raise
        return old


def job_name(name: str) -> str:
    """The name itself, or what stands under `name` in the job file that it is the path of."""
    if not name.endswith((".yaml", ".yml")):
        return name
    try:
        found = read_document(Path(name)).node(("name",))
    except UnreadableError as error:
        raise RefusedError(f"{name}: got {error.problem.got}, expected {error.problem.expected}") from None
    if found is None or not isinstance(found.value, str):
        raise RefusedError(f"{name}: name: got none, expected the job's name; `trn validate {name}` says more")
    return found.value
