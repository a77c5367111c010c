"""How instances are paid for and found: on demand, from an On-Demand Capacity Reservation, or from a Capacity Block."""

from dataclasses import dataclass
from typing import Literal

CapacityKind = Literal["on-demand", "reservation", "capacity-block"]

RESERVATION_ID_PATTERN = r"cr-[0-9a-f]{8,17}"
"""Capacity Blocks and On-Demand Capacity Reservations share one id format."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """`reservation_id` is given for a reservation and a capacity block, and is None on demand."""

    kind: CapacityKind
    reservation_id: str | None = None

    def __str__(self) -> str:
        return self.kind if self.reservation_id is None else f"{self.kind} {self.reservation_id}"


ON_DEMAND = Capacity("on-demand")
