"""The `trn` command. Each command imports what it needs when it runs, so that `trn --help` is quick."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="trn",
    help="Checks what teams ask for: distributed training on AWS Trainium.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("trn-training"))
        raise typer.Exit


@app.callback()
def trn(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Team files.", show_default=False)],
    on: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DATE",
            help="Day by which the support of Kubernetes versions is judged. Default: today.",
        ),
    ] = None,
) -> None:
    """Check team files without AWS.

    Prints every finding as FILE:LINE: KEY: got X, expected Y. Exits with 2 on any error; warnings alone exit with 0.
    """
    from ops.validate import validate_files

    raise typer.Exit(validate_files(files, today=(on or datetime.now()).date(), echo=typer.echo))


@app.command()
def schema(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the keys as tables of docs/team-file.md.")
    ] = False,
) -> None:
    """Print the JSON Schema of team files, for editors."""
    from spec.schema import key_tables, schema_text

    typer.echo(key_tables() if markdown else schema_text(), nl=False)


def main() -> None:
    app()
