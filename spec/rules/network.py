"""Rules about the Region, the zones and the address ranges."""

import difflib
from collections.abc import Iterator
from ipaddress import IPv4Network

from spec.findings import Loc, Problem
from spec.hardware import HARDWARE
from spec.subnets import POD_ADDRESSES_PER_NODE, PRIVATE_PREFIX_DELTA
from spec.team import Batch, NodeGroup, Team
from spec.versions import INTERFACE_ENDPOINTS

# EKS cannot put a control plane into these zones.
# https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
CONTROL_PLANE_DENIED_ZONES = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})

PRIVATE_RANGES = tuple(IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
VPC_PREFIXES = range(16, 25)
"""Prefix lengths of a VPC: EC2 takes /16 at the largest, and a quarter of less than /24 holds no training node."""
SERVICE_PREFIXES = range(12, 25)
"""https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html"""

AWS_RESERVED_ADDRESSES = 5
"""Addresses that AWS keeps in every subnet. https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""
SHARED_ADDRESSES = 32
"""Set aside for the control plane (16 advised by EKS), the file system and the kubectl handler."""
TASK_ADDRESSES_PER_HOST = 1
"""A multi-node Batch job gives each container an interface of its own."""

_DIRECTIONS = {
    "north": "n",
    "south": "s",
    "east": "e",
    "west": "w",
    "central": "c",
    "northeast": "ne",
    "southeast": "se",
    "northwest": "nw",
    "southwest": "sw",
}


def zone_prefix(region: str) -> str | None:
    """What the zone ids of a Region start with, such as usw2 for us-west-2; None for a name of another form."""
    *area, direction, number = region.split("-")
    if direction not in _DIRECTIONS:
        return None
    return "".join(part if index == 0 else part[0] for index, part in enumerate(area)) + _DIRECTIONS[direction] + number


def problems(team: Team) -> Iterator[Problem]:
    yield from _region(team)
    yield from _zones(team)
    yield from _offerings(team)
    yield from _cidr(team)
    yield from _subnet(team)


def trainium_parts(team: Team) -> Iterator[tuple[Loc, NodeGroup | Batch]]:
    """Every part that asks for Trainium instances, with its location."""
    if team.eks is not None:
        for index, group in enumerate(team.eks.node_groups):
            yield ("eks", "node_groups", index), group
    if team.batch is not None:
        yield ("batch",), team.batch


def _region(team: Team) -> Iterator[Problem]:
    if zone_prefix(team.region) is None:
        known = sorted({region for row in HARDWARE.values() for region in row.regions})
        close = difflib.get_close_matches(team.region, known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        yield Problem("error", ("region",), team.region, f"a Region such as us-west-2{hint}")


def _zones(team: Team) -> Iterator[Problem]:
    network = team.network
    prefix = zone_prefix(team.region)
    given: list[tuple[Loc, str]] = [(("network", "training_zone"), network.training_zone)]
    if network.second_zone is not None:
        given.append((("network", "second_zone"), network.second_zone))
    given += [(("network", "verified_zones", index), zone) for index, zone in enumerate(network.verified_zones)]
    for loc, zone in given:
        if prefix is not None and not zone.startswith(f"{prefix}-"):
            expected = f"a zone id of {team.region}, such as {prefix}-az1"
            yield Problem("error", loc, zone, expected, (("region",),))
        elif team.eks is not None and loc[1] != "verified_zones" and zone in CONTROL_PLANE_DENIED_ZONES:
            expected = f"another zone of {team.region}: EKS has no control plane in {zone}"
            yield Problem("error", loc, zone, expected)
    if network.second_zone == network.training_zone:
        expected = "another zone than network.training_zone: an EKS control plane spans two"
        yield Problem(
            "error", ("network", "second_zone"), network.training_zone, expected, (("network", "training_zone"),)
        )
    if team.eks is not None and network.second_zone is None:
        expected = "a zone id of a second zone (required with eks: an EKS control plane spans two)"
        yield Problem("error", ("network", "second_zone"), "nothing", expected)


def _offerings(team: Team) -> Iterator[Problem]:
    """Zones and Regions that are not known to offer a type; one account may see more than another."""
    zone = team.network.training_zone
    prefix = zone_prefix(team.region)
    if zone in team.network.verified_zones or not zone.startswith(f"{prefix}-"):
        return
    for part_loc, part in trainium_parts(team):
        row = part.hardware
        loc = (*part_loc, "instance_type")
        if not row.zones_in(team.region):
            expected = (
                f"a type offered in {team.region} ({row.instance_type}: {', '.join(row.regions)}), "
                f"or {zone} in network.verified_zones once "
                f"`trn zones {row.instance_type} --region {team.region}` shows it"
            )
            yield Problem("error", loc, row.instance_type, expected, (("region",), ("network",)))
        elif zone not in row.zones_in(team.region):
            expected = (
                f"a zone known to offer {row.instance_type} ({', '.join(row.zones_in(team.region))}), "
                f"or {zone} in network.verified_zones once `trn zones {row.instance_type}` shows it"
            )
            yield Problem("warning", ("network", "training_zone"), zone, expected, (("region",), loc))


def _private(block: IPv4Network) -> bool:
    return any(block.subnet_of(private) for private in PRIVATE_RANGES)


def _cidr(team: Team) -> Iterator[Problem]:
    loc: Loc = ("network", "cidr")
    block = IPv4Network(team.network.cidr)
    if not _private(block):
        yield Problem("error", loc, str(block), "a private range inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16")
    if block.prefixlen not in VPC_PREFIXES:
        yield Problem("error", loc, str(block), f"a prefix length from /{VPC_PREFIXES[0]} to /{VPC_PREFIXES[-1]}")
    if team.eks is None:
        return
    loc, services = ("eks", "service_ipv4_cidr"), IPv4Network(team.eks.service_ipv4_cidr)
    if not _private(services):
        yield Problem("error", loc, str(services), "a private range inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16")
    if services.prefixlen not in SERVICE_PREFIXES:
        expected = f"a prefix length from /{SERVICE_PREFIXES[0]} to /{SERVICE_PREFIXES[-1]}"
        yield Problem("error", loc, str(services), expected)
    if services.overlaps(block):
        expected = f"a range apart from network.cidr ({block})"
        yield Problem("error", loc, str(services), expected, (("network", "cidr"),))


def _subnet(team: Team) -> Iterator[Problem]:
    """Whether the training subnet holds every node at its most."""
    block = IPv4Network(team.network.cidr)
    if block.prefixlen not in VPC_PREFIXES:
        return
    prefix = block.prefixlen + PRIVATE_PREFIX_DELTA
    free = 2 ** (32 - prefix) - AWS_RESERVED_ADDRESSES
    needed = SHARED_ADDRESSES + (len(INTERFACE_ENDPOINTS) if team.network.nat == "none" else 0)
    if team.eks is not None:
        needed += team.eks.system_nodes.max * (1 + POD_ADDRESSES_PER_NODE)
        for group in team.eks.node_groups:
            needed += group.max * (group.hardware.ip_addresses(group.efa_layout) + POD_ADDRESSES_PER_NODE)
    if team.batch is not None:
        own = team.batch.hardware.ip_addresses(team.batch.efa_layout)
        needed += team.batch.max_nodes * (own + TASK_ADDRESSES_PER_HOST)
    if needed > free:
        got = f"{block}, whose training subnet (/{prefix}) has {free} addresses"
        expected = f"a larger range: the nodes and pods at their most need {needed} (efa_layout: efa-only needs fewer)"
        yield Problem("error", ("network", "cidr"), got, expected, (("eks",), ("batch",)))
