"""Stands for the AWS CLI: a folder is S3, each bucket a folder in it. FAIL: a word of calls that fail."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(os.environ["FAKE_S3"])
ARGUMENTS = sys.argv[1:]


def path(uri: str) -> Path:
    return ROOT / uri.removeprefix("s3://") if uri.startswith("s3://") else Path(uri)


def option(name: str) -> str:
    return ARGUMENTS[ARGUMENTS.index(name) + 1]


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def stream(source: Path) -> None:
    data = source.read_bytes()
    sys.stdout.buffer.write(data[: int(os.environ.get("CUT", len(data)))])


def sync(source: Path, target: Path) -> None:
    include = option("--include") if "--include" in ARGUMENTS else "*"
    for file in source.rglob("*"):
        if file.is_file() and file.match(include):
            copy(file, target / file.relative_to(source))


def names(bucket: str, prefix: str) -> list[str] | None:
    folder = ROOT / bucket / prefix
    return [prefix + file.name for file in folder.iterdir()] if folder.is_dir() else None


with Path(os.environ["AWS_CALLS"]).open("a") as calls:
    calls.write(" ".join(ARGUMENTS) + "\n")
if os.environ.get("FAIL") and os.environ["FAIL"] in " ".join(ARGUMENTS):
    sys.stderr.write("AccessDenied: told to fail\n")
    sys.exit(254)
time.sleep(float(os.environ.get("SLOW", "0")))
match ARGUMENTS[:2]:
    case ["s3", "cp"] if ARGUMENTS[3] == "-":
        stream(path(ARGUMENTS[2]))
    case ["s3", "cp"]:
        copy(path(ARGUMENTS[2]), path(ARGUMENTS[3]))
    case ["s3", "sync"]:
        sync(path(ARGUMENTS[2]), path(ARGUMENTS[3]))
    case ["s3", "rm"]:
        path(ARGUMENTS[2]).unlink()
    case ["s3api", "list-objects-v2"]:
        print(json.dumps(names(option("--bucket"), option("--prefix"))))
    case ["s3api", "head-object"]:
        print((ROOT / option("--bucket") / option("--key")).stat().st_size)
    case _:
        sys.exit(f"fake aws: {ARGUMENTS}")
