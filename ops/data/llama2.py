"""The Llama-2 dataset: tokenized on this machine, then uploaded to the artifact bucket."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from boto3.exceptions import S3UploadFailedError

from ops.aws import Account
from ops.console import bar, say
from ops.errors import OpsError, RefusedError, StoppedError, UnfinishedError
from ops.images.docker import docker_that_runs, log_in
from ops.images.references import PLATFORM
from ops.programs import ask, run
from spec.names import LLAMA2_IMAGE, TOKENIZE_COMMAND, Prefix
from spec.team import Team

KEY_PREFIX = f"{Prefix.DATASETS}{LLAMA2_IMAGE}/"
TOKENIZER_FILES = ("tokenizer.model", "tokenizer.json")
OUT = Path("llama2-tokenized")
"""Where the tokenized dataset is put, in the current folder; it stays there."""


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


def tokenize_command(docker: str, image: str, tokenizer: Path, out: Path) -> list[str]:
    """The command: the tokenizer is mounted read-only and leaves this machine nowhere."""
    mounts = ["-v", f"{tokenizer.resolve()}:/tokenizer:ro", "-v", f"{out.resolve()}:/out"]
    return [docker, "run", "--rm", *mounts, image, TOKENIZE_COMMAND]


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
    code = run(tokenize_command(docker, image, tokenizer, out))
    if code:
        raise OpsError(f"tokenizing failed: docker ended with exit code {code}; its message is above, nothing was sent")
    return out


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
    """What an upload has to send; RefusedError for a folder without a file."""
    files = sorted(path for path in directory.rglob("*") if path.is_file()) if directory.is_dir() else []
    if not files:
        raise RefusedError(f"--tokenized: got {directory}, expected a folder with the tokenized dataset")
    pages = account.pages("s3", "list_objects_v2", "Contents", Bucket=bucket, Prefix=KEY_PREFIX)
    sizes = {it["Key"]: it["Size"] for it in pages}
    keys = {path: f"{KEY_PREFIX}{path.relative_to(directory).as_posix()}" for path in files}
    missing = tuple((path, key) for path, key in keys.items() if sizes.get(key) != path.stat().st_size)
    there = [path for path in files if (path, keys[path]) not in missing]
    return Upload(missing, len(there), sum(path.stat().st_size for path in there))


def upload(account: Account, team: Team, bucket: str, directory: Path) -> None:
    """Send what is missing; UnfinishedError or StoppedError say how to go on."""
    wanted = plan(account, bucket, directory)
    again = f"trn data stage {LLAMA2_IMAGE} --team {team.name} --tokenized {directory}"
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
        except S3UploadFailedError as error:
            raise UnfinishedError(
                str(error),
                done=[f"{done} files are in the bucket"],
                left=[f"{wanted.there + len(wanted.missing) - done} files"],
                way_on=f"Go on with `{again}`: what is there is not sent again",
            ) from None
    say(f"uploaded: s3://{bucket}/{KEY_PREFIX} ({len(wanted.missing)} files sent, {wanted.there} were there)")
