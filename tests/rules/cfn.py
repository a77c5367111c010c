"""Reading a team's templates as one model: resources of every stack, and what an intrinsic function points to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.conftest import Synthesized

EVERYWHERE = ("0.0.0.0/0", "::/0")


@dataclass(frozen=True)
class Resource:
    """One resource of one stack."""

    stack: str
    logical_id: str
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        kind: str = self.body["Type"]
        return kind

    @property
    def properties(self) -> dict[str, Any]:
        properties: dict[str, Any] = self.body.get("Properties", {})
        return properties

    @property
    def name(self) -> str:
        """How findings and `target` call it."""
        return f"{self.stack}/{self.logical_id}"

    @property
    def depends_on(self) -> set[str]:
        """Names of the resources of its stack that it waits for by DependsOn."""
        stated = self.body.get("DependsOn", [])
        return {f"{self.stack}/{other}" for other in ([stated] if isinstance(stated, str) else stated)}


def resources(synthesized: Synthesized, *kinds: str) -> list[Resource]:
    """Every resource of these CloudFormation types; of all types if none is given."""
    return [
        Resource(stack, logical_id, body)
        for stack, template in synthesized.templates.items()
        for logical_id, body in template["Resources"].items()
        if not kinds or body["Type"] in kinds
    ]


def target(synthesized: Synthesized, stack: str, value: Any) -> str:
    """What a value points to: `Stack/LogicalId` for Ref, `Stack/LogicalId.Attribute` for GetAtt, across stacks.

    Ref and GetAtt of one security group mean the same and give the same text. A plain string is itself; another
    function is its JSON text, parts of it resolved.
    """
    if isinstance(value, str | int | float | bool):
        return str(value)
    if not isinstance(value, dict) or len(value) != 1:
        return json.dumps(value, sort_keys=True)
    function, argument = next(iter(value.items()))
    if function == "Ref":
        return _one_name(synthesized, stack, argument, None)
    if function == "Fn::GetAtt":
        logical_id, attribute = argument if isinstance(argument, list) else argument.split(".", 1)
        return _one_name(synthesized, stack, logical_id, attribute)
    if function == "Fn::ImportValue":
        exporter, exported = _export(synthesized, argument)
        return target(synthesized, exporter, exported)
    if function == "Fn::Join":
        separator, parts = argument
        return str(separator).join(target(synthesized, stack, part) for part in parts)
    return json.dumps(value, sort_keys=True)


def _one_name(synthesized: Synthesized, stack: str, logical_id: str, attribute: str | None) -> str:
    body = synthesized.templates[stack]["Resources"].get(logical_id, {})
    if body.get("Type") == "AWS::EC2::SecurityGroup" and attribute in (None, "GroupId"):
        attribute = "GroupId"
    return f"{stack}/{logical_id}" + (f".{attribute}" if attribute else "")


def _export(synthesized: Synthesized, name: str) -> tuple[str, Any]:
    for stack, template in synthesized.templates.items():
        for output in template.get("Outputs", {}).values():
            if output.get("Export", {}).get("Name") == name:
                return stack, output["Value"]
    raise LookupError(f"no stack exports {name}")


def find(synthesized: Synthesized, stack: str, value: Any) -> Resource | None:
    """The resource that a value points to; None where it points to none of the templates."""
    named, _, _ = target(synthesized, stack, value).partition(".")
    owner, _, logical_id = named.partition("/")
    body = synthesized.templates.get(owner, {}).get("Resources", {}).get(logical_id)
    return None if body is None else Resource(owner, logical_id, body)


def targets(synthesized: Synthesized, stack: str, values: Any) -> list[str]:
    """What each value of a list points to; empty for a list that is absent."""
    return [target(synthesized, stack, value) for value in values or []]


def group_rules(synthesized: Synthesized) -> list[tuple[Resource, str, dict[str, Any]]]:
    """(resource, "ingress" or "egress", rule) of every security group rule, inline ones included."""
    found = []
    for group in resources(synthesized, "AWS::EC2::SecurityGroup"):
        for direction in ("ingress", "egress"):
            inline = group.properties.get(f"SecurityGroup{direction.capitalize()}", [])
            found += [(group, direction, {"GroupId": {"Ref": group.logical_id}} | rule) for rule in inline]
    for direction in ("ingress", "egress"):
        kind = f"AWS::EC2::SecurityGroup{direction.capitalize()}"
        found += [(item, direction, item.properties) for item in resources(synthesized, kind)]
    return found


def policy_statements(synthesized: Synthesized, *effects: str) -> Iterator[tuple[Resource, dict[str, Any]]]:
    """Every statement with one of these effects, in every identity policy."""
    for item in resources(synthesized, "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::Role"):
        documents = [policy["PolicyDocument"] for policy in item.properties.get("Policies", [])]
        if "PolicyDocument" in item.properties:
            documents.append(item.properties["PolicyDocument"])
        for document in documents:
            for statement in document["Statement"]:
                if statement["Effect"] in effects:
                    yield item, statement


def as_list(value: Any) -> list[Any]:
    """A value that stands alone where IAM takes a list."""
    return value if isinstance(value, list) else [value]


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def count(what: str, found: int, expected: int) -> list[str]:
    """A finding when there are more or fewer of something than the team asks for."""
    return [] if found == expected else [f"{found} {what}, expected {expected}"]
