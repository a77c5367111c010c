"""Rules about what the FSx CSI driver may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spec.names import TEAM_TAG
from tests.conftest import Synthesized
from tests.rules.cfn import as_list, count, find, policy_statements, resources, target

_Grant = tuple[str, str, str]
"""(effect, action, resource)."""
_Condition = dict[tuple[str, str], Any]
"""Value by (operator, key)."""


def the_csi_driver_touches_only_its_own_file_systems(synthesized: Synthesized) -> list[str]:
    """Static volumes: the driver looks the team's file system up. Dynamic ones: it creates, grows and deletes others.

    What it creates carries the team's tag, and what it changes must. The team's own file system carries the tag too,
    so its deletion is denied. A condition more narrows an Allow; on a Deny there is none.
    """
    roles = {
        target(synthesized, addon.stack, item["RoleArn"]).partition(".")[0]
        for addon in resources(synthesized, "AWS::EKS::Addon")
        if addon.properties["AddonName"] == "aws-fsx-csi-driver"
        for item in addon.properties.get("PodIdentityAssociations", [])
    }
    found = count("roles of the CSI driver", len(roles), int(synthesized.team.eks is not None))
    for role in resources(synthesized, "AWS::IAM::Role"):
        if role.name in roles and role.properties.get("ManagedPolicyArns"):
            found.append(f"{role.name}: managed policies, which reach every file system of the account")
    wanted = _wanted_of_the_csi_driver(synthesized)
    seen = set()
    for grant, condition in _granted_to(synthesized, roles):
        seen.add(grant)
        if grant not in wanted:
            found.append(f"the CSI driver: {' '.join(grant)}, which nobody asked for")
        elif missing := [key for key, value in wanted[grant].items() if condition.get(key) != value]:
            found.append(f"the CSI driver: {' '.join(grant)} without the conditions {missing}")
        elif grant[0] == "Deny" and condition:
            found.append(f"the CSI driver: {' '.join(grant)} only on condition {sorted(condition)}")
    return found + [f"the CSI driver: not {' '.join(grant)}" for grant in sorted(wanted.keys() - seen)]


def _wanted_of_the_csi_driver(synthesized: Synthesized) -> dict[_Grant, _Condition]:
    team = synthesized.team
    if team.eks is None or team.storage.lustre is None:
        return {}
    own, every = "AWS::FSx::FileSystem", "fsx file-system/*"
    if not team.eks.dynamic_volumes:
        return {("Allow", "fsx:DescribeFileSystems", own): {}}
    created: _Condition = {("StringEquals", f"aws:RequestTag/{TEAM_TAG}"): team.name}
    existing: _Condition = {("StringEquals", f"aws:ResourceTag/{TEAM_TAG}"): team.name}
    service_role = "iam role/aws-service-role/fsx.amazonaws.com/AWSServiceRoleForAmazonFSx"
    return {
        ("Allow", "fsx:CreateFileSystem", every): created,
        ("Allow", "fsx:TagResource", every): created,
        ("Allow", "fsx:DeleteFileSystem", every): existing,
        ("Allow", "fsx:UpdateFileSystem", every): existing,
        ("Allow", "fsx:DescribeFileSystems", every): {},
        ("Deny", "fsx:DeleteFileSystem", own): {},
        ("Deny", "fsx:UpdateFileSystem", own): {},
        ("Allow", "iam:CreateServiceLinkedRole", service_role): {
            ("StringEquals", "iam:AWSServiceName"): "fsx.amazonaws.com"
        },
    }


def _granted_to(synthesized: Synthesized, roles: set[str]) -> Iterator[tuple[_Grant, _Condition]]:
    """Every action on every resource that the policies of these roles allow or deny."""
    for item, statement in policy_statements(synthesized, "Allow", "Deny"):
        names = {target(synthesized, item.stack, name) for name in item.properties.get("Roles", [])}
        if not roles & (names | {item.name}):
            continue
        condition = {
            (operator, key): value
            for operator, keys in statement.get("Condition", {}).items()
            for key, value in keys.items()
        }
        for action in as_list(statement.get("Action", [])):
            for value in as_list(statement.get("Resource", [])):
                yield (statement["Effect"], action, _kind_or_path(synthesized, item.stack, value)), condition


def _kind_or_path(synthesized: Synthesized, stack: str, value: Any) -> str:
    """Type of a resource of ours; of another ARN the service and what comes behind the account."""
    resource = find(synthesized, stack, value)
    if resource is not None:
        return resource.kind
    text = target(synthesized, stack, value)
    services = [service for service in ("fsx", "iam") if f":{service}:" in text]
    return " ".join([*services, text.rpartition(":")[2]])
