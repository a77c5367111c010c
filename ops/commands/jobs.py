"""Commands about runs: what there is, what it prints, what it uses, and its end."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.commands.options import Json, TeamName, TeamOption, TeamsDir, Yes

RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="Id of a run, name of its job, or path of a job file.", show_default=False)
]
Node = Annotated[int | None, typer.Option("--node", metavar="N", help="Node, from 0.", show_default=False)]


def status(
    team: TeamName,
    *,
    all_: Annotated[bool, typer.Option("--all", help="List runs that have ended, too.")] = False,
    json: Json = False,
    teams_dir: TeamsDir = None,
) -> None:
    """Show the runs of a team, why they wait, and how full its queues are.

    Ended runs of Batch are listed for a day, those of EKS as long as their Volcano job is there.
    """
    from ops.commands.opened import opened
    from ops.watch.status import report, show_report

    found, account = opened(team, teams_dir)
    show_report(report(account, found, ended=all_), as_json=json)


def logs(
    run: RunName,
    team: TeamOption,
    *,
    node: Node = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run ends.")] = False,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", min=1, max=10000, help="The last N lines only.")
    ] = None,
    all_nodes: Annotated[bool, typer.Option("--all-nodes", help="Every node, each line with its node.")] = False,
    teams_dir: TeamsDir = None,
) -> None:
    """Print what a run prints: that of rank 0, which is found by itself.

    With --follow the exit code is 1 when the run ends and has not succeeded.
    """
    from ops.commands.opened import opened
    from ops.errors import RefusedError, StoppedError
    from ops.watch.logs import lines_of_all, logs_of
    from ops.watch.run_names import run_named

    if all_nodes and node is not None:
        raise RefusedError("--node: got it together with --all-nodes, expected one of them")
    found, account = opened(team, teams_dir)
    chosen = run_named(account, found, run)
    try:
        with logs_of(account, found, chosen) as printed:
            if all_nodes:
                lines = lines_of_all(printed, chosen.nodes, follow=follow, tail=tail)
            else:
                lines = (printed.follow if follow else printed.read)(node, tail)
            for line in lines:
                typer.echo(line)
    except KeyboardInterrupt:
        again = f"trn logs {chosen.id} --team {team} --follow --tail 100"
        raise StoppedError(f"stopped showing the log; run {chosen.id} goes on. Again: `{again}`") from None


def top(run: RunName, team: TeamOption, node: Node = None, teams_dir: TeamsDir = None) -> None:
    """Show how busy the NeuronCores of a run are: neuron-top in one of its containers.

    On EKS it runs in this terminal and needs kubectl; for a run on Batch what to type is printed.
    """
    from ops.commands.opened import opened
    from ops.watch.run_names import run_named
    from ops.watch.top import top_on_batch, top_on_eks

    found, account = opened(team, teams_dir)
    chosen = run_named(account, found, run)
    if chosen.path == "batch":
        typer.echo(top_on_batch(account, chosen, node or 0))
    else:
        raise typer.Exit(top_on_eks(account, found, chosen, node or 0))


def cancel(run: RunName, team: TeamOption, yes: Yes = False, teams_dir: TeamsDir = None) -> None:
    """End a run before it ends by itself; asks first."""
    from ops.commands.opened import opened
    from ops.console import say
    from ops.watch.cancel import cancel_run
    from ops.watch.run_names import job_name, run_among
    from ops.watch.runs import all_runs

    found, account = opened(team, teams_dir)
    name = job_name(run)
    runs = all_runs(account, found)
    chosen = run_among(runs, account, found, name)
    cancel_run(account, found, chosen, yes=yes)
    for other in runs:
        if other.active and other.job == chosen.job and other.id != chosen.id:
            again = f"trn cancel {other.id} --team {team}"
            say(f"run {other.id} ({other.phase}, {other.state}) of the same job goes on: {again}")


def register(app: typer.Typer) -> None:
    for command in (status, logs, top, cancel):
        app.command()(command)
