"""What every rule about Trn instances starts from: who launches them, from which template, on which hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any

from spec.hardware import HARDWARE, Hardware
from spec.names import NodeLabel
from spec.team import Batch, NodeGroup
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, find, resources

NODE_GROUP = "AWS::EKS::Nodegroup"
COMPUTE_ENVIRONMENT = "AWS::Batch::ComputeEnvironment"
LAUNCH_TEMPLATE = "AWS::EC2::LaunchTemplate"

Rule = Callable[[Synthesized], list[str]]


@dataclass(frozen=True)
class Launch:
    """A node group or compute environment of Trn instances, with the launch template that it names."""

    user: Resource
    template: Resource
    hardware: Hardware
    part: NodeGroup | Batch
    """What the team file asks for."""

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = self.template.properties["LaunchTemplateData"]
        return data

    @property
    def interfaces(self) -> list[dict[str, Any]]:
        return list(self.data.get("NetworkInterfaces", []))

    @property
    def in_eks(self) -> bool:
        return self.user.kind == NODE_GROUP


def of_every_launch(check: Callable[[Synthesized, Launch], Iterator[str]]) -> Rule:
    """A rule from a check of one launch, which also fails where the team asks for a launch that is not there."""

    @wraps(check)
    def rule(synthesized: Synthesized) -> list[str]:
        found, problems = launches(synthesized)
        return problems + [
            f"{launch.user.name} on {launch.template.name}: {text}"
            for launch in found
            for text in check(synthesized, launch)
        ]

    return rule


def launches(synthesized: Synthesized) -> tuple[list[Launch], list[str]]:
    """Every launch of Trn instances, and what keeps a part of the team file from having exactly one."""
    found: list[Launch] = []
    problems: list[str] = []
    wanted = _parts(synthesized)
    for user in resources(synthesized, NODE_GROUP, COMPUTE_ENVIRONMENT):
        template = find(synthesized, user.stack, template_id(user))
        if template is None or template.kind != LAUNCH_TEMPLATE:
            problems.append(f"{user.name}: no launch template")
            continue
        types = instance_types(user, template)
        if user.kind == NODE_GROUP and not any(name.startswith("trn") for name in types):
            continue  # system nodes
        key = _key(user)
        part = wanted.pop(key, None)
        if len(types) != 1 or types[0] not in HARDWARE:
            problems.append(f"{user.name}: instance types {types}, expected one Trainium type")
        elif part is None:
            problems.append(f"{user.name}: {key} is not in the team file, or there twice")
        else:
            found.append(Launch(user, template, HARDWARE[types[0]], part))
    problems += [f"nothing launches the instances of {key}" for key in wanted]
    return found, problems


def instance_types(user: Resource, template: Resource) -> list[str]:
    """Instance types that a node group or compute environment names, in itself and in its launch template."""
    if user.kind == COMPUTE_ENVIRONMENT:
        return list(user.properties["ComputeResources"].get("InstanceTypes", []))
    own = template.properties["LaunchTemplateData"].get("InstanceType")
    return [*user.properties.get("InstanceTypes", []), *([own] if own else [])]


def _parts(synthesized: Synthesized) -> dict[str, NodeGroup | Batch]:
    team = synthesized.team
    groups: dict[str, NodeGroup | Batch] = {
        f"node group {group.name}": group for group in (team.eks.node_groups if team.eks else ())
    }
    return groups | ({"batch": team.batch} if team.batch else {})


def _key(user: Resource) -> str:
    if user.kind == COMPUTE_ENVIRONMENT:
        return "batch"
    return f"node group {user.properties.get('Labels', {}).get(NodeLabel.NODE_GROUP)}"


def template_id(user: Resource) -> Any:
    """The launch template that a node group or compute environment names."""
    if user.kind == COMPUTE_ENVIRONMENT:
        return user.properties["ComputeResources"].get("LaunchTemplate", {}).get("LaunchTemplateId")
    return user.properties.get("LaunchTemplate", {}).get("Id")


def launch_template_version(user: Resource) -> Any:
    """The version of the launch template that a node group or compute environment asks for."""
    holder = user.properties["ComputeResources"] if user.kind == COMPUTE_ENVIRONMENT else user.properties
    return holder.get("LaunchTemplate", {}).get("Version")
