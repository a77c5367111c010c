"""Whether the team's zones offer its instance types to this account."""

from __future__ import annotations

from collections.abc import Sequence

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from ops.preflight.parts import parts_of
from ops.zones import offered_zones
from spec.hardware import HARDWARE
from spec.team import Team

REPORT = Reporter("zone offers type")


def check(account: Account, team: Team) -> Findings:
    for instance_type, zones in wanted(team).items():
        offered = offered_zones(account, instance_type)
        for zone in zones:
            reserved = is_reserved(team, instance_type)
            yield judge(instance_type, zone, region=team.region, offered=offered, reserved=reserved)


def wanted(team: Team) -> dict[str, list[str]]:
    """Zone ids that must offer a type, by type: training nodes are in one zone, system nodes in two."""
    network = team.network
    zones = {part.asks.instance_type: [network.training_zone] for part in parts_of(team)}
    if team.eks is not None:
        both = [zone for zone in (network.training_zone, network.second_zone) if zone is not None]
        zones[team.eks.system_nodes.instance_type] = both
    return zones


def is_reserved(team: Team, instance_type: str) -> bool:
    """Whether every node of a type comes from a reservation, which may lie where the type is offered to nobody else."""
    kinds = {part.asks.capacity.kind for part in parts_of(team) if part.asks.instance_type == instance_type}
    return bool(kinds) and "on-demand" not in kinds


def judge(
    instance_type: str, zone: str, *, region: str, offered: Sequence[str], reserved: bool = False
) -> PreflightFinding:
    subject = f"{instance_type} in {zone}"
    if zone in offered:
        return REPORT.ok(subject, "offered", "offered")
    if reserved:
        return REPORT.warning(subject, "not offered on demand", "the zone of the reservation, see that check")
    if not offered:
        way_out = f"a Region of `trn zones {instance_type}`" if instance_type in HARDWARE else "another instance type"
        return REPORT.error(subject, f"offered nowhere in {region}", way_out)
    return REPORT.error(subject, "not offered", f"one of {', '.join(offered)}")
