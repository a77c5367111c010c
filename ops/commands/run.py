"""The command that starts a job."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ops.commands.options import TeamOption, TeamsDir


def run(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="Job file.", show_default=False)],
    team: TeamOption,
    on: Annotated[
        Literal["eks", "batch"] | None,
        typer.Option(help="Path to run on. Default: the only one the team has.", show_default=False),
    ] = None,
    queue: Annotated[str | None, typer.Option(help="EKS: queue, in place of the job file's.")] = None,
    node_group: Annotated[str | None, typer.Option(help="EKS: node group, in place of the job file's.")] = None,
    share: Annotated[str | None, typer.Option(help="Batch: share identifier, in place of the job file's.")] = None,
    precompile: Annotated[
        bool, typer.Option("--precompile", help="Fill the compile cache first, in a job of its own.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be sent, without an account.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Then print the log of rank 0 until the run ends.")] = False,
    teams_dir: TeamsDir = None,
) -> None:
    """Start a training job on EKS or AWS Batch.

    Prints the run id. What the team cannot run is refused with every reason, before anything is sent (exit code 2).
    """
    from ops.launch.run import run as start

    started = start(
        job,
        team,
        teams_dir=teams_dir,
        on=on,
        precompile=precompile,
        dry_run=dry_run,
        queue=queue,
        node_group=node_group,
        share=share,
    )
    if started is None:
        return
    typer.echo(started)
    if follow:
        from ops.commands.jobs import logs

        logs(started, team, follow=True, teams_dir=teams_dir)


def register(app: typer.Typer) -> None:
    app.command()(run)
