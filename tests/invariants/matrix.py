"""Teams for every hardware row, EFA layout and path, with every other choice spread over them.

`COMBINATIONS` is the whole product. What the validator takes of it is synthesized; the rest says why in `refused`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from spec.hardware import HARDWARE, EfaLayout, Hardware

Path = Literal["eks", "batch"]
Kind = Literal["on-demand", "reservation", "capacity-block"]
LAYOUTS: tuple[EfaLayout | None, ...] = (None, "efa", "efa-only")
PATHS: tuple[Path, ...] = ("eks", "batch")
KINDS: tuple[Kind, ...] = ("on-demand", "reservation", "capacity-block")
RESERVATION = "cr-0123456789abcdef0"
BLOCK = "cr-0fedcba9876543210"
ACCOUNT = "111122223333"
GROUP_NAME = "existing-group"
ALICE = f"arn:aws:iam::{ACCOUNT}:role/Alice"

CAPACITY: Mapping[Kind, Any] = {
    "on-demand": "on-demand",
    "reservation": {"reservation": RESERVATION},
    "capacity-block": {"capacity_block": BLOCK},
}
PLACEMENTS: Mapping[Kind, Sequence[str]] = {
    "on-demand": ("create", "none", GROUP_NAME),
    "reservation": ("none", GROUP_NAME),
    "capacity-block": ("none",),
}
"""The placements to try with each kind of capacity."""


@dataclass(frozen=True)
class Combination:
    """One hardware row on one path, in one layout (None: not stated), with one kind of capacity."""

    row: Hardware
    layout: EfaLayout | None
    path: Path
    capacity: Kind

    def __str__(self) -> str:
        return f"{self.row.instance_type}-{self.layout or 'default'}-{self.path}-{self.capacity}"

    @property
    def refused(self) -> str | None:
        """Words of the refusal; None where the combination is valid."""
        name = self.row.instance_type
        if self.layout is not None and name == "trn1.2xlarge":
            return "has no EFA"
        if self.path == "batch" and self.capacity == "capacity-block":
            return "an eks node group can"
        if self.capacity == "capacity-block" and name in ("trn1.2xlarge", "trn1n.32xlarge"):
            return "no capacity blocks"
        if self.path == "batch" and self.layout == "efa-only" and name.startswith("trn2"):
            return "container of a multi-node job needs one"
        return None


COMBINATIONS = tuple(
    Combination(row, layout, path, kind)
    for row, layout, path, kind in product(HARDWARE.values(), LAYOUTS, PATHS, KINDS)
)

STORAGES: tuple[Mapping[str, Any], ...] = (
    {"lustre": {"deployment": "PERSISTENT_2", "capacity_gib": 2400, "throughput": 1000}},
    {"on_delete": "delete", "lustre": {"deployment": "SCRATCH_2", "capacity_gib": 4800}},
    {"bucket": "a-bucket-that-exists", "lustre": {"deployment": "PERSISTENT_1", "throughput": 50}},
    {"on_delete": "delete"},
    {"lustre": {"s3_link": False}},
    {"on_delete": "delete", "lustre": {"deployment": "PERSISTENT_2", "throughput": 125}},
    {},
)
NATS = ("single", "none")
ACCOUNTS = (None, ACCOUNT, None)
VERSIONS: tuple[Mapping[str, Any], ...] = (
    {"version": "1.35"},
    {"version": "1.36", "upgrade_policy": "EXTENDED", "public_access_cidrs": ["203.0.113.0/24"]},
    {"version": "1.33", "upgrade_policy": "EXTENDED"},
    {"version": "1.34", "rendezvous": "etcd"},
)
BATCHES: tuple[Mapping[str, Any], ...] = (
    {},
    {"shares": {"vision": 1, "language": 0.5}, "attempts": 1},
    {"ami_id": "ami-0123456789abcdef0", "timeout_hours": 1, "max_runnable_minutes": 10},
    {"root_volume_gib": 1000},
)
IMAGES = (["bert", "llama2", "allreduce"], ["own"])
TAGS: tuple[Mapping[str, str], ...] = ({}, {"cost-center": "4711"})

SHARED: Mapping[str, Any] = {
    "admins": [f"arn:aws:iam::{ACCOUNT}:role/Admin"],
    "rendezvous": "etcd",
    "dynamic_volumes": True,
    "registry_mirrors": {"docker.io": "mirror.example/hub", "quay.io": "mirror.example/quay"},
    "queues": [
        {"name": "vision", "neuron_devices": 16, "researchers": [ALICE, f"arn:aws:iam::{ACCOUNT}:user/Bob"]},
        {"name": "language", "weight": 3, "neuron_devices": 32, "researchers": [ALICE]},
    ],
}
"""A cluster that two groups of researchers share; Alice is in both."""


def teams() -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, keys of the team file) of each team: one for each row, layout and path."""
    rows = [
        (row, layout, path)
        for row, layout, path in product(HARDWARE.values(), LAYOUTS, PATHS)
        if not Combination(row, layout, path, "on-demand").refused
    ]
    for number, (row, layout, path) in enumerate(rows):
        yield team_name(row, layout, path), _keys(number, row, layout, path)
    row = HARDWARE["trn1.32xlarge"]
    yield "both-paths", _keys(0, row, "efa", "eks") | {"batch": _batch(1, row, "efa")}
    shared = _keys(0, row, "efa", "eks")
    yield "shared", shared | {"eks": shared["eks"] | SHARED}


