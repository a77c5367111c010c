"""Commands about a team's AWS account: what it offers, what is missing in it, what runs in it and costs."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.commands.options import Json, TeamName, TeamsDir


def zones(
    instance_type: Annotated[
        str,
        typer.Argument(metavar="TYPE", help="Trainium instance type, such as trn1 with its size.", show_default=False),
    ],
    region: Annotated[
        list[str] | None,
        typer.Option(
            "--region", metavar="REGION", help="Ask this Region; may be repeated. Default: all known to offer it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the zone ids that offer an instance type to this account.

    `table` compares with the built-in table: known, new to it, or missing here. Exits with 1 if no Region answers.
    """
    from ops.aws import regional_accounts
    from ops.console import say, show
    from ops.errors import FAILED, RefusedError
    from ops.progress import progress
    from ops.zones import ask, rows
    from spec.findings import SpecError
    from spec.hardware import hardware

    try:
        row = hardware(instance_type)
    except SpecError as error:
        raise RefusedError(str(error)) from None
    accounts = regional_accounts(region or row.regions)
    with progress(len(accounts)) as told:
        answers = ask(accounts, row, told=told)
    show(rows(answers, row), as_json=as_json, empty="no zone")
    if all(answer.reason is not None for answer in answers):
        say("trn: no Region answered")
        raise typer.Exit(FAILED)


def preflight(team: TeamName, teams_dir: TeamsDir = None, as_json: Json = False) -> None:
    """Check a team's AWS account before a deployment: quota, zones, reservations, addresses, roles, images.

    Changes nothing. Exits with 1 on any ERROR; a check that this role may not make is a WARNING.
    """
    from dataclasses import asdict

    from ops.aws import Account
    from ops.console import show
    from ops.errors import FAILED
    from ops.preflight.finding import Severity
    from ops.preflight.run import CHECKS, run
    from ops.progress import progress
    from ops.teams import TEAMS_DIR, find_team

    found = find_team(team, teams_dir or TEAMS_DIR)
    with progress(len(CHECKS)) as told:
        findings = run(Account(found.region), found, told=told)
    show([asdict(finding) for finding in findings], as_json=as_json, empty="nothing to check")
    if any(finding.severity == Severity.ERROR for finding in findings):
        raise typer.Exit(FAILED)


def register(app: typer.Typer) -> None:
    for command in (zones, preflight):
        app.command()(command)
