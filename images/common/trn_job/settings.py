"""What the launcher asks of a container, read from its environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spec.names import JobEnv
from trn_job.messages import Stop

S3 = "s3://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    nodes: int
    bf16: bool
    precompile_steps: int | None
    datasets: str | None
    checkpoints: str | None
    logs: str | None
    """These three: a directory, an s3:// URI, or nothing where the job has no shared storage."""
    profile: str
    """What completes the script's arguments: the image sets it; empty for a command that is run as given."""
    is_main: bool
    """Whether this node does what one node of a job must do alone."""
    work: Path
    """Directory inside the container; lost with it. The same in every run: BERT's checkpoints name dataset files."""
    copy_seconds: float
    grace_seconds: float
    """How long torchrun may take to stop; the rest of the time until the container is killed is for the last copy.

    Batch kills it 30 s after SIGTERM, https://docs.aws.amazon.com/batch/latest/userguide/job_timeouts.html; on EKS the
    launcher asks for more, its pods' terminationGracePeriodSeconds."""

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        nodes = number(environ, JobEnv.NODES, "1")
        return cls(
            nodes=nodes,
            bf16=_choice(environ, JobEnv.BF16, "1"),
            precompile_steps=number(environ, JobEnv.PRECOMPILE_STEPS) if environ.get(JobEnv.PRECOMPILE_STEPS) else None,
            datasets=_place(environ, JobEnv.DATASETS),
            checkpoints=_place(environ, JobEnv.CHECKPOINTS),
            logs=_place(environ, JobEnv.LOGS),
            profile=environ.get("TRN_PROFILE", ""),
            is_main=nodes == 1 or _is_first(environ),
            work=Path(environ.get("TRN_WORK_DIR", "/var/tmp/trn-job")),  # noqa: S108 - the container's own
            copy_seconds=seconds(environ, "TRN_COPY_SECONDS", "60"),
            grace_seconds=seconds(environ, "TRN_GRACE_SECONDS", "10"),
        )


def _is_first(environ: Mapping[str, str]) -> bool:
    """Whether this is Batch's main node, or TorchX's first replica, which alone is told that rank 0 is here."""
    index = environ.get("AWS_BATCH_JOB_NODE_INDEX")
    if index is not None:
        return index == environ.get("AWS_BATCH_JOB_MAIN_NODE_INDEX", "0")
    return environ.get("TORCHX_RANK0_HOST") == "localhost"


def _place(environ: Mapping[str, str], name: str) -> str | None:
    return environ.get(name, "").rstrip("/") or None


def number(environ: Mapping[str, str], name: str, default: str = "") -> int:
    text = environ.get(name, default)
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise Stop(f"{name}: got {text!r}, expected a whole number above 0")
    return int(text)


def seconds(environ: Mapping[str, str], name: str, default: str) -> float:
    text = environ.get(name, default)
    if not re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII) or not float(text):
        raise Stop(f"{name}: got {text!r}, expected seconds above 0")
    return float(text)


def _choice(environ: Mapping[str, str], name: str, default: str) -> bool:
    text = environ.get(name, default)
    if text not in ("0", "1"):
        raise Stop(f"{name}: got {text!r}, expected 1, or 0 for full precision")
    return text == "1"
