"""`trn cancel`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError
from moto.batch.models import batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from ops.errors import INTERRUPTED, StoppedError, UnfinishedError
from ops.waiting import age
from ops.watch.cancel import REASON, cancel_run
from ops.watch.runs import batch_runs, eks_runs
from tests.ops.conftest import REGION, VOLCANO, Trn, World, no_pause

PATH = f"{VOLCANO}/namespaces/bert/jobs/bert-abc"


def test_a_run_on_eks_is_gone_with_its_pods(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc")
    told = trn("cancel", "bert", "--team", "ours", "--yes")
    assert told.code == 0
    assert world.kubernetes.sent("DELETE") == [PATH]
    assert world.kubernetes.names("pods") == []
    first, second, *_, last = told.err.splitlines()
    assert first.startswith("bert-abc (bert, training): 2 nodes on EKS, Running, submitted ")
    assert second == "What it has computed since its last checkpoint is lost; checkpoints and curves stay."
    assert last == "run bert-abc is cancelled"


def test_waits_for_the_pods(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.linger = 2
    (run,) = eks_runs(world.kubernetes.client(), world.team)
    cancel_run(world.account, world.team, run, yes=True, pause=no_pause)
    told = capsys.readouterr().err
    assert "cancelling bert-abc: waiting for bert-abc-worker-0-0, bert-abc-worker-1-0" in told
    assert told.endswith("run bert-abc is cancelled\n")


def test_pods_that_stay_are_an_unfinished_cancellation(world: World) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.linger = 1_000_000
    (run,) = eks_runs(world.kubernetes.client(), world.team)
    with pytest.raises(UnfinishedError) as told:
        cancel_run(world.account, world.team, run, yes=True, pause=no_pause)
    assert str(told.value).splitlines() == [
        "run bert-abc: told to end, but has not after 15 minutes",
        "  done: the cancellation was accepted",
        "  not done: still there: bert-abc-worker-0-0, bert-abc-worker-1-0",
        "`trn status ours` shows it; `trn cancel bert-abc --team ours` waits again",
    ]


def test_ctrl_c_while_waiting_says_that_it_goes_on(world: World) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.linger = 5

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    (run,) = eks_runs(world.kubernetes.client(), world.team)
    with pytest.raises(StoppedError, match="the cancellation of bert-abc goes on") as told:
        cancel_run(world.account, world.team, run, yes=True, pause=interrupted)
    assert told.value.exit_code == INTERRUPTED


def test_nothing_is_ended_without_a_yes(world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    world.volcano_job("bert-abc")
    told = trn("cancel", "bert", "--team", "ours")
    assert (told.code, world.kubernetes.sent("DELETE")) == (2, [])
    assert told.err.endswith("trn: run bert-abc: not cancelled; it goes on. Without a terminal to ask at, give --yes\n")


def test_a_run_that_has_ended_is_left_as_it_is(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc", state="Completed")
    told = trn("cancel", "bert", "--team", "ours", "--yes")
    assert (told.code, told.err) == (
        0,
        "run bert-abc has ended already: Completed; there is nothing to cancel\n",
    )
    assert world.kubernetes.sent("DELETE") == []


def test_who_may_not_is_told(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.fail(403, method="DELETE", message='jobs "bert-abc" is forbidden')
    told = trn("cancel", "bert", "--team", "ours", "--yes")
    assert (told.code, told.err.splitlines()[-1]) == (
        1,
        'trn: not allowed: jobs "bert-abc" is forbidden; researchers of a queue work in its namespace only',
    )


def test_a_run_on_batch_is_terminated(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    job_id = world.batch_job("llama2")
    job = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs[job_id]

    def ends(_: float) -> None:
        job.status = "FAILED"

    (run,) = batch_runs(world.account, world.team)
    cancel_run(world.account, world.team, run, yes=True, pause=ends)
    assert job.job_stopped_reason == REASON
    assert capsys.readouterr().err.endswith(f"run {job_id} is cancelled\n")


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(seconds=20), "0m"),
        (timedelta(hours=3, minutes=5), "3h 5m"),
        (timedelta(days=2, hours=1, minutes=9), "2d 1h"),
        (timedelta(seconds=-5), "0m"),
    ],
)
def test_age(ago: timedelta, text: str) -> None:
    now = datetime.now(UTC)
    assert age(now - ago, now) == text


def test_batch_that_refuses_is_told(world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    world.batch_job("llama2")

    def refused(*_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "TerminateJob")

    monkeypatch.setattr("ops.watch.cancel.terminate_run", refused)
    told = trn("cancel", "llama2", "--team", "ours", "--yes")
    assert (told.code, told.err.splitlines()[-1].startswith("trn: not allowed: TerminateJob")) == (1, True)


def test_a_connection_that_breaks_while_waiting(world: World) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.linger = 5

    def breaks(_: float) -> None:
        world.kubernetes.fail(401)

    (run,) = eks_runs(world.kubernetes.client(), world.team)
    with pytest.raises(UnfinishedError) as told:
        cancel_run(world.account, world.team, run, yes=True, pause=breaks)
    assert "  done: the cancellation was accepted\n" in str(told.value)
    assert "`trn cancel bert-abc --team ours` waits again" in str(told.value)


def test_a_job_in_another_namespace_than_its_queues_is_deleted_there(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc")
    world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]["spec"]["queue"] = "vision"
    assert trn("cancel", "bert-abc", "--team", "ours", "--yes").code == 0
    assert world.kubernetes.sent("DELETE") == [PATH]
