"""What runs of a team there are, and which one a name means."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from botocore.stub import Stubber
from kubernetes.client import ApiException
from moto.batch.models import batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from ops.errors import OpsError, RefusedError
from ops.kube import cluster_api
from ops.watch.runs import DESCRIBED_AT_ONCE, Run, all_runs, batch_runs, eks_runs, find_run
from spec.names import JobLabel
from tests.ops.conftest import BATCH_ONLY, EKS_ONLY, REGION, World, WorldMaker

A_RUN = Run(
    path="eks",
    id="bert-abc",
    job="bert",
    phase="training",
    state="Running",
    active=True,
    nodes=2,
    queue="bert",
    namespace="bert",
    cache=None,
    created=datetime(2026, 11, 30, 10, tzinfo=UTC),
    reason="",
)


def test_a_volcano_job_is_a_run(world: World) -> None:
    world.volcano_job("bert-abc", message="all good")
    with cluster_api(world.account, world.team) as api:
        assert eks_runs(api, world.team) == [replace(A_RUN, cache="bert-cache", reason="all good")]
    assert all(str(request.authorization).startswith("Bearer k8s-aws-v1.") for request in world.kubernetes.requests)


@pytest.mark.parametrize(
    ("state", "active"),
    [
        *((state, False) for state in ("Completed", "Failed", "Terminated", "Aborted")),
        *((state, True) for state in ("Pending", "Running", "Restarting", "Completing", "Terminating", "Aborting")),
    ],
)
def test_ended_states_of_volcano(world: World, state: str, active: bool) -> None:
    world.volcano_job("bert-abc", state=state)
    (run,) = eks_runs(world.kubernetes.client(), world.team)
    assert (run.state, run.active) == (state, active)


def test_a_volcano_job_that_nobody_has_looked_at_waits(world: World) -> None:
    del world.volcano_job("bert-abc")["status"]
    (run,) = eks_runs(world.kubernetes.client(), world.team)
    assert (run.state, run.active) == ("Pending", True)


def test_a_job_that_somebody_else_submitted_has_its_own_name(world: World) -> None:
    job = world.volcano_job("by-hand")
    del job["metadata"]["labels"]
    (run,) = eks_runs(world.kubernetes.client(), world.team)
    assert (run.job, run.phase, run.cache) == ("by-hand", "training", None)


def test_a_researcher_sees_the_queues_that_are_theirs(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.fail(403, path="/namespaces/vision/")
    assert [run.id for run in eks_runs(world.kubernetes.client(), world.team)] == ["bert-abc"]
    assert capsys.readouterr().err == "queue vision: left out, you are not one of its researchers\n"


def test_who_may_see_no_queue_is_told(world: World) -> None:
    world.kubernetes.fail(403)
    with pytest.raises(ApiException) as told:
        eks_runs(world.kubernetes.client(), world.team)
    assert told.value.status == 403


def test_a_cluster_without_volcano_has_no_runs(world: World) -> None:
    world.kubernetes.fail(404)
    assert eks_runs(world.kubernetes.client(), world.team) == []


def test_without_queues_in_the_file_runs_are_in_volcanos_own(make_world: WorldMaker) -> None:
    keys = EKS_ONLY | {"eks": EKS_ONLY["eks"] | {"queues": []}}  # type: ignore[operator]
    world = make_world(keys)
    world.volcano_job("bert-abc", "default")
    assert [run.queue for run in eks_runs(world.kubernetes.client(), world.team)] == ["default"]


def test_a_batch_job_is_a_run(world: World) -> None:
    job_id = world.batch_job("llama2-precompile", **{JobLabel.JOB: "llama2", JobLabel.PHASE: "precompile"})
    (run,) = batch_runs(world.account, world.team)
    assert run.created is not None
    assert run == Run(
        path="batch",
        id=job_id,
        job="llama2",
        phase="precompile",
        state="RUNNING",
        active=True,
        nodes=2,
        queue="ours-queue",
        namespace="",
        cache=None,
        created=run.created,
        reason="",
    )


def test_batch_jobs_in_every_state_but_not_those_of_the_day_before(world: World) -> None:
    ids = {world.batch_job("llama2", status=state): state for state in ("SUBMITTED", "RUNNABLE", "RUNNING", "FAILED")}
    old = world.batch_job("llama2", status="SUCCEEDED")
    batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs[old].job_stopped_at = datetime.now() - timedelta(days=1, hours=1)
    assert {run.id: run.state for run in batch_runs(world.account, world.team)} == ids


def test_batch_describes_so_many_jobs_at_once(world: World) -> None:
    batch = world.account.client("batch")
    now = int(datetime.now(UTC).timestamp() * 1000)
    ids = [f"job-{number}" for number in range(DESCRIBED_AT_ONCE + 1)]
    queue = world.values["JobQueueArn"]
    with Stubber(batch) as stub:
        for status in ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED", "FAILED"):
            listed = [{"jobId": it, "jobName": "j", "createdAt": now} for it in ids] if status == "RUNNING" else []
            stub.add_response("list_jobs", {"jobSummaryList": listed}, {"jobQueue": queue, "jobStatus": status})
        for chunk in (ids[:DESCRIBED_AT_ONCE], ids[DESCRIBED_AT_ONCE:]):
            jobs = [
                {
                    "jobId": it,
                    "jobName": "j",
                    "jobQueue": queue,
                    "jobDefinition": "d",
                    "status": "RUNNING",
                    "startedAt": now,
                    "createdAt": now,
                }
                for it in chunk
            ]
            stub.add_response("describe_jobs", {"jobs": jobs}, {"jobs": chunk})
        assert [run.id for run in batch_runs(world.account, world.team)] == ids
        stub.assert_no_pending_responses()


def test_both_paths_newest_first(world: World) -> None:
    world.volcano_job("bert-old", created="2020-01-01T00:00:00Z")
    job_id = world.batch_job("llama2")
    assert [run.id for run in all_runs(world.account, world.team)] == [job_id, "bert-old"]


def test_a_path_that_cannot_be_reached_does_not_hide_the_other(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    job_id = world.batch_job("llama2")
    world.kubernetes.fail(401)
    assert [run.id for run in all_runs(world.account, world.team)] == [job_id]
    assert capsys.readouterr().err.startswith("eks: the cluster does not know this IAM identity")


def test_a_private_endpoint_is_said(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    from moto.eks.models import eks_backends

    eks_backends[DEFAULT_ACCOUNT_ID][REGION].clusters["ours-cluster"].endpoint = "http://127.0.0.1:9"
    assert all_runs(world.account, world.team) == []
    assert "eks: the cluster's endpoint was not reached; it may be private" in capsys.readouterr().err


def test_an_only_path_that_cannot_be_reached_is_an_error(make_world: WorldMaker) -> None:
    world = make_world(BATCH_ONLY)
    world.account.client("cloudformation").delete_stack(StackName="ours-Batch")
    with pytest.raises(OpsError, match="stack ours-Batch: not deployed"):
        all_runs(world.account, world.team)


def test_a_name_means_a_run() -> None:
    old = replace(A_RUN, id="bert-old", created=datetime(2026, 11, 29, tzinfo=UTC))
    other = replace(A_RUN, id="llama2-xyz", job="llama2")
    runs = [old, A_RUN, other]
    assert find_run(runs, "bert-old") is old
    assert find_run(runs, "bert") is A_RUN
    assert find_run(runs, "llama2") is other


def test_a_name_that_means_nothing() -> None:
    with pytest.raises(RefusedError) as told:
        find_run([A_RUN], "bort")
    assert str(told.value) == (
        "run: got bort, expected the id of a run or the name of its job: bert-abc (bert, Running); did you mean bert?"
    )
    with pytest.raises(RefusedError, match="there are none"):
        find_run([], "bert")
