"""Rules about instance types, EFA, capacity and placement, on either path."""

from collections.abc import Iterator

from spec.findings import Loc, Problem
from spec.rules.network import trainium_parts
from spec.team import Batch, NodeGroup, Team


def problems(team: Team) -> Iterator[Problem]:
    seen: dict[str, Loc] = {}
    for loc, part in trainium_parts(team):
        yield from _efa(loc, part)
        yield from _capacity(loc, part)
        yield from _placement(loc, part)
        reservation = part.capacity.reservation_id
        if reservation is None:
            continue
        first = seen.setdefault(reservation, loc)
        if first != loc:
            expected = f"a reservation of its own ({'.'.join(map(str, first))} uses it too)"
            yield Problem("warning", (*loc, "capacity"), reservation, expected, ((*first, "capacity"),))


def _efa(loc: Loc, part: NodeGroup | Batch) -> Iterator[Problem]:
    if part.hardware.efa_interfaces:
        return
    reads: tuple[Loc, ...] = ((*loc, "instance_type"),)
    if "efa_layout" in part.model_fields_set:
        expected = f"no efa_layout: {part.instance_type} has no EFA"
        yield Problem("error", (*loc, "efa_layout"), part.efa_layout, expected, reads)
    if isinstance(part, Batch) and part.max_nodes > 1:
        expected = f"1: {part.instance_type} has no EFA, which a job of several nodes needs"
        yield Problem("error", (*loc, "max_nodes"), str(part.max_nodes), expected, reads)
    if isinstance(part, NodeGroup) and part.max > 1:
        expected = f"1, or jobs of one node each: {part.instance_type} has no EFA"
        yield Problem("warning", (*loc, "max"), str(part.max), expected, reads)


def _capacity(loc: Loc, part: NodeGroup | Batch) -> Iterator[Problem]:
    if part.capacity.kind != "capacity-block":
        return
    block = f"{{capacity_block: {part.capacity.reservation_id}}}"
    if isinstance(part, Batch):
        expected = (
            "on-demand or {reservation: cr-...}: Batch ignores the market options of a launch template, "
            "so that it cannot use a capacity block; an eks node group can"
        )
        yield Problem("error", (*loc, "capacity"), block, expected)
    elif "capacity-block" not in part.hardware.capacity_kinds:
        expected = f"on-demand or {{reservation: cr-...}}: EC2 sells no capacity blocks of {part.instance_type}"
        reads: tuple[Loc, ...] = ((*loc, "instance_type"),)
        yield Problem("error", (*loc, "capacity"), block, expected, reads)


def _placement(loc: Loc, part: NodeGroup | Batch) -> Iterator[Problem]:
    kind, group = part.capacity.kind, part.placement_group
    loc, capacity = (*loc, "placement_group"), (*loc, "capacity")
    if (kind == "reservation" and group == "create") or (kind == "capacity-block" and group not in (None, "none")):
        expected = f"none: a {kind.replace('-', ' ')} brings its own placement, and both together may find no capacity"
        yield Problem("warning", loc, str(group), expected, (capacity,))
    if isinstance(part, Batch) and kind == "on-demand" and group == "none" and part.max_nodes > 1:
        expected = "create or the name of a group: nodes of one job that use EFA share a cluster placement group"
        yield Problem("warning", loc, "none", expected, (capacity, (*loc[:-1], "max_nodes")))
