"""Whether a team's part of the assembly still is what its inputs would give."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from spec.team import Team
from stacks.settings import ROOT

CODE = ("spec", "constructs_lib", "k8s_charts", "stacks")
FILES = ("app.py", "cdk.json", "uv.lock", "package-lock.json")
STAMPS = ".inputs"
"""Folder of the assembly with one stamp per team: what its part was made from, and the digest of each file of it."""

MANIFESTS = "k8s"
"""Folder of the assembly with one folder per team that has a cluster: its Kubernetes manifests, for review."""


def code_digest() -> str:
    """Digest of everything but the team file that a template depends on: our code, its locks, the interpreter."""
    digest = hashlib.sha256(f"{python_version()} {version('aws-cdk-lib')} {version('jsii')}".encode())
    for path in sorted(_code()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _code() -> Iterator[Path]:
    """Data files next to the code count as well."""
    yield from (ROOT / name for name in FILES)
    for package in CODE:
        yield from (path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix != ".pyc")


def team_digest(code: str, team: Team) -> str:
    """Digest of all inputs of one team.

    It is taken of the team and not of the bytes of its file, so it is about the very values that get synthesized, even
    if somebody saves the file meanwhile.
    """
    return hashlib.sha256(f"{code} {team.model_dump_json(exclude={'path'})}".encode()).hexdigest()


def is_current(outdir: Path, team: str, inputs: str) -> bool:
    """Whether the inputs are the same and nobody touched the outputs since."""
    try:
        stamp = json.loads(_stamp(outdir, team).read_text())
        return bool(stamp == {"inputs": inputs, "files": _digests(outdir, team)})
    except (OSError, ValueError):
        return False


def write_stamp(outdir: Path, team: str, inputs: str) -> None:
    path = _stamp(outdir, team)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"inputs": inputs, "files": _digests(outdir, team)}, indent=1) + "\n")


def parts_of(team: str) -> tuple[str, str]:
    """What belongs to one team alone, by path below the assembly: its manifests for review, and its stacks."""
    return f"{MANIFESTS}/{team}", f"assembly-{team}"


def assets(outdir: Path, team: str) -> set[str]:
    """Names of the assets in the assembly that the team's stacks upload."""
    return {
        name
        for path in (outdir / f"assembly-{team}").glob("*.assets.json")
        for name in re.findall(r'"\.\./(asset\.[^"/]+)"', path.read_text())
    }


def _stamp(outdir: Path, team: str) -> Path:
    return outdir / STAMPS / f"{team}.json"


def _digests(outdir: Path, team: str) -> dict[str, str]:
    """Content digest by path below the assembly of each file of a team, its assets included."""
    manifests, assembly = (outdir / name for name in parts_of(team))
    parts = [assembly, *(outdir / name for name in sorted(assets(outdir, team)))]
    if manifests.is_dir():
        parts.append(manifests)
    files = [path for part in parts for path in ([part] if not part.is_dir() else sorted(part.rglob("*")))]
    return {str(path.relative_to(outdir)): _digest(path) for path in files if not path.is_dir()}


def _digest(path: Path) -> str:
    status = path.stat()
    return _digest_of_version(path, status.st_size, status.st_mtime_ns)


@cache
def _digest_of_version(path: Path, _size: int, _modified: int) -> str:
    # Teams share assets, of which kubectl alone has 37 MB: each is read once.
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
