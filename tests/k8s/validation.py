"""Strict validation of manifests, as a strict API server of a given version would judge them; no cluster needed.

Builtin kinds are held against Kubernetes' own schemas, custom resources against the definitions that we install. What
neither sees (selectors, mounts, names) is in tests/k8s/rules.py; CEL rules and webhooks are not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
from jsonschema import Draft202012Validator

from spec.versions import KUBECTL_LAYERS

VERSIONS = tuple(f"1.{minor}" for minor in KUBECTL_LAYERS)
"""Kubernetes versions that a team file may ask for."""

OBJECT_FIELDS = ("apiVersion", "kind", "metadata")


def problems(
    objects: Iterable[Mapping[str, Any]], *, version: str, definitions: Iterable[Mapping[str, Any]] = ()
) -> list[str]:
    """What is wrong with `objects` on Kubernetes `version`, as `Kind/name: path: message`; empty if they are accepted.

    `definitions`: CustomResourceDefinitions installed before; those among `objects` count too.
    """
    objects = [*objects]
    schemas = custom_schemas([*definitions, *objects])
    found = []
    for it in objects:
        key = (it["apiVersion"], it["kind"])
        errors = custom_errors(it, schemas[key]) if key in schemas else builtin_errors(it, version)
        found += [f"{it['kind']}/{it['metadata'].get('name')}: {error}" for error in errors]
    return found


def builtin_errors(it: Mapping[str, Any], version: str) -> list[str]:
    """Errors of an object of one of Kubernetes' own kinds, one at most; unknown fields and kinds are errors."""
    try:
        kubernetes_validate.validate(dict(it), version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [_line(error)]
    except kubernetes_validate.SchemaNotFoundError as error:
        return [str(error.message)]
    return []


def pod_template_errors(template: Mapping[str, Any], version: str) -> list[str]:
    """Errors of a pod template, such as a Volcano task's, which a custom resource definition leaves open."""
    metadata = {"name": "pod", **template.get("metadata", {})}
    return builtin_errors(
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec", {})}, version
    )


def custom_errors(it: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Errors of a custom resource; in the parts that `schema` types, unknown fields are errors."""
    errors = Draft202012Validator(strict(schema)).iter_errors(it)
    return sorted(_line(error) for error in errors)


def custom_schemas(objects: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """openAPIV3Schema by (apiVersion, kind), of the CustomResourceDefinitions among `objects`."""
    return {
        (f"{it['spec']['group']}/{version['name']}", it["spec"]["names"]["kind"]): version["schema"]["openAPIV3Schema"]
        for it in objects
        if it["kind"] == "CustomResourceDefinition"
        for version in it["spec"]["versions"]
    }


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a structural one: closed where fields are declared, open where none is."""
    closed = _closed(schema)
    closed["properties"] = dict.fromkeys(OBJECT_FIELDS, True) | closed.get("properties", {})
    return closed


def _closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("x-kubernetes-int-or-string"):
        text = {"type": "string"} | ({"pattern": schema["pattern"]} if "pattern" in schema else {})
        return {"anyOf": [{"type": "integer"}, text]}
    kept = ("type", "enum", "required", "pattern", "minimum", "maximum", "minItems", "maxItems")
    closed = {key: schema[key] for key in kept if key in schema}
    if schema.get("nullable"):
        closed["type"] = [schema["type"], "null"]
    if "properties" in schema:
        closed["properties"] = {name: _closed(field) for name, field in schema["properties"].items()}
        closed["additionalProperties"] = False
    if "additionalProperties" in schema:
        closed["additionalProperties"] = _closed(schema["additionalProperties"])
    if "items" in schema:
        closed["items"] = _closed(schema["items"])
    return closed


def _line(error: Any) -> str:
    path = ".".join(str(part) for part in error.absolute_path) if hasattr(error, "absolute_path") else ""
    return f"{path}: {error.message}"
