"""Whether a team's part of the assembly still is what its inputs would give."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from stacks.settings import ROOT

CODE = ("spec", "constructs_lib", "k8s_charts", "stacks")
FILES = ("app.py", "cdk.json", "uv.lock", "package-lock.json")
STAMPS = ".inputs"
"""Folder of the stamps in the assembly."""
ASSET = "asset"


def code_digest() -> str:
    """Digest of everything but the team file that a template depends on: our code, its locks, the interpreter."""
    digest = hashlib.sha256(f"{python_version()} {version('aws-cdk-lib')} {version('jsii')}".encode())
    for package in CODE:
        for path in sorted((ROOT / package).rglob("*.py")):
            _add(digest, path)
    for name in FILES:
        _add(digest, ROOT / name)
    return digest.hexdigest()


def team_digest(code: str, team_file: Path) -> str:
    """Digest of all inputs of one team."""
    return hashlib.sha256(code.encode() + team_file.read_bytes()).hexdigest()


def _add(digest: hashlib._Hash, path: Path) -> None:
    content = path.read_bytes()
    digest.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode())
    digest.update(content)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What one team's part of the assembly was made from, and what it was made of."""

    inputs: str
    files: Mapping[str, str]
    """Content digest by path below the assembly; for an asset, whose name is its digest already, `ASSET`."""

    @staticmethod
    def of(outdir: Path, team: str, inputs: str) -> Stamp:
        files = {str(path.relative_to(outdir)): _content(path) for path in _files(outdir, team)}
        return Stamp(inputs, files | dict.fromkeys(_assets(outdir, team), ASSET))

    def holds(self, outdir: Path, team: str, inputs: str) -> bool:
        """Whether the inputs are the same and nobody touched the outputs since."""
        return self.inputs == inputs and self == Stamp.of(outdir, team, inputs)

    @staticmethod
    def read(outdir: Path, team: str) -> Stamp | None:
        path = outdir / STAMPS / f"{team}.json"
        try:
            return Stamp(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, outdir: Path, team: str) -> None:
        path = outdir / STAMPS / f"{team}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")


def _files(outdir: Path, team: str) -> list[Path]:
    return sorted(path for path in (outdir / f"assembly-{team}").rglob("*") if path.is_file())


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _assets(outdir: Path, team: str) -> list[str]:
    """Names of the assets that the team's stacks upload and that are there."""
    names: set[str] = set()
    for path in (outdir / f"assembly-{team}").glob("*.assets.json"):
        for asset in json.loads(path.read_text())["files"].values():
            source = Path(asset["source"]["path"])
            if source.name.startswith("asset.") and (outdir / source.name).exists():
                names.add(source.name)
    return sorted(names)
