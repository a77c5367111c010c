"""Rules about the network interfaces of launch templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.conftest import Synthesized
from tests.rules.cfn import target
from tests.rules.training import Launch, of_every_launch

EFA_TYPES = ("efa", "efa-only")
INTERFACE_KEYS = {"DeleteOnTermination", "DeviceIndex", "Groups", "InterfaceType", "NetworkCardIndex"}


@of_every_launch
def interfaces_have_places_of_their_own(_: Synthesized, launch: Launch) -> Iterator[str]:
    """No two interfaces share a network card and device index."""
    places = Counter((item["NetworkCardIndex"], item["DeviceIndex"]) for item in launch.interfaces)
    for (card, device), times in places.items():
        if times > 1:
            yield f"{times} interfaces at card {card}, device {device}"


@of_every_launch
def one_interface_routes(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Exactly one interface with an IP address has device index 0, on card 0: the host routes by device index."""
    first = [
        item["NetworkCardIndex"]
        for item in launch.interfaces
        if item["DeviceIndex"] == 0 and item["InterfaceType"] != "efa-only"
    ]
    if first != [0]:
        yield f"interfaces with an address and device index 0 on cards {first}, expected on card 0 alone"


@of_every_launch
def interfaces_fit_their_cards(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Cards 0 to N-1 of the type, and within each a device index that the card has."""
    row = launch.hardware
    cards = sorted({item["NetworkCardIndex"] for item in launch.interfaces})
    if cards != list(range(row.network_cards)):
        yield f"network cards {cards}, expected each of the {row.network_cards} cards of {row.instance_type}"
    for item in launch.interfaces:
        card, device = item["NetworkCardIndex"], item["DeviceIndex"]
        # A device index counts within a card; on further cards it is 1, or 0 for an interface without addresses.
        limit = min(row.interfaces_per_card, 2 if card else row.interfaces_per_card)
        if not 0 <= device < limit:
            yield f"device index {device} on card {card}, expected below {limit}"


@of_every_launch
def every_efa_card_is_used(_: Synthesized, launch: Launch) -> Iterator[str]:
    """As many EFA interfaces as the type takes, at most one per card."""
    row = launch.hardware
    efa = Counter(item["NetworkCardIndex"] for item in launch.interfaces if item["InterfaceType"] in EFA_TYPES)
    if efa.total() != row.efa_interfaces:
        yield f"{efa.total()} EFA interfaces, expected the {row.efa_interfaces} of {row.instance_type}"
    for card, times in efa.items():
        if times > 1:
            yield f"{times} EFA interfaces on card {card}"


@of_every_launch
def interfaces_follow_the_layout(_: Synthesized, launch: Launch) -> Iterator[str]:
    """`efa`: every interface carries both; `efa-only`: one plain primary, all EFA without addresses; no EFA: plain."""
    kinds = Counter(item["InterfaceType"] for item in launch.interfaces)
    efa = launch.hardware.efa_interfaces
    if not efa:
        expected = {"interface": 1}
    elif launch.part.efa_layout == "efa":
        expected = {"efa": efa}
    else:
        expected = {"interface": 1, "efa-only": efa}
    if kinds != expected:
        yield f"interface types {dict(kinds)}, expected {expected}"


@of_every_launch
def no_public_address(_: Synthesized, launch: Launch) -> Iterator[str]:
    """EC2 refuses a public address with more than one interface; training nodes have none anyway."""
    for item in launch.interfaces:
        if item.get("AssociatePublicIpAddress", False) is not False:
            yield f"card {item['NetworkCardIndex']}: AssociatePublicIpAddress"


@of_every_launch
def interfaces_have_no_further_settings(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Neither a subnet (node group and compute environment choose it) nor addresses, which efa-only may not have."""
    for item in launch.interfaces:
        if item.keys() != INTERFACE_KEYS:
            yield f"card {item['NetworkCardIndex']}: keys {sorted(item)}, expected {sorted(INTERFACE_KEYS)}"


@of_every_launch
def groups_in_interfaces_only(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """Every interface carries the same groups; beside interfaces EC2 refuses groups at the template's top level."""
    if not launch.interfaces:
        yield "no network interface"
    for key in ("SecurityGroupIds", "SecurityGroups"):
        if key in launch.data:
            yield f"{key} beside NetworkInterfaces"
    groups = [
        tuple(target(synthesized, launch.template.stack, group) for group in item.get("Groups", []))
        for item in launch.interfaces
    ]
    if not all(groups) or len(set(groups)) > 1:
        yield f"groups of the interfaces: {sorted(set(groups))}, expected one set, not empty, on all of them"
