"""What nearly every command begins with: the team file, and the account it is for."""

from __future__ import annotations

from pathlib import Path

from ops.aws import Account, account_of
from ops.teams import TEAMS_DIR, find_team
from spec.team import Team


def team_named(name: str, teams_dir: Path | None) -> Team:
    """The team of a file, by its name or path; RefusedError where there is none or it is wrong."""
    return find_team(name, teams_dir or TEAMS_DIR)


def opened(name: str, teams_dir: Path | None) -> tuple[Team, Account]:
    """A team and its account; RefusedError where either is wrong."""
    team = team_named(name, teams_dir)
    return team, account_of(team)
