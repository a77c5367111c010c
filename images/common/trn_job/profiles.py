"""What an image adds to the command line of its script, where the job file does not say it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from trn_job import checkpoints, datasets
from trn_job.commands import completed, has, value
from trn_job.keeper import Keeper
from trn_job.messages import Stop, say
from trn_job.settings import S3, Settings

# Two, so that one is left when the other turns out to be cut off.
CHECKPOINTS_KEPT = "2"
OWN_CHOICE = ("--resume_ckpt_path", "--resume_step")


@dataclass(frozen=True, slots=True)
class Plan:
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    """Defaults; the job's own values win. The same for precompilation and training: the cache key holds them."""
    keeper: Keeper | None = None


def plan(settings: Settings, command: Sequence[str]) -> Plan:
    """The command to run; datasets and checkpoints are in place when it returns."""
    if settings.profile not in PROFILES:
        if settings.precompile_steps:
            raise Stop(f"precompile: got profile {settings.profile!r}, expected one of {', '.join(PROFILES)}")
        return Plan(list(command))
    if settings.checkpoints is None and not settings.precompile_steps:
        say("no shared storage: checkpoints stay in the container and are lost with it")
    return PROFILES[settings.profile](settings, command)


def _bert(settings: Settings, command: Sequence[str]) -> Plan:
    defaults: dict[str, str | None] = {}
    if not has(command, "--data_dir"):
        defaults["--data_dir"] = datasets.directory(settings, "bert", pattern="*.hdf5")
    if not settings.bf16:
        defaults["--enable_fp32"] = None
    if settings.precompile_steps:
        defaults["--output_dir"] = str(settings.work / "precompile")
        fresh = [argument for argument in command if argument != "--resume_ckpt"]
        # argparse takes the last one, and a job file may have its own.
        return Plan([*completed(fresh, defaults), f"--steps_this_run={settings.precompile_steps}"])
    uri = _uri(settings.checkpoints)
    local = settings.work / "checkpoints" if uri or not settings.checkpoints else Path(settings.checkpoints)
    output = Path(value(command, "--output_dir") or local)
    defaults |= {"--output_dir": str(output), "--shards_per_ckpt": "1", "--num_ckpts_to_keep": CHECKPOINTS_KEPT}
    # Without a checkpoint the script stops at --resume_ckpt; with a user's own choice there is nothing to add.
    if _found(output, uri, is_main=settings.is_main) and not any(map(partial(has, command), OWN_CHOICE)):
        defaults["--resume_ckpt"] = None
    log_uri = _uri(settings.logs)
    if settings.logs and not log_uri:
        _link(Path(settings.logs), output)
    complete = completed(command, defaults)
    keep = int(value(complete, "--num_ckpts_to_keep") or CHECKPOINTS_KEPT)
    return Plan(complete, keeper=_keeper(settings, output, checkpoint_uri=uri, log_uri=log_uri, keep=keep))


def _found(output: Path, uri: str | None, *, is_main: bool) -> bool:
    """Whether there is a checkpoint to resume from in `output`, after restoring it and renaming incomplete ones."""
    output.mkdir(parents=True, exist_ok=True)
    if uri:
        checkpoints.restore(uri, output)
    if is_main or uri:  # a shared directory is tidied by one
        checkpoints.set_aside(output)
    found = checkpoints.complete(output)
    say(f"newest complete checkpoint: {found[0] if found else 'none'}")
    return bool(found)


def _llama2(settings: Settings, command: Sequence[str]) -> Plan:
    defaults: dict[str, str | None] = {"--model_path": "7B_config_llama2"}
    if not has(command, "--data_dir"):
        defaults["--data_dir"] = datasets.directory(settings, "llama2", pattern="*.arrow")
    if settings.bf16:
        defaults["--use_mix_precision"] = None
    # https://github.com/aws-neuron/neuronx-distributed/tree/fbac349b61a3adbb123c2983835af692840ff62f/examples/training/llama
    environment = {
        "NEURON_CC_FLAGS": "--model-type transformer",
        "NEURON_FUSE_SOFTMAX": "1",
        "MALLOC_ARENA_MAX": "64",
    }
    if settings.precompile_steps:
        defaults["--output_dir"] = str(settings.work / "precompile")
        # Extraction would save and load checkpoints like training does.
        last = [f"--steps_this_run={settings.precompile_steps}", "--checkpoint_freq=0", "--loading_step=-1"]
        return Plan([*completed(command, defaults), *last], environment)
    log_uri = _uri(settings.logs)
    output = Path(settings.logs) if settings.logs and not log_uri else settings.work / "logs"
    defaults |= {
        "--output_dir": str(output),
        "--checkpoint_dir": settings.checkpoints or str(settings.work / "checkpoints"),
        "--checkpoint_freq": "100",  # about an hour on four nodes; 7B with its optimizer is some 90 GB
        "--num_kept_checkpoint": CHECKPOINTS_KEPT,
        "--loading_step": "latest_if_exists",
        "--steps_this_run": "-1",  # the script compares it with 0 and has no default
    }
    complete = completed(command, defaults)
    for flag in ("--output_dir", "--checkpoint_dir"):
        if not str(value(complete, flag)).startswith(S3):
            Path(str(value(complete, flag))).mkdir(parents=True, exist_ok=True)
    folder = Path(str(value(complete, "--output_dir")))
    return Plan(complete, environment, _keeper(settings, folder, checkpoint_uri=None, log_uri=log_uri))


def _keeper(
    settings: Settings, folder: Path, *, checkpoint_uri: str | None, log_uri: str | None, keep: int = -1
) -> Keeper | None:
    if not (checkpoint_uri or log_uri):
        return None
    return Keeper(
        folder=folder,
        every_seconds=settings.copy_seconds,
        checkpoint_uri=checkpoint_uri,
        keep=keep,
        log_uri=log_uri,
    )


def _uri(place: str | None) -> str | None:
    return place if place and place.startswith(S3) else None


def _link(logs: Path, output: Path) -> None:
    """Let TensorBoard, which looks below `logs`, find the curves that the BERT script writes beside its checkpoints."""
    logs.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (logs / "run").symlink_to(output)


PROFILES: dict[str, Callable[[Settings, Sequence[str]], Plan]] = {"bert": _bert, "llama2": _llama2}
