"""Commands about a team's AWS account: what it offers, what is missing in it, what runs in it and costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.commands.options import Json, TeamName, TeamsDir, Yes


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
    from ops.zones import ask, regions_to_ask, rows
    from spec.findings import SpecError
    from spec.hardware import hardware

    try:
        row = hardware(instance_type)
    except SpecError as error:
        raise RefusedError(str(error)) from None
    accounts = regional_accounts(regions_to_ask(region, row))
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
    from ops.aws import Account
    from ops.errors import FAILED
    from ops.preflight.finding import Severity
    from ops.preflight.listing import print_findings
    from ops.preflight.run import CHECKS, run
    from ops.progress import progress
    from ops.teams import find_team

    found = find_team(team, teams_dir)
    with progress(len(CHECKS)) as told:
        findings = run(Account(found.region), found, told=told)
    print_findings(findings, as_json=as_json)
    if any(finding.severity == Severity.ERROR for finding in findings):
        raise typer.Exit(FAILED)


def scale(
    team: TeamName,
    group: Annotated[
        str, typer.Argument(metavar="GROUP", help="Node group, as the team file calls it.", show_default=False)
    ],
    nodes: Annotated[int, typer.Argument(metavar="N", min=0, help="Nodes to have.", show_default=False)],
    *,
    yes: Yes = False,
    wait: Annotated[bool, typer.Option(help="Wait until all nodes are in service.")] = True,
    teams_dir: TeamsDir = None,
) -> None:
    """Change how many nodes a deployed node group has, between its min and max."""
    from ops.commands.opened import opened
    from ops.console import confirm, say
    from ops.errors import RefusedError
    from ops.nodes.scale import after_deploy, find_group, refuse, request
    from ops.nodes.scale_wait import wait as wait_for

    found, account = opened(team, teams_dir)
    target = find_group(account, found, group)
    refuse(target, nodes)
    if nodes == target.desired:
        say(f"node group {group}: {nodes} nodes are what it is set to already")
        return
    if nodes < target.desired:
        gone = target.desired - nodes
        question = f"node group {group}: {gone} of {target.desired} nodes go, and the jobs on them die. Go on?"
        if not confirm(question, yes=yes):
            raise RefusedError(f"node group {group}: nothing was changed; --yes takes {gone} of its nodes away")
    update = request(account, target, nodes)
    say(f"node group {group}: {target.desired} -> {nodes} nodes")
    if (note := after_deploy(target, nodes)) is not None:
        say(note)
    if wait:
        wait_for(account, target, update, nodes, tell=say)
        say(f"node group {group}: {nodes} nodes in service")
    else:
        say(target.watch)


def cost(
    team: TeamName,
    prices: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML of `as_of` and `prices`, over the built-in ones.", show_default=False),
    ] = None,
    teams_dir: TeamsDir = None,
    as_json: Json = False,
) -> None:
    """Show what runs for a team now and costs, in US dollars per hour at list prices.

    Exits with 1 if nothing could be read.
    """
    import json
    from datetime import datetime

    from ops.commands.opened import opened
    from ops.console import say, show
    from ops.cost.inventory import SERVICES
    from ops.cost.report import report
    from ops.errors import FAILED, RefusedError
    from ops.progress import progress
    from spec.findings import SpecError
    from spec.price_file import load_prices
    from spec.prices import BUILT_IN

    try:
        table = BUILT_IN if prices is None else load_prices(prices)
    except SpecError as error:
        raise RefusedError(str(error)) from None
    found, account = opened(team, teams_dir)
    with progress(len(SERVICES)) as told:
        made = report(account, found, table, today=datetime.now().date(), told=told)
    if as_json:
        typer.echo(json.dumps(made.as_json(), indent=2))
    else:
        show(made.table(), as_json=False, empty="nothing was read" if made.nothing_read else "nothing runs")
        for warning in made.warnings:
            say(f"warning: {warning}")
        typer.echo(made.summary())
    if made.nothing_read:
        raise typer.Exit(FAILED)


def register(app: typer.Typer) -> None:
    for command in (zones, preflight, scale, cost):
        app.command()(command)
