"""Commands about files alone: no account, no cluster."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer


def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Team and job files.", show_default=False)],
    on: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DATE",
            help="Day by which the support of Kubernetes versions is judged. Default: today.",
        ),
    ] = None,
) -> None:
    """Check team and job files without AWS.

    Prints every finding as FILE:LINE: KEY: got X, expected Y. Exits with 2 on any error; warnings alone exit with 0.
    """
    from ops.validate import validate_files

    raise typer.Exit(validate_files(files, today=(on or datetime.now()).date(), echo=typer.echo))


def schema(
    kind: Annotated[Literal["team", "job"], typer.Argument(help="Kind of file.")] = "team",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the keys as tables of docs/team-file.md or docs/job-file.md.")
    ] = False,
) -> None:
    """Print the JSON Schema of team or job files, for editors."""
    from spec.schema import job_key_tables, job_schema_text, key_tables, schema_text

    if kind == "job":
        typer.echo(job_key_tables() if markdown else job_schema_text(), nl=False)
    else:
        typer.echo(key_tables() if markdown else schema_text(), nl=False)


def register(app: typer.Typer) -> None:
    app.command()(validate)
    app.command()(schema)
