"""Whether the training subnet has an address for every network card of every node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from ipaddress import IPv4Network

from ops.aws import Account
from ops.deployed import deployed_output, instances
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from ops.preflight.parts import parts_of
from spec.hardware import HARDWARE
from spec.names import TEAM_TAG, Output, StackName
from spec.rules.network import AWS_RESERVED_ADDRESSES
from spec.subnets import PRIVATE_PREFIX_DELTA
from spec.team import Team

REPORT = Reporter("free addresses")


def check(account: Account, team: Team) -> Findings:
    subnet = deployed_output(account, team, StackName.NETWORK, Output.TRAINING_SUBNET_ID)
    if subnet is None:
        free, prefix = planned(team)
        yield judge(f"planned training subnet /{prefix}", free=free, needed=needed(team, running={}))
        return
    found = account.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]
    yield judge(
        f"training subnet {subnet}",
        free=found["AvailableIpAddressCount"],
        needed=needed(team, running=_running(account, team, subnet)),
    )


def planned(team: Team) -> tuple[int, int]:
    """(free addresses, prefix length) of a training subnet that is not deployed yet."""
    subnet = next(IPv4Network(team.network.cidr).subnets(prefixlen_diff=PRIVATE_PREFIX_DELTA))
    return subnet.num_addresses - AWS_RESERVED_ADDRESSES, subnet.prefixlen


def needed(team: Team, *, running: Mapping[str, int]) -> int:
    """Addresses of the network cards of all nodes at their most that do not run yet.

    Pods are left out: what the VPC CNI takes for them is part of `trn validate`. Where parts of one type differ in
    their layout, a running node counts as one with the fewest addresses.
    """
    per_node = [
        (part.asks.instance_type, part.nodes, part.asks.hardware.ip_addresses(part.asks.efa_layout))
        for part in parts_of(team)
    ]
    held = sum(
        count * min(own for other, _, own in per_node if other == instance_type)
        for instance_type, count in running.items()
        if any(other == instance_type for other, _, _ in per_node)
    )
    return max(sum(nodes * own for _, nodes, own in per_node) - held, 0)


def judge(subject: str, *, free: int, needed: int) -> PreflightFinding:
    got = f"{free} free addresses"
    if free < needed:
        expected = f"at least {needed}, one per network card: a larger network.cidr, or efa_layout: efa-only"
        return REPORT.error(subject, got, expected)
    return REPORT.ok(subject, got, f"at least {needed}")


def _running(account: Account, team: Team, subnet: str) -> Mapping[str, int]:
    found = instances(account, {"subnet-id": [subnet], f"tag:{TEAM_TAG}": [team.name]})
    return Counter(each["InstanceType"] for each in found if each["InstanceType"] in HARDWARE)
