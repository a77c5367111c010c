"""What the API server demands of a custom resource definition's schema, and does not say until it is given one.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

Schema = Mapping[str, Any]
OPEN = "x-kubernetes-preserve-unknown-fields"
EITHER = "x-kubernetes-int-or-string"
KNOWN = {
    *("type", "properties", "items", "additionalProperties", "required", "default", "enum", "pattern", "description"),
    *("minimum", "maximum", "minItems", "maxItems", "format", "nullable", "x-kubernetes-validations", OPEN, EITHER),
}


def fields(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """(dotted path, schema) of every value; [] stands for the items of a list, {} for the values of a map."""
    yield path, schema
    for name, field in schema.get("properties", {}).items():
        yield from fields(field, f"{path}.{name}".lstrip("."))
    if "items" in schema:
        yield from fields(schema["items"], f"{path}[]")
    if "additionalProperties" in schema:
        yield from fields(schema["additionalProperties"], f"{path}{{}}")


def breaches(schema: Schema) -> list[str]:
    """Every breach of the rules for structural schemas, as `path: what`."""
    found = [f"{path}: {text}" for path, field in fields(schema) for text in _field(field)]
    root = ["root: must be an object"] if schema.get("type") != "object" else []
    if schema.get(OPEN):
        root.append("root: open, so a misspelt spec is kept")
    if reserved := {"apiVersion", "kind", "metadata"} & schema.get("properties", {}).keys():
        root.append(f"root: {sorted(reserved)} are the API server's")
    return found + root


def _field(schema: Schema) -> Iterator[str]:
    kind = schema.get("type")
    if unknown := schema.keys() - KNOWN:
        yield f"unknown words {sorted(unknown)}"
    if schema.get(EITHER):
        if kind:
            yield "int-or-string with a type"
        return
    if not kind:
        yield "no type"
    if kind == "array" and "items" not in schema:
        yield "a list without items"
    if "properties" in schema and "additionalProperties" in schema:
        yield "properties and additionalProperties exclude each other"
    if kind == "object" and not {"properties", "additionalProperties", OPEN} & schema.keys():
        yield "an object of which every field is pruned"
    if kind != "object" and {"properties", "additionalProperties", "required", OPEN} & schema.keys():
        yield "words of an object on something else"
    if OPEN in schema and schema[OPEN] is not True:
        yield f"{OPEN} may only be true"
    if missing := {*schema.get("required", ())} - schema.get("properties", {}).keys():
        yield f"required {sorted(missing)} not declared"
    if "default" in schema:
        rest = {word: value for word, value in schema.items() if word != "default"}
        yield from (f"default: {error.message}" for error in Draft202012Validator(rest).iter_errors(schema["default"]))
    if not {name for rule in schema.get("x-kubernetes-validations", ()) for name in _fields_in(rule["rule"])} <= {
        *schema.get("properties", {})
    }:
        yield "a rule about a field that is not declared"


def _fields_in(rule: str) -> list[str]:
    return [part.split(")")[0] for part in rule.split("has(self.")[1:]]
