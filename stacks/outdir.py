"""The folder of the cloud assembly: what is put there, what goes, and that one run at a time does so."""

from __future__ import annotations

import fcntl
import json
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from stacks.inputs import MANIFESTS, STAMPS, assets, parts_of

WORKSHOP = ".workshop-"
"""Start of the name of a folder in which one run synthesizes; one that is left over is of a run that was killed."""


@contextmanager
def alone_in(outdir: Path) -> Iterator[None]:
    """Make the folder, wait until no other run works in it, and clear away what a killed one left."""
    lock = outdir / STAMPS / "lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another synthesis into {outdir}", file=sys.stderr)
            fcntl.flock(stream, fcntl.LOCK_EX)
        for left in outdir.glob(f"{WORKSHOP}*"):
            shutil.rmtree(left, ignore_errors=True)  # Node may outlive a killed run by a moment.
        yield


def add(made: Path, outdir: Path) -> None:
    """Move what one process made into the assembly, over what an earlier run left there."""
    # Assets first: no template may ever name one that is not there.
    names = [path.name for path in made.glob("asset.*")]
    for assembly in made.glob("assembly-*"):
        names += parts_of(assembly.name.removeprefix("assembly-"))
    for name in names:
        source, target = made / name, outdir / name
        if source.is_dir() or target.is_dir():
            _remove(target)
        if source.exists():
            target.parent.mkdir(exist_ok=True)
            source.replace(target)


def write_manifest(outdir: Path, names: Collection[str]) -> None:
    """The root of the assembly: what CDK writes, but for any selection of teams, and without its report on flags."""
    any_team = outdir / f"assembly-{min(names)}"
    versions = json.loads((any_team / "manifest.json").read_text())
    artifacts = {
        f"assembly-{name}": {
            "type": "cdk:cloud-assembly",
            "properties": {"directoryName": f"assembly-{name}", "displayName": name},
        }
        for name in names
    }
    root = {
        "version": versions["version"],
        "artifacts": artifacts,
        "minimumCliVersion": versions["minimumCliVersion"],
    }
    shutil.copyfile(any_team / "cdk.out", outdir / "cdk.out")
    new = outdir / f"{WORKSHOP}manifest"
    new.write_text(json.dumps(root, indent=2) + "\n")
    new.replace(outdir / "manifest.json")


def remove_others(outdir: Path, names: Collection[str]) -> None:
    """Remove what is left of teams that have no file any more, and assets that no team has any more."""
    keep = {outdir / part for name in names for part in (*parts_of(name), *assets(outdir, name))}
    parts = [part for pattern in ("assembly-*", f"{MANIFESTS}/*", "asset.*") for part in outdir.glob(pattern)]
    stamps = [path for path in (outdir / STAMPS).glob("*.json") if path.stem not in names]
    for path in [part for part in parts if part not in keep] + stamps:
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
