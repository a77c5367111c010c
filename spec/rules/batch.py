"""Rules about the AWS Batch path."""

import re
from collections.abc import Iterable, Iterator

from spec.findings import Loc, Problem
from spec.team import Batch, Team

SHARE_ID = re.compile(r"[A-Za-z0-9]{1,255}\*?")
LEAST_WEIGHT, MOST_WEIGHT = 0.0001, 999.9999
MAX_SHARES = 500
"""https://docs.aws.amazon.com/batch/latest/APIReference/API_ShareAttributes.html"""


def problems(team: Team) -> Iterator[Problem]:
    if team.batch is None:
        return
    yield from _task_interface(team.batch)
    yield from _shares(team.batch)


def _task_interface(batch: Batch) -> Iterator[Problem]:
    """Batch attaches an interface for the container of a multi-node job, which needs a free place on card 0."""
    row = batch.hardware
    on_card_0 = [item for item in row.network_interfaces(batch.efa_layout) if item.network_card_index == 0]
    if len(on_card_0) >= row.interfaces_per_card:
        expected = (
            f"efa: card 0 of {row.instance_type} takes {row.interfaces_per_card} interfaces, "
            "and the container of a multi-node job needs one of them"
        )
        reads: tuple[Loc, ...] = (("batch", "instance_type"),)
        yield Problem("error", ("batch", "efa_layout"), batch.efa_layout, expected, reads)


def _shares(batch: Batch) -> Iterator[Problem]:
    loc: Loc = ("batch", "shares")
    if len(batch.shares) > MAX_SHARES:
        yield Problem("error", loc, f"{len(batch.shares)} share identifiers", f"at most {MAX_SHARES}")
    for name, weight in batch.shares.items():
        if not SHARE_ID.fullmatch(name):
            expected = "a share identifier of up to 255 letters and digits, with * at the end for a prefix"
            yield Problem("error", (*loc, name), f"the identifier {name}", expected)
        elif covering := _covering(name, batch.shares):
            yield Problem("error", (*loc, name), f"the identifier {name}", f"one that {covering} does not cover")
        if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            expected = f"a weight from {LEAST_WEIGHT} to {MOST_WEIGHT} (a lower weight gets more)"
            yield Problem("error", (*loc, name), f"{weight:g}", expected)


def _covering(name: str, shares: Iterable[str]) -> str | None:
    """Another identifier with a trailing * that the name falls under."""
    covering = (other for other in shares if other != name and other.endswith("*") and name.startswith(other[:-1]))
    return next(covering, None)
