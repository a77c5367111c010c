"""The `trn` command. Each command imports what it needs when it runs, so that `trn --help` is quick."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ops.commands import account, cleanup, cluster, data, files, images, jobs, run as run_commands
from ops.errors import FAILED, INTERRUPTED, OpsError, WrongFileError

app = typer.Typer(
    name="trn",
    help="Distributed training on AWS Trainium: check what a team asks for, run its jobs, watch them, clean up.",
    no_args_is_help=True,
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


for commands in (account, cleanup, cluster, data, files, images, jobs, run_commands):
    commands.register(app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code; what goes wrong is said in one message, without a traceback."""
    try:
        app(arguments, prog_name="trn")
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else int(done.code is not None)
        if code == INTERRUPTED:  # what Typer makes of Ctrl-C
            typer.echo("trn: interrupted", err=True)
        return code
    except KeyboardInterrupt:
        typer.echo("trn: interrupted", err=True)
        return INTERRUPTED
    except OpsError as error:
        typer.echo(error if isinstance(error, WrongFileError) else f"trn: {error}", err=True)
        return error.exit_code
    except Exception as error:
        text = _explain(error)
        if text is None:
            raise
        typer.echo(f"trn: {text}", err=True)
        return FAILED
    return 0


def _explain(error: Exception) -> str | None:
    """The message for an error of a library that talks to AWS or Kubernetes; None for a fault of our own."""
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    if isinstance(error, ResponseParserError):
        return f"what answered is not AWS, such as a proxy: {str(error).splitlines()[0][:200]}"
    if isinstance(error, BotoCoreError | ClientError):
        from ops.aws import explain

        return explain(error)
    if "kubernetes" in sys.modules:
        from kubernetes.client import ApiException
        from urllib3.exceptions import HTTPError

        if isinstance(error, ApiException | HTTPError):
            from ops.kube import explain as explain_kubernetes

            return explain_kubernetes(error)
    return None


def main() -> None:
    sys.exit(run())
