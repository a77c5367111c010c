"""The Llama-2 dataset: tokenized on this machine, then uploaded to the artifact bucket."""

from __future__ import annotations

import csv
import io
import os
import shlex
import threading
from dataclasses import dataclass
from pathlib import Path

from boto3.exceptions import S3UploadFailedError
from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import Account, explain
from ops.console import say
from ops.errors import OpsError, RefusedError, StoppedError, UnfinishedError
from ops.images.docker import docker_that_runs, log_in
from ops.images.references import PLATFORM
from ops.programs import ask, run
from ops.progress import bar
from spec.names import LLAMA2_IMAGE, TOKENIZE_COMMAND, Prefix
from spec.team import Team

KEY_PREFIX = f"{Prefix.DATASETS}{LLAMA2_IMAGE}/"
TOKENIZER_FILES = ("tokenizer.model", "tokenizer.json")
WHOLE = "dataset_info.json"
"""Written last into a dataset, so it is there in a whole one alone.
https://github.com/huggingface/datasets/blob/3.6.0/src/datasets/arrow_dataset.py"""
OUT = Path("llama2-tokenized")
"""Where the folder of the tokenized dataset is made, in the current folder; it stays there."""
TOKENIZER_MOUNT = "/tokenizer"
OUT_MOUNT = "/out"
"""Where the container that tokenizes finds the two folders."""


@dataclass(frozen=True)
class Upload:
    """Files to send, and those that the bucket has in the same size already."""

    missing: tuple[tuple[Path, str], ...]
    """(file, key)."""
    there: int
    there_bytes: int

    @property
    def total(self) -> int:
        """Bytes of the whole dataset."""
        return self.there_bytes + sum(path.stat().st_size for path, _ in self.missing)


def tokenize_command(docker: str, team: Team, image: str, tokenizer: Path, out: Path) -> list[str]:
    """The command: the tokenizer is mounted read-only and leaves this machine nowhere.

    The name keeps a second container from writing into the same folder, and lets the container be stopped.
    """
    command = [docker, "run", "--rm", "--init", "--name", container_name(team), "--platform", PLATFORM]
    # What it writes then belongs to the caller. Without a root of its own docker makes the caller root in there.
    if not _rootless(docker):
        command += ["--user", f"{os.getuid()}:{os.getgid()}", "--env", "USER=trn"]
    command += ["--mount", _mount(tokenizer, TOKENIZER_MOUNT, "readonly"), "--mount", _mount(out, OUT_MOUNT)]
    return [*command, image, TOKENIZE_COMMAND, TOKENIZER_MOUNT, OUT_MOUNT]


def container_name(team: Team) -> str:
    """Name of the container that tokenizes."""
    return f"{TOKENIZE_COMMAND}-{team.name}"


def _mount(folder: Path, place: str, *options: str) -> str:
    """A line of comma-separated values, in which a path may hold colons, commas and quotes.

    https://docs.docker.com/engine/storage/bind-mounts/
    """
    line = io.StringIO()
    fields = ["type=bind", f"src={folder.resolve()}", f"dst={place}", *options]
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


def _rootless(docker: str) -> bool:
    """Whether the daemon has no root of its own. https://docs.docker.com/engine/security/rootless/."""
    return "rootless" in ask([docker, "info", "--format", "{{.SecurityOptions}}"])[1]


def check_tokenizer(directory: Path) -> None:
    """RefusedError where a folder holds no tokenizer."""
    if not any((directory / name).is_file() for name in TOKENIZER_FILES):
        raise RefusedError(
            f"--tokenizer: got {directory}, expected a folder with {' or '.join(TOKENIZER_FILES)}: the tokenizer that "
            "you have from Meta under its licence. It stays on this machine"
        )


