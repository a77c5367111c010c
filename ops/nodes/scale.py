"""`trn scale`: more or fewer nodes in a deployed node group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ops.aws import Account, outputs
from ops.errors import OpsError, RefusedError
from ops.teams import eks_of
from spec.field_errors import close_match
from spec.names import Output, StackName, node_group_name_output
from spec.team import NodeGroup, Team

SETTLED = ("ACTIVE", "DEGRADED")
"""States in which EKS takes a new size; a degraded group has health issues."""


@dataclass(frozen=True)
class Group:
    """A deployed node group and what the team file says of it."""

    team: Team
    asks: NodeGroup
    index: int
    """Position in `eks.node_groups`."""
    cluster: str
    name: str
    """What EKS calls it."""
    minimum: int
    desired: int
    maximum: int
    status: str

    @property
    def watch(self) -> str:
        """How to look at it later."""
        return (
            f"aws eks describe-nodegroup --region {self.team.region} --cluster-name {self.cluster} "
            f"--nodegroup-name {self.name}"
        )


def find_group(account: Account, team: Team, group: str) -> Group:
    """The deployed node group that the team file calls `group`; RefusedError for an unknown one."""
    groups = eks_of(team).node_groups
    names = [each.name for each in groups]
    if group not in names:
        close = close_match(group, names)
        hint = f"; did you mean {close}?" if close else ""
        raise RefusedError(f"{team.path}: node group: got {group}, expected one of {', '.join(names)}{hint}")
    index = names.index(group)
    cluster = outputs(account, team, StackName.CLUSTER)[Output.CLUSTER_NAME]
    name = outputs(account, team, StackName.NODES).get(node_group_name_output(group))
    if name is None:
        raise OpsError(f"node group {group}: not deployed; run `.venv/bin/cdk deploy '{team.name}/Nodes'` first")
    found = describe(account, cluster, name)
    size = found["scalingConfig"]
    return Group(
        team,
        groups[index],
        index,
        cluster,
        name,
        minimum=size["minSize"],
        desired=size["desiredSize"],
        maximum=size["maxSize"],
        status=found["status"],
    )


def describe(account: Account, cluster: str, name: str) -> dict[str, Any]:
    """The node group as EKS has it."""
    found: dict[str, Any] = account.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name)
    return dict(found["nodegroup"])


def refuse(group: Group, nodes: int) -> None:
    """RefusedError where the deployed group cannot have this many nodes, OpsError while it is being changed."""
    for wrong, bound, word, key in (
        (nodes > group.maximum, group.maximum, "at most", "max"),
        (nodes < group.minimum, group.minimum, "at least", "min"),
    ):
        if wrong:
            raise RefusedError(
                f"node group {group.asks.name}: got {nodes} nodes, expected {word} {bound}, the deployed {key}; change "
                f"eks.node_groups.{group.index}.{key} in {group.team.path} and deploy {group.team.name}/Nodes"
            )
    if group.status not in SETTLED:
        raise OpsError(
            f"node group {group.asks.name}: is {group.status}, expected {' or '.join(SETTLED)}; wait until the change "
            f"under way is done, then repeat. {group.watch}"
        )


def request(account: Account, group: Group, nodes: int) -> str:
    """Ask EKS for the size; gives the id of the update."""
    answer = account.client("eks").update_nodegroup_config(
        clusterName=group.cluster, nodegroupName=group.name, scalingConfig={"desiredSize": nodes}
    )
    return str(answer["update"]["id"])


def after_deploy(group: Group, nodes: int) -> str | None:
    """What a later deployment does to the new size; None where it agrees.

    CloudFormation writes all of a node group's sizes whenever it changes anything of the group.
    """
    if nodes == group.asks.desired:
        return None
    return (
        f"{group.team.path} says desired: {group.asks.desired}; the next deployment that changes this group sets it "
        f"back. To keep {nodes}: eks.node_groups.{group.index}.desired: {nodes}"
    )