def team_name(row: Hardware, layout: EfaLayout | None, path: Path) -> str:
    return "-".join(filter(None, (row.instance_type.replace(".", "-"), layout, path)))


def _keys(number: int, row: Hardware, layout: EfaLayout | None, path: Path) -> dict[str, Any]:
    # Counters of different lengths meet in different pairs; the two paths take turns, hence the half.
    turn = number // 2
    region, zones = list(row.zone_ids.items())[turn % len(row.zone_ids)]
    network = {"training_zone": zones[0], "nat": NATS[turn % len(NATS)]}
    if path == "eks" or number % 3:
        network["second_zone"] = f"{zones[0].partition('-')[0]}-az{9 if turn % 2 else 8}"
    part = _eks(turn, row, layout) if path == "eks" else _batch(turn, row, layout)
    return {
        "region": region,
        "account": ACCOUNTS[turn % len(ACCOUNTS)],
        "network": network,
        "storage": STORAGES[turn % len(STORAGES)],
        "images": IMAGES[number % len(IMAGES)],
        "tags": TAGS[turn % len(TAGS)],
        path: part,
    }


def _eks(turn: int, row: Hardware, layout: EfaLayout | None) -> dict[str, Any]:
    """A cluster with one node group for each valid kind of capacity and placement."""
    groups = [
        {"name": f"{kind}-{placement}", "placement_group": placement, "capacity": CAPACITY[kind], "max": 4}
        | {"instance_type": row.instance_type, "taint": bool(index % 2)}
        | ({"efa_layout": layout} if layout else {})
        for kind in CAPACITY
        if not Combination(row, layout, "eks", kind).refused
        for index, placement in enumerate(PLACEMENTS[kind])
    ]
    admins = [f"arn:aws:iam::{ACCOUNT}:role/Admin{index}" for index in range(turn % 3)]
    return {"node_groups": groups, "admins": admins} | dict(VERSIONS[turn % len(VERSIONS)])


def _batch(turn: int, row: Hardware, layout: EfaLayout | None) -> dict[str, Any]:
    kind: Kind = "reservation" if turn % 3 == 1 else "on-demand"
    placement = PLACEMENTS[kind][turn % len(PLACEMENTS[kind])]
    return (
        {"instance_type": row.instance_type, "max_nodes": turn + 2 if row.efa_interfaces else 1}
        | {"capacity": CAPACITY[kind], "placement_group": placement}
        | ({"efa_layout": layout} if layout else {})
        | dict(BATCHES[turn % len(BATCHES)])
    )
