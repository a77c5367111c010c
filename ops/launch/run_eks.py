"""Starting a run in a team's cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from time import sleep
from typing import Any

from kubernetes import client
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed
from urllib3.exceptions import HTTPError

from ops.aws import account_of, outputs
from ops.cluster import RUNS, VOLCANO_QUEUES, find
from ops.console import say
from ops.errors import INTERRUPTED, OpsError, RefusedError, UnfinishedError
from ops.kube import cluster_api, explain
from ops.launch.cache import check_cache
from ops.launch.container import Launch
from ops.launch.image_check import check_image
from ops.launch.torchx_scheduler import submit
from ops.progress import spinner
from ops.watch.runs import UNREACHED, VOLCANO_ENDED, eks_runs, phase_of_job, why
from spec.hardware import NEURON_RESOURCE
from spec.names import StackName, Volcano
from spec.output_values import with_slots
from spec.placement import EksPlacement

WEBHOOK_SECONDS = 180
"""How long Volcano's webhook may be away, as after a change of its node."""
PAUSE_SECONDS = 5
WATCH_SECONDS = 10
"""Pause while a precompile run is watched; the first ones are shorter, so that one that fails at once is said so."""
SILENT_SECONDS = 900
"""How long the cluster may be out of reach while a run is waited for: a laptop that sleeps, a control plane that EKS
replaces."""
PASSING = (408, 429, 500, 502, 503, 504)
"""Answers of the API that mean: later."""


def start(launches: Sequence[Launch], jobs: Sequence[Mapping[str, Any]], placement: EksPlacement) -> str:
    """Submit the jobs in order, each when the one before has completed; the run id of the training run."""
    job, team = launches[0].job, launches[0].team
    account = account_of(team)
    values = outputs(account, team, StackName.STORAGE)
    check_image(account, team, job.image, values)
    with cluster_api(account, team) as api:
        check_cache(job, team, eks_runs(api, team))
        _check_queue(api, launches[0], placement)
        run_id = ""
        for launch, rendered in zip(launches, jobs, strict=True):
            if run_id:
                _wait_until_completed(api, launch, placement, run_id)
                # Hours later somebody else may have come.
                check_cache(job, team, eks_runs(api, team))
            run_id = _submit(api, launch, with_slots(rendered, lambda key: values[key]), placement)
            say(f"submitted {launch.app}: {run_id}")
        return run_id


def _check_queue(api: client.ApiClient, launch: Launch, placement: EksPlacement) -> None:
    """The deployed queue, which may not be what the team file says by now."""
    name = placement.queue.name
    queue = find(api, VOLCANO_QUEUES, name)
    if queue is None:
        raise OpsError(f"queue {name}: not in the cluster; run `.venv/bin/cdk deploy '{launch.team.name}/*'` first")
    state = queue.get("status", {}).get("state", "Open")
    if state != "Open":
        raise RefusedError(
            f"queue {name}: got {state}, expected Open; an administrator has closed it for clean-up "
            f"(`trn cleanup {launch.team.name} --reopen` opens it again)"
        )
    room = queue["spec"].get("capability", {}).get(NEURON_RESOURCE)
    asked = launch.job.nodes * launch.hardware.neuron_devices
    if room is not None and asked > int(room):
        raise RefusedError(
            f"{launch.job.path}: nodes: got {launch.job.nodes}, which take {asked} Neuron devices, expected at most "
            f"the {room} of queue {name} in the cluster; deploy the team file, or take fewer nodes"
        )


def _submit(api: client.ApiClient, launch: Launch, rendered: Mapping[str, Any], placement: EksPlacement) -> str:
    """Submit through TorchX. A webhook that does not answer yet is waited for: Volcano may be starting."""
    name, team = rendered["metadata"]["name"], launch.team.name
    waiting = Retrying(
        retry=retry_if_exception(_is_webhook_away),
        stop=stop_after_delay(WEBHOOK_SECONDS),
        wait=wait_fixed(PAUSE_SECONDS),
        before_sleep=lambda _: say("Volcano's webhook does not answer; trying again"),
        reraise=True,
    )
    try:
        return str(waiting(submit, api, rendered, placement))
    except client.ApiException as error:
        if _is_webhook_away(error):
            raise OpsError(
                f"Volcano's webhook has not answered for {WEBHOOK_SECONDS} seconds, and nothing was submitted; see "
                f"that the pods in namespace {Volcano.NAMESPACE} are Ready, then repeat the command"
            ) from None
        raise
    except HTTPError as error:
        raise UnfinishedError(
            f"the connection broke while {name} was submitted: {explain(error)}",
            done=[],
            left=[f"perhaps {name}"],
            way_on=f"`trn status {team}` shows whether it is there; if not, repeat the command",
        ) from error


def _is_webhook_away(error: BaseException) -> bool:
    body = str(getattr(error, "body", ""))
    return isinstance(error, client.ApiException) and "failed calling webhook" in body


def _wait_until_completed(api: client.ApiClient, launch: Launch, placement: EksPlacement, run_id: str) -> None:
    """Wait for the precompile run; UnfinishedError where it fails or the wait is broken off."""
    job, team = launch.job, launch.team.name
    goes_on = partial(
        UnfinishedError,
        done=[f"precompile run {run_id} submitted; it goes on"],
        left=[f"training run of {job.name}"],
        way_on=f"`trn logs {run_id} --team {team} --follow` shows when it is done; "
        f"then `trn run {job.path} --team {team} --on eks` starts training",
    )
    try:
        with spinner(f"precompile run {run_id}") as told:
            phase = _last_phase(api, placement, run_id, told)
    except KeyboardInterrupt:
        raise goes_on("interrupted", exit_code=INTERRUPTED) from None
    except UNREACHED as error:
        raise goes_on(why(error)) from error
    if phase != "Completed":
        raise UnfinishedError(
            f"precompile run {run_id} ended as {phase}",
            done=[],
            left=[f"training run of {job.name}"],
            way_on=f"`trn logs {run_id} --team {team}` says why; repair it and repeat the command",
        )


def _last_phase(api: client.ApiClient, placement: EksPlacement, run_id: str, told: Callable[[str], object]) -> str:
    """The phase in which a run ends. A cluster that is not reached for a while is asked again."""
    silent_since = time.monotonic()
    for look in count(1):
        try:
            job = find(api, RUNS, run_id, placement.queue.name)
        except (HTTPError, client.ApiException) as error:
            passes = isinstance(error, HTTPError) or error.status in PASSING
            if not passes or time.monotonic() - silent_since > SILENT_SECONDS:
                raise
        else:
            silent_since = time.monotonic()
            if job is None:
                return "deleted"
            phase = phase_of_job(job)
            if phase in VOLCANO_ENDED:
                return phase
            told(phase)
        sleep(min(look, WATCH_SECONDS))
    raise AssertionError  # count() has no end
