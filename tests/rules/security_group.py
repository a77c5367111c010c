"""Rules about all security groups, and the one that Batch gives to tasks."""

from __future__ import annotations

from tests.conftest import Synthesized
from tests.rules.cfn import EVERYWHERE, Resource, count, group_rules, resources, target
from tests.rules.training import COMPUTE_ENVIRONMENT

MAX_PORT = 65535


def group_rules_are_well_formed(synthesized: Synthesized) -> list[str]:
    """Ports within 0 to 65535 and in order; none with protocol -1, where EC2 ignores them; one peer each."""
    rules = group_rules(synthesized)
    found = [] if rules else ["no security group rule at all"]
    for resource, direction, rule in rules:
        ports = first, last = rule.get("FromPort"), rule.get("ToPort")
        if str(rule["IpProtocol"]) == "-1":
            if ports != (None, None):
                found.append(f"{resource.name}: {direction} ports {ports} with protocol -1")
        elif first is None or last is None or not 0 <= first <= last <= MAX_PORT:
            found.append(f"{resource.name}: {direction} ports {ports}, expected from 0 to {MAX_PORT}, in order")
        peers = [
            key
            for key in rule
            if key.startswith(("Cidr", "SourceSecurityGroup", "DestinationSecurityGroup", "SourcePrefix"))
        ]
        if len(peers) != 1:
            found.append(f"{resource.name}: {direction} peers {peers}, expected one")
    return found


def nothing_is_open_to_the_world(synthesized: Synthesized) -> list[str]:
    """No inbound rule admits the internet; people come in through Session Manager."""
    return [
        f"{resource.name}: inbound from {rule.get('CidrIp', rule.get('CidrIpv6'))}"
        for resource, direction, rule in group_rules(synthesized)
        if direction == "ingress" and (rule.get("CidrIp") in EVERYWHERE or rule.get("CidrIpv6") in EVERYWHERE)
    ]


def multi_node_tasks_reach_each_other(synthesized: Synthesized) -> list[str]:
    """The VPC's default group, which Batch gives to the containers of a multi-node job, admits itself from 1024 up.

    The compute environment can name no groups beside the launch template's interfaces, and MASTER_PORT lies there.
    https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
    """
    found = [f"{item.name}: takes the default group's own rules away" for item in _restrictions(synthesized)]
    open_groups = {
        target(synthesized, resource.stack, rule["GroupId"])
        for resource, direction, rule in group_rules(synthesized)
        if direction == "ingress"
        and "SourceSecurityGroupId" in rule
        and target(synthesized, resource.stack, rule["SourceSecurityGroupId"])
        == target(synthesized, resource.stack, rule["GroupId"])
        and (rule["IpProtocol"], rule.get("FromPort"), rule.get("ToPort")) == ("tcp", 1024, MAX_PORT)
    }
    vpcs = resources(synthesized, "AWS::EC2::VPC")
    defaults = {f"{vpc.name}.DefaultSecurityGroup" for vpc in vpcs}
    environments = resources(synthesized, COMPUTE_ENVIRONMENT)
    found += count("compute environments", len(environments), int(synthesized.team.batch is not None))
    if environments and not defaults <= open_groups:
        found.append(f"groups open to themselves: {sorted(open_groups)}, expected {sorted(defaults)}")
    return found


def _restrictions(synthesized: Synthesized) -> list[Resource]:
    return resources(synthesized, "Custom::VpcRestrictDefaultSG")
