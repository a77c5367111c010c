"""A `docker` that builds and runs nothing: it takes the command lines of `trn` and does what others then look for.

It pushes tags into the stand-in account's ECR, and knows which images are on this machine: those that were loaded or
pulled, not those that were only pushed. Any other command line is an error, as is a missing Dockerfile.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import boto3

from spec.names import LLAMA2_IMAGE, TOKENIZE_COMMAND

HOME = Path(os.environ.get("STAND_IN_DOCKER", "."))
"""Where it keeps what it knows."""
LOGIN = HOME / "login"
IMAGES = HOME / "images"


def install(folder: Path) -> dict[str, str]:
    """Put the program into an empty folder; gives the variables of a shell that finds it first."""
    root = Path(__file__).resolve().parent.parent.parent
    program = folder / "docker"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m tests.account.docker "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "STAND_IN_DOCKER": str(folder)}


def main(arguments: Sequence[str]) -> int | str:
    match arguments:
        case ["version", *_] | ["buildx", "version"]:
            print("29.0.0")
            return 0
        case ["login", "--username", "AWS", "--password-stdin", registry] if sys.stdin.read().strip():
            LOGIN.write_text(registry)
            return 0
        case ["buildx", "build", *options, "."]:
            return _build(options)
        case ["image", "inspect", image]:
            return 0 if image in _local() else f"Error: No such image: {image}"
        case ["pull", "--platform", "linux/amd64", image]:
            return _pull(image)
        case ["info", *_]:
            print("[name=seccomp]")
            return 0
        case ["run", *options, image, command, tokenizer, out] if command == TOKENIZE_COMMAND:
            mounts = _mounts(options)
            return _tokenize(mounts[tokenizer], mounts[out], image)
    return f"docker stand-in: unknown command line: {' '.join(arguments)}"


def _build(options: Sequence[str]) -> int | str:
    dockerfile, image = (Path(options[options.index("-f") + 1]), options[options.index("-t") + 1])
    if not dockerfile.is_file():
        return f"{dockerfile}: no such file"
    if "--push" not in options:
        IMAGES.write_text("\n".join([*_local(), image]))
        return 0
    registry, repository, tag = _parts(image)
    if not _logged_in(registry):
        return f"{registry}: no basic auth credentials"
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": {"of": image}}
    boto3.client("ecr").put_image(repositoryName=repository, imageTag=tag, imageManifest=json.dumps(manifest))
    return 0


def _pull(image: str) -> int | str:
    registry, repository, tag = _parts(image)
    if not _logged_in(registry):
        return f"{registry}: no basic auth credentials"
    found = boto3.client("ecr").batch_get_image(repositoryName=repository, imageIds=[{"imageTag": tag}])["images"]
    if not found:
        return f"{image}: not found"
    IMAGES.write_text("\n".join([*_local(), image]))
    return 0


def _mounts(options: Sequence[str]) -> dict[str, Path]:
    """Folders of this machine by their place in the container."""
    bound = [next(csv.reader([options[at + 1]])) for at, option in enumerate(options) if option == "--mount"]
    fields = [dict(field.partition("=")[::2] for field in mount) for mount in bound]
    return {field["dst"]: Path(field["src"]) for field in fields}


def _tokenize(tokenizer: Path, out: Path, image: str) -> int | str:
    if image not in _local():
        return f"Unable to find image {image} locally"
    if not any(tokenizer.iterdir()):
        return f"{tokenizer}: empty"
    written = out / LLAMA2_IMAGE
    written.mkdir()
    (written / "data-00000-of-00001.arrow").write_bytes(b"tokens")
    (written / "dataset_info.json").write_text("{}")
    return 0


def _parts(image: str) -> tuple[str, str, str]:
    registry, _, rest = image.partition("/")
    repository, _, tag = rest.rpartition(":")
    return registry, repository, tag


def _logged_in(registry: str) -> bool:
    return LOGIN.exists() and LOGIN.read_text() == registry


def _local() -> list[str]:
    return IMAGES.read_text().splitlines() if IMAGES.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
