"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TEAMS_DIR_VARIABLE = "TEAMS_DIR"

TeamName = Annotated[
    str, typer.Argument(metavar="TEAM", help="Name of a team, or path of its file.", show_default=False)
]
TeamOption = Annotated[str, typer.Option("--team", help="Name of a team, or path of its file.", show_default=False)]
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
