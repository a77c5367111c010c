"""The report of `trn cost`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import Account, ends_every_call, explain
from ops.cost.inventory import SERVICES, reservation_ids, unused_reservations
from ops.cost.line import Line, Running, price, total
from ops.errors import OpsError
from spec.prices import REGION, PriceTable
from spec.team import Team


@dataclass(frozen=True)
class Report:
    """What runs and costs, and what could not be read or priced."""

    team: str
    as_of: date
    lines: tuple[Line, ...]
    unread: tuple[str, ...] = ()
    asked: int = len(SERVICES)
    """Services that had something to answer."""
    """Services that did not answer, each with the reason."""
    borrowed: tuple[str, ...] = ()
    """Prices of another Region than the team's."""

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.unread, *self.borrowed)

    @property
    def nothing_read(self) -> bool:
        """Whether no service has answered."""
        return len(self.unread) == self.asked

    @property
    def complete(self) -> bool:
        """Whether everything that was found has a price, and everything was looked for."""
        return not self.unread and not total(self.lines)[1]

    def summary(self) -> str:
        dollars, unpriced = total(self.lines)
        least = "" if self.complete else "at least "
        without = f"; {unpriced} without a price" if unpriced else ""
        return f"total: {least}${dollars:,.2f} per hour at list prices as of {self.as_of}{without}"

    def as_json(self) -> dict[str, Any]:
        return {
            "team": self.team,
            "currency": "USD",
            "prices_as_of": str(self.as_of),
            "lines": [asdict(line) for line in self.lines],
            "total_per_hour": total(self.lines)[0],
            "complete": self.complete,
            "warnings": list(self.warnings),
        }

    def table(self) -> list[dict[str, Any]]:
        return [
            {
                "what": line.what,
                "count": f"{line.count:g} {line.unit}",
                "$/h each": "" if line.each is None else f"{line.each:.5g}",
                "$/h": "?" if line.per_hour is None else f"{line.per_hour:,.2f}",
                "note": line.note,
            }
            for line in self.lines
        ]


def report(
    account: Account,
    team: Team,
    table: PriceTable,
    *,
    today: date,
    told: Callable[[str, int], None] = lambda _text, _done: None,
) -> Report:
    """Read what runs, and price it. A service that does not answer is a warning; expired credentials end it all."""
    running: list[Running] = []
    unread: list[str] = []
    for done, (name, read) in enumerate(SERVICES):
        told(name, done)
        try:
            running += read(account, team, today)
        except OpsError as error:
            unread.append(f"{name}: not read: {error}")
        except (ClientError, BotoCoreError) as error:
            if ends_every_call(error):
                raise
            unread.append(f"{name}: not read: {explain(error)}")
    lines = tuple(price(each, table) for each in running)
    asked = len(SERVICES) - sum(read is unused_reservations and not reservation_ids(team) for _, read in SERVICES)
    return Report(
        team.name, table.as_of, lines, tuple(unread), asked=asked, borrowed=_other_region(running, team, table)
    )


def _other_region(running: Sequence[Running], team: Team, table: PriceTable) -> tuple[str, ...]:
    borrowed = {each.key for each in running if each.paid is None and each.key in table.prices} - table.own
    if team.region == REGION or not borrowed:
        return ()
    keys = ", ".join(sorted(key for key in borrowed if key is not None))
    return (f"prices of {REGION}, not of {team.region}: {keys}; --prices FILE gives your own",)
