"""Words of structural schemas.

Every object keeps fields that are not declared: the programs behind it read more than is typed here, and the API server
would prune the rest. https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
OPEN: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""An object with any fields."""

QUANTITY: Schema = {
    "x-kubernetes-int-or-string": True,
    "pattern": r"^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$",
}
"""An amount such as 16, "512Gi" or "100m".
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/"""


def typed(**properties: Schema) -> dict[str, Any]:
    """An object whose declared fields are typed."""
    return {**OPEN, "properties": properties}


def list_of(items: Schema) -> dict[str, Any]:
    return {"type": "array", "items": items}


def map_of(values: Schema) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


RESOURCES = map_of(QUANTITY)
"""Amounts by resource name."""

NETWORK_TOPOLOGY = typed(mode={**STRING, "default": "hard"})
"""How close together a job's nodes must be. Only the field with a default is declared; no job of ours has one."""
