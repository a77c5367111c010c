"""One custom resource definition of Volcano, and the body that the API server is given for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from k8s_charts.volcano.schema import OPEN, Schema


@dataclass(frozen=True, slots=True)
class Column:
    """What `kubectl get` prints of an object; priority 1 only with `-o wide`."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0


AGE = Column("AGE", ".metadata.creationTimestamp", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomKind:
    """A kind that Volcano's programs store."""

    group: str
    version: str
    kind: str
    plural: str
    scope: Literal["Namespaced", "Cluster"]
    fields: Mapping[str, Schema]
    """Top-level fields."""
    short_names: Sequence[str] = ()
    subresources: Mapping[str, Any] | None = None
    columns: Sequence[Column] = ()
    required: Sequence[str] = ()

    @property
    def name(self) -> str:
        return f"{self.plural}.{self.group}"

    def definition(self) -> dict[str, Any]:
        """`spec` of the CustomResourceDefinition."""
        names: dict[str, Any] = {
            "kind": self.kind,
            "listKind": f"{self.kind}List",
            "plural": self.plural,
            "singular": self.kind.lower(),
        }
        if self.short_names:
            names["shortNames"] = [*self.short_names]
        # No preserve-unknown-fields at the root: it would keep a misspelt `spec`.
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.fields)}
        if self.required:
            schema["required"] = [*self.required]
        version: dict[str, Any] = {
            "name": self.version,
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
        }
        if self.subresources is not None:
            version["subresources"] = dict(self.subresources)
        if self.columns:
            version["additionalPrinterColumns"] = [_column(column) for column in self.columns]
        return {"group": self.group, "scope": self.scope, "names": names, "versions": [version]}


def _column(column: Column) -> dict[str, Any]:
    body: dict[str, Any] = {"name": column.name, "jsonPath": column.path, "type": column.type}
    return body | ({"priority": column.priority} if column.priority else {})


STATUS_SUBRESOURCE: Mapping[str, Any] = {"status": {}}


def with_status(spec: Schema) -> dict[str, Schema]:
    """Fields of a kind with a desired and an observed state; the latter is for its controller alone to understand."""
    return {"spec": spec, "status": OPEN}
