"""Finding the team file that a command names."""

from __future__ import annotations

from pathlib import Path

from ops.errors import RefusedError, WrongFileError
from spec.file_kind import is_job_file
from spec.findings import TeamFileError
from spec.team import Eks, Team
from spec.team_file import find_team_files, load_team

TEAMS_DIR = Path(__file__).resolve().parent.parent / "teams"
"""Where team files lie unless a command is told otherwise."""


def find_team(name: str, teams_dir: Path | None = None) -> Team:
    """The team of a name, or of the path of a .yaml file; RefusedError with every finding where it is wrong."""
    directory = teams_dir or TEAMS_DIR
    path = Path(name) if name.endswith(".yaml") else directory / f"{name}.yaml"
    try:
        if not name.endswith(".yaml") and name not in (known := [file.stem for file in find_team_files(directory)]):
            names = ", ".join(known) or "none"
            raise RefusedError(f"team: got {_shown(name)}, expected one of {names} (the files in {directory})")
        if path.is_file() and is_job_file(path):
            raise RefusedError(f"team: got {path}, which is a job file, expected a team file")
        return load_team(path)
    except TeamFileError as error:
        raise WrongFileError(str(error)) from None
    except OSError as error:
        raise RefusedError(f"team: got {_shown(name)}, which cannot be read ({error.strerror})") from None


def eks_of(team: Team) -> Eks:
    """The EKS path of a team; RefusedError without one."""
    if team.eks is None:
        raise RefusedError(f"{team.path}: eks: got nothing, expected the EKS path; this command works on a cluster")
    return team.eks


def _shown(name: str, most: int = 80) -> str:
    return name if len(name) <= most else f"{name[:most]}..."
