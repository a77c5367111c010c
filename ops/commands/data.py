"""Commands about datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.commands.options import TeamOption, TeamsDir

app = typer.Typer(help="Put datasets where jobs read them.", no_args_is_help=True)
stage = typer.Typer(help="Stage a dataset; what is there already is not sent again.", no_args_is_help=True)
app.add_typer(stage, name="stage")


@stage.command()
def bert(
    team: TeamOption,
    *,
    queue: Annotated[
        str | None, typer.Option("--queue", help="Queue in whose namespace it runs. Default: the first.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the Job; nothing is created.")] = False,
    teams_dir: TeamsDir = None,
) -> None:
    """Stage the BERT dataset onto the shared file system, by a Job in the cluster. Needs an administrator of it."""
    import yaml

    from ops.aws import account_of
    from ops.data.staging import namespace_for, stage_bert
    from ops.data.staging_job import bert_job
    from ops.images.references import chosen, deployed, placeholders
    from ops.kube import cluster_api
    from ops.teams import find_team
    from spec.names import SHELL_IMAGE

    found = find_team(team, teams_dir)
    namespace = namespace_for(found, queue)
    (image,) = chosen(found, [SHELL_IMAGE])
    if dry_run:
        job = bert_job(namespace, f"{placeholders(found)[image]}:{found.image_tag}")
        typer.echo(yaml.safe_dump(job, sort_keys=False), nl=False)
        return
    account = account_of(found)
    uri = f"{deployed(account, found)[image]}:{found.image_tag}"
    with cluster_api(account, found) as api:
        stage_bert(api, found, namespace, uri)


@stage.command()
def llama2(
    team: TeamOption,
    *,
    tokenizer: Annotated[
        Path | None, typer.Option("--tokenizer", metavar="DIR", help="Folder of the Llama-2 tokenizer.")
    ] = None,
    tokenized: Annotated[
        Path | None,
        typer.Option("--tokenized", metavar="DIR", help="Folder of the tokenized dataset, if there is one."),
    ] = None,
    teams_dir: TeamsDir = None,
) -> None:
    """Tokenize the Llama-2 dataset on this machine, with docker, and upload it to the artifact bucket.

    The tokenizer stays here. With --tokenized the dataset is only uploaded.
    """
    from ops.aws import outputs
    from ops.commands.opened import opened
    from ops.data.llama2 import check_tokenized, check_tokenizer, tokenize, upload
    from ops.errors import RefusedError
    from ops.images.references import chosen, deployed
    from spec.names import LLAMA2_IMAGE, Output, StackName

    if tokenized is None and tokenizer is None:
        raise RefusedError("--tokenizer: got nothing, expected the folder of the Llama-2 tokenizer, or --tokenized")
    if tokenizer is not None:
        check_tokenizer(tokenizer)
    if tokenized is not None:
        check_tokenized(tokenized)
    found, account = opened(team, teams_dir)
    bucket = outputs(account, found, StackName.STORAGE)[Output.BUCKET_NAME]
    if tokenized is None:
        assert tokenizer is not None
        (name,) = chosen(found, [LLAMA2_IMAGE])
        tokenized = tokenize(account, found, f"{deployed(account, found)[name]}:{found.image_tag}", tokenizer)
    upload(account, found, bucket, tokenized)


def register(to: typer.Typer) -> None:
    to.add_typer(app, name="data")
