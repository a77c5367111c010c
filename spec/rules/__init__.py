"""Rules that join several values of a team file. Each yields the problems it finds and changes nothing."""

from collections.abc import Iterator
from datetime import date

from spec.findings import Problem
from spec.rules import batch, capacity, eks, network, storage, tags
from spec.team import Team


def problems(team: Team, today: date) -> Iterator[Problem]:
    """Every problem of a team whose single values are right."""
    if team.eks is None and team.batch is None:
        yield Problem("error", ("eks",), "neither eks nor batch", "at least one of them", (("batch",),))
    yield from network.problems(team)
    yield from capacity.problems(team)
    yield from eks.problems(team, today)
    yield from batch.problems(team)
    yield from storage.problems(team)
    yield from tags.problems(team)
