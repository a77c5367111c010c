"""`trn logs`: which node's log, to which end."""

from __future__ import annotations

import copy
import socket
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from botocore.exceptions import ClientError
from kubernetes import client
from moto.batch.models import JobQueue, batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from ops.cluster import log_lines
from ops.errors import OpsError, RefusedError
from ops.watch.batch_logs import BatchLogs
from ops.watch.eks_logs import UNNAMED, EksLogs
from ops.watch.logs import lines_of_all
from ops.watch.pods import group_rank, has_rank_zero
from ops.watch.run_names import job_name, run_named
from ops.watch.runs import batch_runs, eks_runs
from tests.ops.conftest import CORE, REGION, VOLCANO, Trn, World, no_pause, pod


def met(rank: int) -> str:
    return (
        "[INFO] api: [default] Rendezvous complete for workers. Result:\n  restart_count=0\n  master_addr=a\n"
        f"  master_port=1\n  group_rank={rank}\n  group_world_size=2\n[default0]:step 1\n"
    )


def eks(world: World) -> EksLogs:
    api = world.kubernetes.client()
    (run,) = eks_runs(api, world.team)
    return EksLogs(api, run, no_pause)


def printed(world: World, *texts: str, state: str = "Running") -> None:
    world.volcano_job("bert-abc", state=state)
    for node, text in enumerate(texts):
        world.kubernetes.logs["bert", f"bert-abc-worker-{node}-0"] = text


def test_the_last_rank_of_a_log_counts() -> None:
    assert group_rank((met(1) + met(0)).splitlines()) == 0
    assert group_rank((met(0) + met(1)).splitlines()) == 1
    assert group_rank(["[default0]:group_rank=0 is what I am", "group_world_size=2"]) is None


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        ("  group_rank=1", 1),
        ("I1130 10:00:00.123000 7 torch/distributed/elastic/agent/server/api.py:525]   group_rank=12", 12),
        ("[default0]:  group_rank=0", None),
        ("[default31]:[INFO] group_rank=0", None),
        ("  group_ranks=0", None),
    ],
)
def test_a_rank_in_either_format_of_the_agents_log(line: str, rank: int | None) -> None:
    assert group_rank([line]) == rank


def test_rank_zero_is_found_after_the_beginning_of_its_log_is_gone(world: World, trn: Trn) -> None:
    worker = "[default{} rank {}]:step\n"
    printed(world, worker.format(3, 35) * 1000, worker.format(3, 3) * 1000)
    told = trn("logs", "bert", "--team", "ours", "--tail", "1")
    assert (told.code, told.out, told.err) == (0, worker.format(3, 3), "")
    queries = [request.query for request in world.kubernetes.requests if request.path.endswith("/log")]
    assert all("tailLines" in query or "limitBytes" in query for query in queries)


def test_rank_zero_is_found_where_only_the_beginning_names_it(world: World, trn: Trn) -> None:
    printed(world, met(1) + "line\n" * 1000, met(0) + "line\n" * 1000)
    assert trn("logs", "bert", "--team", "ours", "--tail", "1").err == ""


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["[default0 rank 0]:x"], True),
        (["[default31 rank 31]:x"], True),
        (["[default0 rank 32]:x"], False),
        (["  group_rank=0", "[default1 rank 33]:x"], False),
        (["[default0]:x", "[default0 rank 0] x", "[default0 rank 0]:  group_rank=1"], True),
        (["nothing"], None),
    ],
)
def test_whether_a_log_is_of_rank_zeros_node(lines: list[str], answer: bool | None) -> None:
    assert has_rank_zero(lines) is answer


