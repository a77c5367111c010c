"""Finding the team file that a command names."""

from __future__ import annotations

from pathlib import Path

from ops.errors import RefusedError
from spec.findings import TeamFileError
from spec.team import Eks, Team
from spec.team_file import find_team_files, load_team

TEAMS_DIR = Path(__file__).resolve().parent.parent / "teams"
"""Where team files lie unless a command is told otherwise."""


def find_team(name: str, directory: Path = TEAMS_DIR) -> Team:
    """The team of a name, or of the path of a .yaml file; RefusedError with every finding where it is wrong."""
    path = Path(name) if name.endswith(".yaml") else directory / f"{name}.yaml"
    try:
        if not path.exists():
            known = ", ".join(file.stem for file in find_team_files(directory))
            raise RefusedError(f"team: got {name}, expected one of {known or 'none'} (the files in {directory})")
        return load_team(path)
    except TeamFileError as error:
        raise RefusedError(str(error)) from None


def eks_of(team: Team) -> Eks:
    """The EKS path of a team; RefusedError without one."""
    if team.eks is None:
        raise RefusedError(f"{team.path}: eks: got nothing, expected the EKS path; this command works on a cluster")
    return team.eks