def tokenize(account: Account, team: Team, image: str, tokenizer: Path, out: Path = OUT) -> Path:
    """Tokenize the dataset with docker; gives the folder. OpsError where docker, the image or the run fails."""
    check_tokenizer(tokenizer)
    docker = docker_that_runs("tokenizing on this machine")
    _have(account, team, docker, image)
    out.mkdir(parents=True, exist_ok=True)
    say(f"tokenizing into {out}; this takes a while")
    try:
        code = run(tokenize_command(docker, team, image, tokenizer, out))
    except KeyboardInterrupt:
        ask([docker, "stop", container_name(team)])
        again = f"trn data stage {LLAMA2_IMAGE} --team {team.name} --tokenizer {shlex.quote(str(tokenizer))}"
        raise StoppedError(f"stopped tokenizing; nothing was sent. From the beginning: `{again}`") from None
    if code:
        raise OpsError(f"tokenizing failed: docker ended with exit code {code}; its message is above, nothing was sent")
    return out / LLAMA2_IMAGE


def check_tokenized(directory: Path) -> None:
    """RefusedError where a folder is not a whole dataset: a job reads its files from the top."""
    if (directory / WHOLE).is_file():
        return
    inner = directory / LLAMA2_IMAGE
    hint = f"; did you mean {inner}?" if (inner / WHOLE).is_file() else ""
    raise RefusedError(
        f"--tokenized: got {directory}, expected a folder with the tokenized dataset: {WHOLE} and *.arrow{hint}"
    )


def _have(account: Account, team: Team, docker: str, image: str) -> None:
    """Pull an image that is not on this machine: what was built to be pushed need not stay where it was built."""
    code, _ = ask([docker, "image", "inspect", image])
    if not code:
        return
    log_in(account, docker, image.partition("/")[0], otherwise="nothing was tokenized")
    if run([docker, "pull", "--platform", PLATFORM, image]):
        raise OpsError(
            f"{image}: not on this machine, and not to be pulled; `trn images push {team.name} {LLAMA2_IMAGE}`, or "
            f"`trn images build {team.name} {LLAMA2_IMAGE}`, makes it"
        )


def plan(account: Account, bucket: str, directory: Path) -> Upload:
    """What an upload has to send; RefusedError for a folder that is not a dataset."""
    check_tokenized(directory)
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    pages = account.pages("s3", "list_objects_v2", "Contents", Bucket=bucket, Prefix=KEY_PREFIX)
    sizes = {it["Key"]: it["Size"] for it in pages}
    keys = {path: f"{KEY_PREFIX}{path.relative_to(directory).as_posix()}" for path in files}
    missing = tuple((path, key) for path, key in keys.items() if sizes.get(key) != path.stat().st_size)
    there = [path for path in files if (path, keys[path]) not in missing]
    return Upload(missing, len(there), sum(path.stat().st_size for path in there))


def upload(account: Account, team: Team, bucket: str, directory: Path) -> None:
    """Send what is missing; UnfinishedError or StoppedError say how to go on."""
    wanted = plan(account, bucket, directory)
    again = f"trn data stage {LLAMA2_IMAGE} --team {team.name} --tokenized {shlex.quote(str(directory))}"
    lock = threading.Lock()
    sent = wanted.there_bytes
    done = wanted.there
    with bar(f"uploading to s3://{bucket}/{KEY_PREFIX}", wanted.total) as shown:

        def tell(amount: int) -> None:
            nonlocal sent
            with lock:  # called from several threads
                sent += amount
                shown(sent, wanted.total)

        try:
            for path, key in wanted.missing:
                account.client("s3").upload_file(str(path), bucket, key, Callback=tell)
                done += 1
        except KeyboardInterrupt:
            files = wanted.there + len(wanted.missing)
            raise StoppedError(f"stopped: {done} of {files} files are in the bucket. Go on with `{again}`") from None
        except (S3UploadFailedError, BotoCoreError, ClientError) as error:
            raise UnfinishedError(
                _why(error),
                done=[f"{done} files are in the bucket"],
                left=[f"{wanted.there + len(wanted.missing) - done} files"],
                way_on=f"Go on with `{again}`: what is there is not sent again",
            ) from None
    say(f"uploaded: s3://{bucket}/{KEY_PREFIX} ({len(wanted.missing)} files sent, {wanted.there} were there)")


def _why(error: Exception) -> str:
    """boto3 makes an answer of S3 into an error of its own, without its code."""
    cause = error.__context__ if isinstance(error, S3UploadFailedError) else error
    return explain(cause) if isinstance(cause, BotoCoreError | ClientError) else str(error)
