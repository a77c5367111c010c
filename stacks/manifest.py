"""Kubernetes objects that are applied together, and the files in which people review them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from k8s_charts.render import Objects, to_yaml


@dataclass(frozen=True, slots=True)
class Manifest:
    """Objects that are applied together; `name` is the component's, and unique in a cluster."""

    name: str
    objects: Objects


def write_manifests(folder: Path, manifests: Sequence[Manifest]) -> None:
    """Write manifests for review as `NN-NAME.k8s.yaml`, to be applied in the order of their names.

    A value that exists only after a deployment stands there as `${OUTPUT KEY}`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    digits = max(2, len(str(len(manifests))))
    for number, manifest in enumerate(manifests, start=1):
        (folder / f"{number:0{digits}}-{manifest.name}.k8s.yaml").write_text(to_yaml(manifest.objects))
