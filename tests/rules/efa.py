"""Rules about the security groups that EFA traffic passes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.conftest import Synthesized
from tests.rules.cfn import EVERYWHERE, group_rules, resources, target
from tests.rules.training import Launch, launches, of_every_launch

EFA_IN_CLUSTER_GROUP_SINCE = (1, 33)
"""Kubernetes version from which EKS itself gives its cluster group the EFA rules.
https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html"""
CLUSTER_GROUP = "ClusterSecurityGroupId"


def _groups(synthesized: Synthesized) -> list[str]:
    """Every security group on a network interface of a Trn instance."""
    return sorted(
        {
            target(synthesized, launch.template.stack, group)
            for launch in launches(synthesized)[0]
            for item in launch.interfaces
            for group in item.get("Groups", [])
        }
    )


def groups_admit_themselves(synthesized: Synthesized) -> list[str]:
    """Each group on an EFA interface has all traffic from and to itself as rules of its own, and a way out.

    EFA packets match only a rule that names the group itself; a CIDR rule does not cover them. EKS makes these rules
    in its cluster group from version 1.33 on.
    """
    groups = _groups(synthesized)
    found = [] if groups else ["no security group on any network interface"]
    for group in groups:
        if group.endswith(f".{CLUSTER_GROUP}"):
            found += _cluster_group(synthesized)
            continue
        own = {
            (direction, target(synthesized, resource.stack, rule.get(peer)))
            for resource, direction, rule in group_rules(synthesized)
            for peer in ("SourceSecurityGroupId", "DestinationSecurityGroupId", "CidrIp")
            if str(rule["IpProtocol"]) == "-1"
            and peer in rule
            and target(synthesized, resource.stack, rule["GroupId"]) == group
        }
        expected = {("ingress", group), ("egress", group), ("egress", EVERYWHERE[0])}
        found += [f"{group}: no rule for all traffic, {way}, {peer}" for way, peer in sorted(expected - own)]
    return found


def _cluster_group(synthesized: Synthesized) -> list[str]:
    versions = [cluster.properties["Version"] for cluster in resources(synthesized, "AWS::EKS::Cluster")]
    return [
        f"Kubernetes {version} gives its cluster group no EFA rules"
        for version in versions
        if tuple(map(int, version.split("."))) < EFA_IN_CLUSTER_GROUP_SINCE
    ]


def training_groups_admit_nobody_else(synthesized: Synthesized) -> list[str]:
    """Inbound to a group on an EFA interface is named group by group, never an address range."""
    groups = _groups(synthesized)
    found = [] if groups else ["no security group on any network interface"]
    for resource, direction, rule in group_rules(synthesized):
        if direction == "ingress" and target(synthesized, resource.stack, rule["GroupId"]) in groups:
            found += [f"{resource.name}: inbound from {rule[key]}" for key in ("CidrIp", "CidrIpv6") if key in rule]
    return found


@of_every_launch
def every_interface_carries_the_groups_it_needs(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """The EFA group; in a cluster also the cluster's own group, or the API server reaches neither kubelet nor webhooks.

    With groups in the launch template EKS adds none.
    """
    for item in launch.interfaces:
        groups = {target(synthesized, launch.template.stack, group) for group in item.get("Groups", [])}
        cluster_groups = {group for group in groups if group.endswith(f".{CLUSTER_GROUP}")}
        card = item["NetworkCardIndex"]
        if len(cluster_groups) != int(launch.in_eks):
            yield f"card {card}: cluster groups {sorted(cluster_groups)}, expected {int(launch.in_eks)}"
        if len(groups - cluster_groups) != 1:
            yield f"card {card}: other groups {sorted(groups - cluster_groups)}, expected the EFA group alone"
