"""What nearly every command begins with: the team file, and the account it is for."""

from __future__ import annotations

from pathlib import Path

from ops.aws import Account, account_of
from ops.teams import find_team
from spec.team import Team


def opened(name: str, teams_dir: Path | None) -> tuple[Team, Account]:
    """A team and its account; RefusedError where either is wrong."""
    team = find_team(name, teams_dir)
    return team, account_of(team)
