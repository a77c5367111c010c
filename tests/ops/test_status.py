"""`trn status`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from kubernetes import client

from ops.aws import Account
from ops.errors import INTERRUPTED
from ops.kube import cluster_api
from ops.watch.runs import eks_runs
from ops.watch.status import node_groups, queue_use, waiting_reason
from spec.hardware import NEURON_RESOURCE
from spec.names import NodeLabel, StackName, node_group_name_output
from spec.team import Team
from tests.ops.conftest import BATCH_ONLY, CORE, SCHEDULING, Trn, World, WorldMaker

MESSAGE = "2/0 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable"


def pod_group(world: World, run: str) -> None:
    world.kubernetes.put(
        SCHEDULING,
        "podgroups",
        {
            "metadata": {"name": f"{run}-uid", "namespace": "bert", "ownerReferences": [{"name": run, "uid": "u"}]},
            "status": {"conditions": [{"type": "Unschedulable", "status": "True", "message": MESSAGE}]},
        },
    )


def queue(world: World, name: str, allocated: str) -> None:
    world.kubernetes.put(
        SCHEDULING,
        "queues",
        {
            "metadata": {"name": name},
            "spec": {"capability": {NEURON_RESOURCE: "32"}},
            "status": {"state": "Open", "allocated": {NEURON_RESOURCE: allocated, "cpu": "4"}},
        },
    )


def test_runs_of_both_paths(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc", state="Pending")
    pod_group(world, "bert-abc")
    job_id = world.batch_job("llama2", status="RUNNABLE")
    told = trn("status", "ours")
    assert told.code == 0
    lines = told.out.splitlines()
    assert lines[0].split() == ["run", "job", "phase", "on", "queue", "nodes", "state", "age", "why"]
    assert lines[1].split()[:5] == [job_id, "llama2", "training", "batch", "ours-queue"]
    assert lines[2].startswith("bert-abc") and lines[2].endswith(MESSAGE)


def test_as_json(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc")
    world.volcano_job("bert-old", state="Failed")
    queue(world, "bert", "16")
    it = json.loads(trn("status", "ours", "--json").out)
    assert [run["id"] for run in it["runs"]] == ["bert-abc"]
    assert it["runs"][0]["created"].startswith("2026-11-30 10:00:00")
    assert it["queues"] == [{"queue": "bert", "state": "Open", "neuron devices used": 16, "of": 32}]
    assert [run["id"] for run in json.loads(trn("status", "ours", "--json", "--all").out)["runs"]] == [
        "bert-abc",
        "bert-old",
    ]


def test_without_runs(make_world: WorldMaker, trn: Trn) -> None:
    make_world(BATCH_ONLY)
    assert trn("status", "ours").out == "no runs\n"


@pytest.mark.parametrize(("written", "meant"), [("16", 16), ("0", 0), ("16000m", 16)])
def test_devices_in_use(world: World, written: str, meant: int) -> None:
    queue(world, "bert", written)
    (row,) = queue_use(world.kubernetes.client(), world.team)
    assert row["neuron devices used"] == meant


def test_a_queue_that_one_may_not_read_is_left_out(world: World) -> None:
    queue(world, "bert", "16")
    queue(world, "vision", "0")
    world.kubernetes.fail(403, path="/queues/vision")
    assert [row["queue"] for row in queue_use(world.kubernetes.client(), world.team)] == ["bert"]


def test_a_warning_says_why_where_no_pod_group_does(world: World) -> None:
    world.volcano_job("bert-abc", state="Pending", message="from the job")
    api = world.kubernetes.client()
    (run,) = eks_runs(api, world.team)
    assert waiting_reason(api, run) == "from the job"
    for name, when, kind in (("a", "2026-11-30T10:00:00Z", "Warning"), ("b", "2026-11-30T11:00:00Z", "Warning")):
        world.kubernetes.put(
            CORE,
            "events",
            {
                "metadata": {"name": name, "namespace": "bert"},
                "involvedObject": {"name": "bert-abc"},
                "type": kind,
                "lastTimestamp": when,
                "message": f"exceeded quota {name}",
            },
        )
    assert waiting_reason(api, run) == "exceeded quota b"


def node_group(world: World) -> None:
    world.deploy(StackName.NODES, {node_group_name_output("trn1"): "ours-cluster/trn1-abc"})
    world.account.client("eks").create_nodegroup(
        clusterName="ours-cluster",
        nodegroupName="trn1-abc",
        subnets=["subnet-1"],
        nodeRole="arn:aws:iam::123456789012:role/r",
        scalingConfig={"minSize": 0, "desiredSize": 2, "maxSize": 2},
    )
    for number, ready in enumerate(("True", "False")):
        world.kubernetes.put(
            CORE,
            "nodes",
            {
                "metadata": {"name": f"n{number}", "labels": {NodeLabel.NODE_GROUP: "trn1"}},
                "status": {"conditions": [{"type": "Ready", "status": ready}]},
            },
        )


def test_node_groups(world: World) -> None:
    node_group(world)
    with cluster_api(world.account, world.team) as api:
        (row,) = node_groups(world.account, world.team, api)
        assert row == {"node group": "trn1", "type": "trn1.32xlarge", "desired": 2, "ready": 1, "state": "ACTIVE"}
        world.kubernetes.fail(403, path="/nodes")
        (row,) = node_groups(world.account, world.team, api)
        assert row["ready"] is None


def test_what_cannot_be_read_does_not_hide_the_runs(world: World, trn: Trn) -> None:
    world.volcano_job("bert-abc")
    told = trn("status", "ours")
    assert (told.code, told.err) == (
        0,
        "not all is shown: stack ours-Nodes: not deployed in us-west-2; run `.venv/bin/cdk deploy 'ours/*'` first\n",
    )
    assert "bert-abc" in told.out


def test_an_unknown_team(trn: Trn) -> None:
    told = trn("status", "nobody")
    assert told.code == 2
    assert told.err.startswith("trn: team: got nobody, expected one of ")


def test_ctrl_c_is_130(world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ops.commands.opened.opened", interrupted)
    told = trn("status", "ours")
    assert (told.code, told.err) == (INTERRUPTED, "trn: interrupted\n")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ClientError({"Error": {"Code": "ThrottlingException", "Message": "no"}}, "ListJobs"), "AWS keeps throttling"),
        (ClientError({"Error": {"Code": "ExpiredToken", "Message": "no"}}, "ListJobs"), "credentials have expired"),
        (NoCredentialsError(), "no AWS credentials found"),
    ],
)
def test_batch_that_does_not_answer(
    error: Exception, words: str, world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.volcano_job("bert-abc")

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("ops.watch.runs.batch_runs", fails)
    monkeypatch.setattr("ops.watch.status.node_groups", lambda *_: [])
    told = trn("status", "ours")
    assert (told.code, "bert-abc" in told.out) == (0, True)
    assert told.err.startswith("batch: ") and words in told.err


def test_a_cluster_that_is_not_reached_is_said_once(world: World, trn: Trn) -> None:
    world.kubernetes.fail(401)
    told = trn("status", "ours")
    assert (told.code, told.err.count("the cluster does not know this IAM identity")) == (0, 1)
    assert "not all is shown" not in told.err


def test_the_cluster_is_opened_once(world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    @contextmanager
    def once(account: Account, team: Team) -> Iterator[client.ApiClient]:
        opened.append(team)
        with cluster_api(account, team) as api:
            yield api

    for module in ("runs", "status"):
        monkeypatch.setattr(f"ops.watch.{module}.cluster_api", once)
    trn("status", "ours")
    assert len(opened) == 1


def test_a_connection_that_is_lost_half_way_does_not_hide_the_runs(
    world: World, trn: Trn, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.volcano_job("bert-abc")

    def lost(*_: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://eks")

    monkeypatch.setattr("ops.watch.status.node_groups", lost)
    told = trn("status", "ours")
    assert (told.code, "bert-abc" in told.out) == (0, True)
    assert told.err.startswith("not all is shown: ")
