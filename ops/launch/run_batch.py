"""Starting a run on AWS Batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ops.aws import Account, account_of, explain, outputs
from ops.console import say
from ops.errors import FAILED, INTERRUPTED, RefusedError, UnfinishedError
from ops.launch.cache import check_cache
from ops.launch.container import Launch
from ops.launch.image_check import check_image
from ops.launch.run import PRECOMPILE_JOB_ID
from ops.watch.runs import batch_runs
from spec.names import Output, StackName
from spec.output_values import with_slots
from spec.team import Team


def start(launches: Sequence[Launch], requests: Sequence[Mapping[str, Any]]) -> str:
    """Submit the requests in order, each after the one before has its id; the job id of the training run."""
    job, team = launches[0].job, launches[0].team
    account = account_of(team)
    storage, batch = outputs(account, team, StackName.STORAGE), outputs(account, team, StackName.BATCH)
    check_cache(job, team, batch_runs(account, team))
    check_image(account, team, job.image, storage)
    _check_queue(account, team, batch[Output.JOB_QUEUE_ARN])
    submitted: list[str] = []

    def value(key: str) -> str:
        if key == PRECOMPILE_JOB_ID:
            return submitted[-1]
        return storage[key] if key in storage else batch[key]

    for launch, request in zip(launches, requests, strict=True):
        filled = with_slots(request, value)
        try:
            # Once: SubmitJob has no token by which Batch would know a second try of the same request.
            job_id: str = account.once("batch").submit_job(**filled)["jobId"]
        except ClientError as error:
            if not submitted:
                raise
            raise _half_done(launch, explain(error), submitted, f"training job {launch.app}") from error
        except (BotoCoreError, KeyboardInterrupt) as error:
            why = "interrupted" if isinstance(error, KeyboardInterrupt) else explain(error)
            code = INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
            perhaps = f"perhaps {launch.app}: whether Batch took it is not known"
            raise _half_done(launch, why, submitted, perhaps, code) from None
        submitted.append(job_id)
        say(f"submitted {launch.app}: {job_id}" + (", after the one before" if len(submitted) > 1 else ""))
    return submitted[-1]


def _check_queue(account: Account, team: Team, arn: str) -> None:
    """RefusedError where the queue takes no jobs."""
    for queue in account.client("batch").describe_job_queues(jobQueues=[arn])["jobQueues"]:
        if queue["state"] != "ENABLED":
            name = queue["jobQueueName"]
            raise RefusedError(
                f"queue {name}: got {queue['state']}, expected ENABLED; an administrator has closed it for clean-up "
                f"(`trn cleanup {team.name} --reopen` opens it again)"
            )


def _half_done(
    launch: Launch, reason: str, submitted: Sequence[str], left: str, exit_code: int = FAILED
) -> UnfinishedError:
    job, team = launch.job, launch.team.name
    back = f"; `trn cancel {submitted[0]} --team {team}` takes the precompile job back" if submitted else ""
    return UnfinishedError(
        reason,
        done=[f"precompile job {job_id} submitted" for job_id in submitted],
        left=[left],
        way_on=f"`trn status {team}` shows what is there; `trn run {job.path} --team {team} --on batch` submits "
        f"training, once the precompile job has ended{back}",
        exit_code=exit_code,
    )
