"""What runs, counted and priced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spec.prices import PriceTable, is_monthly


@dataclass(frozen=True, slots=True)
class Running:
    """Some things of one kind, before anybody looks at prices."""

    what: str
    count: float
    unit: str
    key: str | None
    """Of the price table; None for what is never priced."""
    paid: str | None = None
    """Why it costs nothing further; None where it costs by the hour."""
    note: str = ""
    """What else to know of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report. Dollars per hour are None where there is no price."""

    what: str
    count: float
    unit: str
    each: float | None
    per_hour: float | None
    note: str


def price(running: Running, table: PriceTable) -> Line:
    """The line of what runs."""
    if running.paid is not None:
        return Line(running.what, running.count, running.unit, None, 0.0, running.paid)
    if running.key is None:
        return Line(running.what, running.count, running.unit, None, None, "not priced")
    each = table.hourly(running.key)
    if each is None:
        note = f"no price: give one in --prices FILE, as {running.key}"
        return Line(running.what, running.count, running.unit, None, None, note)
    note = f"{table.prices[running.key]:g} a month and GB" if is_monthly(running.key) else running.note
    return Line(running.what, running.count, running.unit, each, each * running.count, note)


def total(lines: Sequence[Line]) -> tuple[float, int]:
    """(dollars per hour of every priced line, lines that have no price)."""
    return sum(line.per_hour or 0.0 for line in lines), sum(line.per_hour is None for line in lines)
