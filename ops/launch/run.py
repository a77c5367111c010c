"""`trn run`: from a job file and a team to a run, or to what would be sent for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import typer

from ops.console import say
from ops.errors import RefusedError, WrongFileError
from ops.launch.container import Launch
from ops.launch.limits import check_job_size, check_request_size
from ops.launch.yaml_text import to_yaml
from ops.teams import find_team
from spec.file_kind import is_job_file
from spec.findings import Finding, JobFileError, Problem
from spec.job import Job
from spec.job_file import JOB_FILE, check_job
from spec.output_values import placeholder, slot, with_slots
from spec.placement import BatchPlacement, EksPlacement, place_on_batch, place_on_eks
from spec.team import Team
from spec.yaml_file import read_document

TrainingPath = Literal["eks", "batch"]

PRECOMPILE_JOB_ID = "PrecompileJobId"
"""Key of the slot for the id that Batch gives the precompile job, on which training depends."""
OF_OTHER_PATH: Mapping[TrainingPath, tuple[str, ...]] = {"eks": ("share",), "batch": ("queue", "node_group")}
"""Keys of a job file that mean nothing on a path."""


def run(
    job_file: Path,
    team_name: str,
    *,
    teams_dir: Path | None,
    on: TrainingPath | None,
    precompile: bool,
    dry_run: bool,
    **options: str | None,
) -> str | None:
    """Start a job and give its run id; None after a dry run, which prints what would be sent.

    `options`: keys of the job file that are said anew, such as its queue.
    """
    given = {key: value for key, value in options.items() if value is not None}
    job, team = _load(job_file).model_copy(update=given), find_team(team_name, teams_dir)
    path = _chosen(team, on)
    for key in OF_OTHER_PATH[path]:
        if key in given:
            raise RefusedError(f"{_option(key)}: got {given[key]}, expected nothing: it means nothing on {path}")
    try:
        if path == "eks":
            placement, warnings = place_on_eks(job, team, precompile=precompile)
            _warn(job, warnings)
            return _on_eks(_launches(job, team, placement, precompile), placement, dry_run)
        queue, warnings = place_on_batch(job, team, precompile=precompile)
        _warn(job, warnings)
        return _on_batch(_launches(job, team, queue, precompile), queue, dry_run)
    except JobFileError as error:
        raise WrongFileError("\n".join(_told(finding, given) for finding in error.findings)) from None


def _load(job_file: Path) -> Job:
    if job_file.is_file() and not is_job_file(job_file):
        raise RefusedError(f"{job_file}: got a file that is not a job's, expected one with {JOB_FILE.least}")
    job, findings = check_job(job_file)
    if job is None:
        raise WrongFileError("\n".join(map(str, findings)))
    for warning in findings:
        say(str(warning))
    return job


def _told(finding: Finding, given: Mapping[str, str]) -> str:
    """A finding about the file, or about the option that was given in place of its key."""
    if finding.key in given:
        return f"{_option(finding.key)}: got {finding.got}, expected {finding.expected}"
    return str(finding)


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _chosen(team: Team, on: TrainingPath | None) -> TrainingPath:
    """The path to run on: the one asked for, or the only one the team has."""
    has: dict[TrainingPath, bool] = {"eks": team.eks is not None, "batch": team.batch is not None}
    if on is None and all(has.values()):
        raise RefusedError(f"--on: got nothing, expected eks or batch; team {team.name} has both")
    chosen = on or ("eks" if has["eks"] else "batch")
    if not has[chosen]:
        other = "batch" if chosen == "eks" else "eks"
        raise RefusedError(f"--on: got {chosen}, expected {other}; {team.path} has no {chosen}")
    return chosen


def _launches(job: Job, team: Team, placement: EksPlacement | BatchPlacement, precompile: bool) -> list[Launch]:
    """The runs in their order: the compile cache is filled before training."""
    training = Launch(job, team, placement.hardware)
    return [Launch(job, team, placement.hardware, precompile=True), training] if precompile else [training]


def _warn(job: Job, warnings: Sequence[Problem]) -> None:
    document = read_document(job.path)
    for problem in warnings:
        say(str(problem.in_file(str(job.path), document.line(problem.loc))))


def _on_eks(launches: list[Launch], placement: EksPlacement, dry_run: bool) -> str | None:
    render = _renderer()
    jobs = [render(launch, placement) for launch in launches]
    for launch, job in zip(launches, jobs, strict=True):
        check_job_size(launch, job)
    if dry_run:
        typer.echo(to_yaml(with_slots(jobs, placeholder)), nl=False)
        return None
    from ops.launch.run_eks import start

    return start(launches, jobs, placement)


def _renderer() -> Callable[[Launch, EksPlacement], dict[str, Any]]:
    try:
        from ops.launch.torchx_scheduler import render
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torchx":
            raise
        raise RefusedError("torchx is not installed; `make setup` installs it, or the extra `torchx`") from None
    return render


def _on_batch(launches: list[Launch], placement: BatchPlacement, dry_run: bool) -> str | None:
    from ops.launch.batch_job import submit_request

    requests = [
        submit_request(launch, share=placement.share, after=slot(PRECOMPILE_JOB_ID) if index else None)
        for index, launch in enumerate(launches)
    ]
    for launch, request in zip(launches, requests, strict=True):
        check_request_size(launch, request)
    if dry_run:
        shown = with_slots(requests, placeholder)
        typer.echo(json.dumps(shown if len(shown) > 1 else shown[0], indent=2))
        return None
    from ops.launch.run_batch import start

    return start(launches, requests)
