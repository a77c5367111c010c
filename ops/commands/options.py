"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from spec.names import TEAMS_DIR_VARIABLE

TEAM_HELP = "Name of a team, or path of its file."


def team_names(incomplete: str) -> list[str]:
    """Names of teams that a shell offers for what has been typed."""
    directory = Path(os.environ.get(TEAMS_DIR_VARIABLE) or Path(__file__).resolve().parents[2] / "teams")
    return [path.stem for path in sorted(directory.glob("*.yaml")) if path.stem.startswith(incomplete)]


TeamName = Annotated[str, typer.Argument(metavar="TEAM", help=TEAM_HELP, show_default=False, autocompletion=team_names)]
TeamOption = Annotated[str, typer.Option("--team", help=TEAM_HELP, show_default=False, autocompletion=team_names)]
TeamsDir = Annotated[
    Path | None,
    typer.Option(
        "--teams-dir",
        envvar=TEAMS_DIR_VARIABLE,
        help="Folder of the team files. Default: teams/ of this checkout.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
