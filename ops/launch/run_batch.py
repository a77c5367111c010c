"""Starting a run on AWS Batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import account_of, explain, outputs
from ops.console import say
from ops.errors import UnfinishedError
from ops.launch.cache import check_cache
from ops.launch.container import Launch
from ops.launch.image_check import check_image
from ops.launch.run import PRECOMPILE_JOB_ID
from ops.watch.runs import batch_runs
from spec.names import StackName
from spec.output_values import fill


def start(launches: Sequence[Launch], requests: Sequence[Mapping[str, Any]]) -> str:
    """Submit the requests in order, each after the one before has its id; the job id of the training run."""
    job, team = launches[0].job, launches[0].team
    account = account_of(team)
    values = {**outputs(account, team, StackName.STORAGE), **outputs(account, team, StackName.BATCH)}
    check_cache(job, team, batch_runs(account, team))
    check_image(account, team, job.image)
    submitted: list[str] = []
    for launch, request in zip(launches, requests, strict=True):
        known = values | ({PRECOMPILE_JOB_ID[2:-1]: submitted[-1]} if submitted else {})
        try:
            answer = account.client("batch").submit_job(**fill(request, known))
        except (ClientError, BotoCoreError) as error:
            if not submitted:
                raise
            raise UnfinishedError(
                explain(error),
                done=[f"precompile job {submitted[0]} submitted"],
                left=[f"training job {launch.app}"],
                way_on=f"`trn run {job.path} --team {team.name} --on batch` submits training when the precompile "
                f"job has ended; `trn cancel {submitted[0]} --team {team.name}` takes it back",
            ) from error
        submitted.append(answer["jobId"])
        say(f"submitted {launch.app}: {answer['jobId']}" + (", after the one before" if len(submitted) > 1 else ""))
    return submitted[-1]
