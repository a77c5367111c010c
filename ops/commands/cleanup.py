"""The command that readies a team for deletion."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.commands.options import Json, TeamName, TeamsDir, Yes


def cleanup(
    team: TeamName,
    *,
    images: Annotated[bool, typer.Option("--images", help="Delete container images, too.")] = False,
    receipt: Annotated[bool, typer.Option("--receipt", help="Only list what still exists, by tag.")] = False,
    reopen: Annotated[bool, typer.Option("--reopen", help="Undo: open the queues again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; nothing is changed.")] = False,
    json: Json = False,
    yes: Yes = False,
    teams_dir: TeamsDir = None,
) -> None:
    """Ready a team for `cdk destroy`: end its jobs, close its queues, delete claims and load balancers.

    Prints the plan and asks first. Then prints the `cdk destroy` line, and what still exists and costs money.
    With --json it prints the plan alone, or the receipt.
    """
    from ops.cleanup.command import clean_up, reopen_queues, show_receipt
    from ops.commands.opened import opened

    _refuse_together({"--receipt": receipt, "--reopen": reopen, "--images": images})
    _refuse_together({"--receipt": receipt, "--dry-run": dry_run})
    _refuse_together({"--reopen": reopen, "--json": json})
    found, account = opened(team, teams_dir)
    if receipt:
        show_receipt(account, found, as_json=json)
    elif reopen:
        reopen_queues(account, found, only_plan=dry_run)
    else:
        clean_up(account, found, images=images, only_plan=dry_run, as_json=json, yes=yes)


def _refuse_together(flags: dict[str, bool]) -> None:
    """RefusedError where more than one flag is given."""
    from ops.errors import RefusedError

    given = [flag for flag, value in flags.items() if value]
    if len(given) > 1:
        raise RefusedError(f"{given[0]}: got it together with {' and '.join(given[1:])}, expected one of them")


def register(app: typer.Typer) -> None:
    app.command()(cleanup)
