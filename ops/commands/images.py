"""Commands about container images."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.commands.options import TeamName, TeamsDir

Names = Annotated[
    list[str], typer.Argument(metavar="IMAGE...", help="Folders in images/, or `all`.", show_default=False)
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the commands; nothing is built or looked up.")]

app = typer.Typer(help="Build and push a team's container images. Needs docker with buildx.", no_args_is_help=True)


@app.command()
def build(team: TeamName, images: Names, *, dry_run: DryRun = False, teams_dir: TeamsDir = None) -> None:
    """Build images on this machine, for x86-64."""
    _build(team, images, push=False, dry_run=dry_run, teams_dir=teams_dir)


@app.command()
def push(team: TeamName, images: Names, *, dry_run: DryRun = False, teams_dir: TeamsDir = None) -> None:
    """Build images and push them to the team's repositories; a tag that is taken is refused."""
    _build(team, images, push=True, dry_run=dry_run, teams_dir=teams_dir)


def _build(team: str, names: list[str], *, push: bool, dry_run: bool, teams_dir: TeamsDir) -> None:
    from ops.commands.opened import opened
    from ops.images.docker import build as build_images, show_commands
    from ops.teams import find_team

    if dry_run:
        show_commands(find_team(team, teams_dir), names, push=push)
        return
    found, account = opened(team, teams_dir)
    build_images(account, found, names, push=push)


def register(to: typer.Typer) -> None:
    to.add_typer(app, name="images")
