"""Commands that reach into a cluster: a kubeconfig, a token, TensorBoard."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.commands.options import TeamName, TeamsDir


def kubeconfig(team: TeamName, teams_dir: TeamsDir = None) -> None:
    """Print a kubeconfig of a team's cluster, for kubectl; it holds no secret."""
    import yaml

    from ops.commands.opened import opened
    from ops.teams import eks_of
    from ops.watch.kubeconfig import kubeconfig as config_of

    found, account = opened(team, teams_dir)
    eks_of(found)
    typer.echo(yaml.safe_dump(config_of(account, found), sort_keys=False), nl=False)


def kube_token(
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER")],
    region: Annotated[str, typer.Option("--region")],
) -> None:
    """Print a credential for kubectl, as `trn kubeconfig` has it asked for."""
    import json

    from ops.aws import Account
    from ops.watch.kubeconfig import credential

    typer.echo(json.dumps(credential(Account(region), cluster)))


def tensorboard(
    team: TeamName,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Port on this machine. Default: TensorBoard's own.")
    ] = None,
    teams_dir: TeamsDir = None,
) -> None:
    """Open a way to a team's TensorBoard until Ctrl-C. Needs kubectl."""
    from ops.commands.opened import opened
    from ops.watch.tensorboard import forward

    found, account = opened(team, teams_dir)
    raise typer.Exit(forward(account, found, port))


def register(app: typer.Typer) -> None:
    app.command()(kubeconfig)
    app.command(hidden=True)(kube_token)
    app.command()(tensorboard)
