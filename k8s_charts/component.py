"""What every chart has in common: stable object names and the standard labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cdk8s import ApiObject, ApiObjectMetadata, Chart, JsonPatch
from constructs import Construct

from spec.names import PART_OF


class Component(Chart):
    """One component of the cluster.

    Objects are named as they are written, without a hash, so that a change of a chart never renames what runs. The
    namespace stands on each namespaced object, not on the chart, which would write it on cluster-scoped ones too.
    """

    def __init__(self, scope: Construct, id_: str, *, name: str, version: str) -> None:
        """`version`: of the software in the component; a label, never part of a selector."""
        self.selector = {"app.kubernetes.io/name": name}
        super().__init__(
            scope,
            id_,
            disable_resource_name_hashes=True,
            labels={
                **self.selector,
                "app.kubernetes.io/version": version,
                "app.kubernetes.io/part-of": PART_OF,
                "app.kubernetes.io/managed-by": PART_OF,
            },
        )

    def custom(
        self,
        id_: str,
        *,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None = None,
        annotations: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> ApiObject:
        """Define an object whose kind cdk8s-plus has no class for; `fields` are its top-level ones, such as `spec`."""
        metadata = ApiObjectMetadata(name=name, namespace=namespace, annotations=annotations)
        custom = ApiObject(self, id_, api_version=api_version, kind=kind, metadata=metadata)
        custom.add_json_patch(*(JsonPatch.add(f"/{field}", value) for field, value in fields.items()))
        return custom