def test_a_connection_that_is_dropped_without_a_word_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says nothing more and does not close: the read times out, and nothing is lost or said."""
    listener = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr("ops.cluster.QUIET_SECONDS", 0.2)
    api = client.ApiClient(client.Configuration(host=f"http://127.0.0.1:{listener.getsockname()[1]}"))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n")
            done.wait(5)

    done = threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    it = {"metadata": {"name": "p", "namespace": "bert"}, "spec": {"containers": [{"name": "c"}]}}
    assert [*log_lines(api, it, follow=True)] == ["one"]
    done.set()
    thread.join()
    listener.close()


def test_following_a_run_that_fails_is_a_failure(world: World, trn: Trn) -> None:
    printed(world, met(0), met(1), state="Failed")
    told = trn("logs", "bert", "--team", "ours", "--follow")
    assert (told.code, told.out, told.err) == (1, met(0), "trn: run bert-abc ended: Failed\n")
    assert trn("logs", "bert", "--team", "ours", "--follow", "--all-nodes").code == 1


def test_rank_zero_is_found_on_whatever_node_it_is(world: World, trn: Trn) -> None:
    printed(world, met(1), met(0))
    told = trn("logs", "bert", "--team", "ours")
    assert (told.code, told.out, told.err) == (0, met(0), "")


def test_node_0_until_rank_zero_is_known(world: World, trn: Trn) -> None:
    printed(world, "installing\n", "waiting\n")
    told = trn("logs", "bert-abc", "--team", "ours")
    assert (told.out, told.err) == ("installing\n", f"{UNNAMED}\n")


def test_a_node_by_its_number_and_the_end_of_its_log(world: World, trn: Trn) -> None:
    printed(world, met(0), met(1))
    assert trn("logs", "bert", "--team", "ours", "--node", "1", "--tail", "1").out == "[default0]:step 1\n"
    told = trn("logs", "bert", "--team", "ours", "--node", "2")
    assert (told.code, told.err) == (2, "trn: --node: got 2, expected 0 to 1: the nodes of bert-abc\n")
    assert trn("logs", "bert", "--team", "ours", "--node", "1", "--all-nodes").code == 2


def test_every_node(world: World, trn: Trn) -> None:
    printed(world, "a\n", "b\n")
    assert trn("logs", "bert", "--team", "ours", "--all-nodes").out == "[node 0] a\n[node 1] b\n"


def test_every_node_at_once(world: World) -> None:
    printed(world, "a\n", "b\n", state="Completed")
    assert sorted(lines_of_all(eks(world), 2, follow=True, tail=None)) == ["[node 0] a", "[node 1] b"]


@pytest.mark.parametrize("follow", [True, False])
def test_what_goes_wrong_with_one_node_is_told_and_ends_no_other(
    follow: bool, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(world, "a\n", "b\n", state="Completed")
    world.kubernetes.fail(500, path="worker-1-0/log")
    lines: list[str] = []
    with pytest.raises(OpsError, match="logs that were not shown to their end: node 1"):
        lines.extend(lines_of_all(eks(world), 2, follow=follow, tail=None))
    assert lines == ["[node 0] a"]
    assert capsys.readouterr().err.count("node 1: the cluster's API answered 500: no") == 1


def test_following_ends_with_the_run(world: World, trn: Trn) -> None:
    printed(world, met(0), met(1), state="Completed")
    told = trn("logs", "bert", "--team", "ours", "--follow")
    assert (told.out, told.err) == (met(0), "run bert-abc ended: Completed\n")


def test_following_goes_over_a_restart(world: World) -> None:
    """Volcano makes the pods of a job anew under the same names; rank 0 may then be elsewhere."""
    printed(world, met(0), met(1))
    logs = eks(world)

    def restart(_: float) -> None:
        job = world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]
        if job["status"]["state"]["phase"] == "Completed":
            return
        for node in range(2):
            world.kubernetes.put(CORE, "pods", pod("bert-abc", node, "bert", job, phase="Succeeded"))
            world.kubernetes.logs["bert", f"bert-abc-worker-{node}-0"] = met(1 - node) + f"second life of {node}\n"
        job["status"]["state"]["phase"] = "Completed"

    lines = [*EksLogs(logs.api, logs.run, restart).follow(None, None)]
    assert lines[: len(met(0).splitlines())] == met(0).splitlines()
    assert lines[-1] == "second life of 1"


def test_following_does_not_repeat_a_pod_that_has_ended(world: World) -> None:
    printed(world, "a\n", "b\n")
    for node in range(2):
        world.kubernetes.objects[CORE, "pods", "bert", f"bert-abc-worker-{node}-0"]["status"]["phase"] = "Succeeded"
    logs = eks(world)
    rounds = []

    def wait(_: float) -> None:
        rounds.append(1)
        if len(rounds) == 3:
            world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]["status"]["state"]["phase"] = "Completed"

    assert [*EksLogs(logs.api, logs.run, wait).follow(0, None)] == ["a"]
    assert len(rounds) == 3


def test_a_broken_connection_is_taken_up_from_where_it_broke(world: World) -> None:
    printed(world, "a\n")
    logs = eks(world)

    def wait(_: float) -> None:
        world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]["status"]["state"]["phase"] = "Completed"

    assert [*EksLogs(logs.api, logs.run, wait).follow(0, None)] == ["a"]
    assert [request.query.get("sinceTime") for request in world.kubernetes.requests if "log" in request.path] == [
        None,
        "2026-11-30T10:00:00Z",
    ]


def test_following_says_once_that_rank_zero_is_not_known(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    printed(world, "a\n", "b\n")
    for node in range(2):
        world.kubernetes.objects[CORE, "pods", "bert", f"bert-abc-worker-{node}-0"]["status"]["phase"] = "Succeeded"
    logs = eks(world)
    rounds = []

    def wait(_: float) -> None:
        rounds.append(1)
        if len(rounds) == 3:
            world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]["status"]["state"]["phase"] = "Completed"

    [*EksLogs(logs.api, logs.run, wait).follow(None, None)]
    assert capsys.readouterr().err.count(UNNAMED) == 1


def test_rank_zero_is_looked_for_again_only_among_other_pods(world: World) -> None:
    printed(world, met(0), met(1))
    logs = eks(world)
    rounds = []

    def wait(_: float) -> None:
        rounds.append(1)
        if len(rounds) == 3:
            world.kubernetes.objects[VOLCANO, "jobs", "bert", "bert-abc"]["status"]["state"]["phase"] = "Completed"

    world.kubernetes.objects[CORE, "pods", "bert", "bert-abc-worker-0-0"]["status"]["phase"] = "Succeeded"
    assert [*EksLogs(logs.api, logs.run, wait).follow(None, None)] == met(0).splitlines()
    assert len([request for request in world.kubernetes.requests if "/log" in request.path]) == 2


def test_following_leaves_node_0_once_it_is_not_rank_zero(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    printed(world, met(1), "not yet\n", state="Completed")
    logs = eks(world)
    [*logs.follow(None, None)]
    assert "bert-abc-worker-0-0 does not have rank 0: looking for it" in capsys.readouterr().err


def test_a_pod_that_has_not_started(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc", state="Pending")
    for node in range(2):
        world.kubernetes.objects[CORE, "pods", "bert", f"bert-abc-worker-{node}-0"]["status"]["phase"] = "Pending"
    told = trn("logs", "bert", "--team", "ours")
    assert told.code == 1
    assert told.err.endswith(
        "trn: bert-abc-worker-0-0: no log yet, the pod is Pending; `trn status` says why it waits\n"
    )


def test_a_run_whose_pods_are_gone_says_what_is_left(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc", state="Completed")
    for node in range(2):
        del world.kubernetes.objects[CORE, "pods", "bert", f"bert-abc-worker-{node}-0"]
    for follow in ([], ["--follow"]):
        told = trn("logs", "bert", "--team", "ours", *follow)
        assert told.code == 1
        assert "run bert-abc: Completed, and its pods are gone with their logs." in told.err
        assert "/data/logs/" in told.err


def test_ctrl_c_says_how_to_come_back(world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    printed(world, "a\n")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EksLogs, "follow", interrupted)
    told = trn("logs", "bert", "--team", "ours", "--follow")
    assert (told.code, told.err) == (
        130,
        "trn: stopped showing the log; run bert-abc goes on. "
        "Again: `trn logs bert-abc --team ours --follow --tail 100`\n",
    )


# Batch -----------------------------------------------------------------------------------------------------------


def batch(world: World, *messages: str, status: str = "RUNNING") -> BatchLogs:
    """A Batch run whose main node, which moto does not model, has printed these."""
    job_id = world.batch_job("llama2", status=status)
    jobs = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs
    jobs[f"{job_id}#0"] = main = copy.copy(jobs[job_id])
    main.job_id = f"{job_id}#0"
    main.log_stream_name = "train/default/one"
    put(world, "train/default/one", *messages)
    (run,) = batch_runs(world.account, world.team)
    return BatchLogs(world.account, "ours-jobs", run, no_pause)


def put(world: World, stream: str, *messages: str) -> None:
    logs = world.account.client("logs")
    logs.create_log_stream(logGroupName="ours-jobs", logStreamName=stream)
    now = int(time.time()) * 1000 - 100_000
    events = [{"timestamp": now + number, "message": text} for number, text in enumerate(messages)]
    for start in range(0, len(events), 6000):
        chunk = events[start : start + 6000]
        logs.put_log_events(logGroupName="ours-jobs", logStreamName=stream, logEvents=chunk)


def test_the_main_node_of_a_batch_run(world: World, trn: Trn) -> None:
    batch(world, "one", "two", "three")
    assert trn("logs", "llama2", "--team", "ours").out == "one\ntwo\nthree\n"
    assert trn("logs", "llama2", "--team", "ours", "--tail", "2").out == "two\nthree\n"


def test_a_long_log_comes_page_by_page(world: World) -> None:
    lines = [f"line {number}" for number in range(11000)]
    logs = batch(world, *lines)
    assert [*logs.read(None, None)] == lines


def test_following_batch_ends_with_the_run(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    logs = batch(world, "one", "two")
    jobs = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs
    main, whole = jobs[f"{logs.run.id}#0"], jobs[logs.run.id]

    def wait(_: float) -> None:
        if main.status == "RUNNING":
            main.status = "FAILED"  # its host did; Batch starts the whole run anew
        elif main.log_stream_name == "train/default/one":
            put(world, "train/default/two", "second attempt")
            main.log_stream_name = "train/default/two"
        else:
            whole.status = "SUCCEEDED"

    follow = BatchLogs(world.account, "ours-jobs", logs.run, wait).follow(None, 1)
    assert [*follow] == ["two", "second attempt"]
    assert capsys.readouterr().err == f"run {logs.run.id} ended: SUCCEEDED\n"


def test_following_waits_for_a_node_that_batch_does_not_know_yet(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = batch(world, "one")
    jobs = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs
    late = jobs.pop(f"{logs.run.id}#0")

    def wait(_: float) -> None:
        if late.job_id not in jobs:
            jobs[late.job_id] = late
        else:
            jobs[logs.run.id].status = "SUCCEEDED"

    assert [*BatchLogs(world.account, "ours-jobs", logs.run, wait).follow(None, None)] == ["one"]
    assert f"run {logs.run.id}: node 0: not there yet; waiting" in capsys.readouterr().err


def test_following_a_node_that_never_was_ends_with_the_run(world: World) -> None:
    logs = batch(world, status="FAILED")
    with pytest.raises(OpsError, match=r"Batch does not know its node 1 \(FAILED\)"):
        [*logs.follow(1, None)]


def test_lines_that_come_after_the_end_of_a_batch_run_are_shown(world: World) -> None:
    logs = batch(world, "one", status="SUCCEEDED")
    rounds: list[float] = []

    def wait(_: float) -> None:
        rounds.append(1)
        if len(rounds) == 2:
            now = int(time.time()) * 1000
            events = [{"timestamp": now, "message": "last"}]
            world.account.client("logs").put_log_events(
                logGroupName="ours-jobs", logStreamName="train/default/one", logEvents=events
            )

    assert [*BatchLogs(world.account, "ours-jobs", logs.run, wait).follow(None, None)] == ["one", "last"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("AccessDeniedException", "not allowed: GetLogEvents"),
        ("ThrottlingException", "AWS keeps throttling GetLogEvents"),
        ("ExpiredTokenException", "the AWS credentials have expired"),
    ],
)
def test_errors_of_aws_while_following(
    code: str, words: str, world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch(world, "one")
    pages = ["one"]

    def get_log_events(_: BatchLogs, *__: object) -> tuple[list[str], str]:
        if pages:
            return [pages.pop()], "token"
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "GetLogEvents")

    monkeypatch.setattr(BatchLogs, "_events", get_log_events)
    told = trn("logs", "llama2", "--team", "ours", "--follow")
    assert (told.code, told.out, words in told.err) == (1, "one\n", True)


def test_a_batch_node_that_batch_does_not_know(world: World) -> None:
    logs = batch(world)
    with pytest.raises(RefusedError, match="--node: got 2, expected 0 to 1"):
        [*logs.read(2, None)]
    with pytest.raises(OpsError, match=r"Batch has no node 1 yet \(RUNNING\)"):
        [*logs.read(1, None)]


def test_a_batch_log_that_is_too_old(world: World) -> None:
    logs = batch(world, status="SUCCEEDED")
    world.account.client("logs").delete_log_stream(logGroupName="ours-jobs", logStreamName="train/default/one")
    with pytest.raises(OpsError, match="keeps what a job printed for three months"):
        [*logs.read(None, None)]


def test_a_job_file_stands_for_its_job(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text("name: bert\nnodes: 2\n")
    assert job_name(str(path)) == "bert"
    assert job_name("bert") == "bert"
    path.write_text("nodes: 2\n")
    with pytest.raises(RefusedError, match="name: got none, expected the job's name"):
        job_name(str(path))
    with pytest.raises(RefusedError, match="got no such file, expected the path of"):
        job_name(str(tmp_path / "none.yaml"))


def test_a_batch_run_that_ended_long_ago_is_found_by_its_id(world: World) -> None:
    job_id = world.batch_job("llama2", status="SUCCEEDED")
    jobs = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs
    jobs[job_id].job_stopped_at = datetime.now() - timedelta(days=3)
    assert batch_runs(world.account, world.team) == []
    assert run_named(world.account, world.team, job_id).state == "SUCCEEDED"
    with pytest.raises(RefusedError, match="run: got llama2"):
        run_named(world.account, world.team, "llama2")
    jobs[job_id].job_queue = cast(JobQueue, SimpleNamespace(arn="another"))
    with pytest.raises(RefusedError, match="there are none"):
        run_named(world.account, world.team, job_id)
