"""Telling team files and job files apart by what is in them, so that one command checks both."""

from datetime import date
from pathlib import Path

from spec.findings import Finding
from spec.job import JobKeys
from spec.job_file import check_job
from spec.team import TeamKeys
from spec.team_file import check_team
from spec.yaml_file import read_document
from spec.yaml_nodes import UnreadableError

JOBS_FOLDER = "jobs"


def check_file(path: Path, *, today: date) -> tuple[bool, list[Finding]]:
    """Whether a team or job file has no error, and every finding in line order."""
    if is_job_file(path):
        job, findings = check_job(path)
        return job is not None, findings
    team, findings = check_team(path, today=today)
    return team is not None, findings


def is_job_file(path: Path) -> bool:
    """Whether more of a file's keys are of a job than of a team; where they say nothing, its folder does."""
    try:
        keys = read_document(path).root.children.keys()
    except UnreadableError:
        keys = {}.keys()
    of_job, of_team = len(keys & JobKeys.model_fields.keys()), len(keys & TeamKeys.model_fields.keys())
    return of_job > of_team or (of_job == of_team and path.resolve().parent.name == JOBS_FOLDER)
