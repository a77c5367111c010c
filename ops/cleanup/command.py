"""`trn cleanup`: plan, question, steps, the line to destroy the stacks, receipt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import typer
from kubernetes import client

from ops.aws import Account
from ops.cleanup.plan import destroy_line
from ops.cleanup.queue_state import set_batch_queue, set_volcano_queue
from ops.cleanup.read import cluster_balancers, plan
from ops.cleanup.receipt import receipt
from ops.cleanup.steps import CleanUp, Step, carry_out, do_all
from ops.console import confirm, say, show, show_json
from ops.deployed import known_outputs
from ops.errors import OpsError, RefusedError
from ops.kube import cluster_api
from ops.waiting import Told
from ops.watch.runs import queue_names
from spec.names import Output, StackName
from spec.team import Team


@contextmanager
def cluster_if_there(account: Account, team: Team) -> Iterator[client.ApiClient | None]:
    """The API of the team's cluster; None where there is none. One that cannot be reached is an error."""
    if team.eks is None or not known_outputs(account, team, StackName.CLUSTER):
        yield None
        return
    with cluster_api(account, team) as api:
        yield api


def clean_up(
    account: Account, team: Team, *, images: bool, only_plan: bool = False, as_json: bool = False, yes: bool = False
) -> None:
    """Show the plan, ask, carry it out, and say what is left to do and what still exists."""
    with cluster_if_there(account, team) as api:
        it = plan(account, team, api, images=images)
        if as_json:
            show_json(it.as_json())
            return
        typer.echo("\n".join(it.lines()))
        if only_plan:
            return
        if not it.empty:
            if not confirm(f"Do this to team {team.name}?", yes=yes):
                raise RefusedError("nothing was changed. Without a terminal to ask at, give --yes")
            carry_out(CleanUp(account, team, api, it))
    if it.volcano_queues or it.batch_queue:
        say(f"To keep the team after all, open its queues again: trn cleanup {team.name} --reopen")
    for arn in cluster_balancers(account, team):
        say(f"warning: {arn} is tagged as the cluster's and still there; while it is, the VPC cannot be deleted")
    typer.echo(f"\nNow delete the stacks:\n  {destroy_line(team)}")
    if team.storage.lustre is not None and team.storage.on_delete == "retain":
        typer.echo(
            f"The file system stays, and {team.name}/{StackName.NETWORK} with it: destroy that stack when the file "
            "system is gone."
        )
    typer.echo(f"and then see what is left: trn cleanup {team.name} --receipt\n")
    show_receipt(account, team, as_json=False)


def show_receipt(account: Account, team: Team, *, as_json: bool) -> None:
    """What still exists under the team's tag."""
    rows = receipt(account, team)
    show(rows, as_json=as_json, empty=f"nothing is left with the tag of team {team.name}")
    if rows and not as_json:
        say("AWS may list what was deleted for some hours yet.")


def reopen_queues(account: Account, team: Team, *, only_plan: bool = False) -> None:
    """Undo the closing of queues; runs that were cancelled have to be started again."""
    again = f"Run `trn cleanup {team.name} --reopen` again: queues that are open stay so"
    batch = known_outputs(account, team, StackName.BATCH) if team.batch else {}
    arn = batch.get(Output.JOB_QUEUE_ARN)
    with cluster_if_there(account, team) as api:
        steps: list[Step] = []
        if api is not None:
            steps += [(f"open queue {name}", partial(_open_volcano, api, name)) for name in queue_names(team)]
        if arn:
            steps.append((f"enable {arn}", partial(_open_batch, account, arn)))
        if only_plan:
            typer.echo("\n".join(name for name, _ in steps) or "there is no queue")
        else:
            do_all(steps, again)


def _open_volcano(api: client.ApiClient, name: str, told: Told) -> None:
    if not set_volcano_queue(api, name, "OpenQueue", told):
        raise OpsError("there is no such queue; a deployment makes it")


def _open_batch(account: Account, arn: str, _: Told) -> None:
    if not set_batch_queue(account, arn, "ENABLED"):
        raise OpsError("there is no such queue; a deployment makes it")
