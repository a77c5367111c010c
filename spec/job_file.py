"""From the path of a job file to a Job, or to everything that is wrong with it."""

from pathlib import Path

from spec.checked_file import FileKind, check, suffix_problems
from spec.findings import Finding, JobFileError
from spec.job import Job, JobKeys, problems

JOB_FILE = FileKind(
    model=Job,
    keys=JobKeys,
    of_path=lambda path: {"path": path},
    path_problems=suffix_problems,
    placeholders={
        ("name",): "placeholder",
        ("image",): "placeholder",
        ("script",): "placeholder",
        ("nodes",): 1,
        ("args", 0): "placeholder",
        ("parallelism", "global_batch_size"): 1,
        ("precompile", "steps"): 1,
    },
    least="name, image, script and nodes",
)


def load_job(path: Path) -> Job:
    """The job in a file; JobFileError with every finding if there is an error."""
    job, findings = check_job(path)
    if job is None:
        raise JobFileError(findings)
    return job


def check_job(path: Path) -> tuple[Job | None, list[Finding]]:
    """The job in a file, None if there is an error, and every finding in line order."""
    return check(path, JOB_FILE, problems)
