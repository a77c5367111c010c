"""Snapshots of manifests as YAML, one readable file per chart."""

from __future__ import annotations

from typing import Any

import yaml
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class YamlSnapshot(SingleFileSnapshotExtension):
    """A list of objects as a YAML stream: what `kubectl apply -f` takes."""

    _write_mode = WriteMode.TEXT
    file_extension = "k8s.yaml"

    def serialize(self, data: Any, **_: Any) -> str:
        return yaml.safe_dump_all(data, sort_keys=False, width=120)
