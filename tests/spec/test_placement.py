"""Jobs on teams: where they run, and why some do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spec.findings import JobFileError
from spec.hardware import HARDWARE
from spec.job import Job
from spec.job_file import load_job
from spec.placement import place_on_batch, place_on_eks
from spec.team import Team
from tests.conftest import TeamFactory

GROUP = {"name": "trn1", "instance_type": "trn1.32xlarge", "max": 4, "desired": 0}
EKS = {
    "admins": ["arn:aws:iam::111122223333:role/Admin"],
    "node_groups": [GROUP],
    "queues": [{"name": "q", "neuron_devices": 64}],
}
BATCH = {"instance_type": "trn1.32xlarge", "max_nodes": 4}
LUSTRE: Mapping[str, Any] = {"lustre": {}}
JobMaker = Callable[..., Job]


@pytest.fixture
def job(tmp_path: Path) -> JobMaker:
    """`job(nodes=3)`: a job file of these keys, one to a line, loaded."""

    def make(**keys: Any) -> Job:
        path = tmp_path / "job.yaml"
        asked = {"name": "pretrain", "image": "bert", "script": "train.py", "nodes": 2} | keys
        path.write_text("".join(f"{key}: {value}\n" for key, value in asked.items()))
        return load_job(path)

    return make


@pytest.fixture
def on_eks(make_team: TeamFactory, job: JobMaker) -> Callable[..., list[str]]:
    """What is said of a job on EKS, as `KEY: got X, expected Y`: errors, or else warnings."""

    def place(
        keys: Mapping[str, Any] = {}, *, eks: Mapping[str, Any] = {}, precompile: bool = False, **team: Any
    ) -> Any:
        asked, owner = job(**keys), make_team("ours", **({"eks": EKS | dict(eks), "storage": LUSTRE} | team))
        return said(lambda: place_on_eks(asked, owner, precompile=precompile)[1])

    return place


@pytest.fixture
def on_batch(make_team: TeamFactory, job: JobMaker) -> Callable[..., list[str]]:
    def place(keys: Mapping[str, Any] = {}, *, precompile: bool = False, **batch: Any) -> list[str]:
        asked, owner = job(**keys), make_team("ours", batch=BATCH | batch)
        return said(lambda: place_on_batch(asked, owner, precompile=precompile)[1])

    return place


def said(place: Callable[[], Any]) -> list[str]:
    try:
        return [f"warning: {'.'.join(map(str, it.loc))}: got {it.got}, expected {it.expected}" for it in place()]
    except JobFileError as error:
        return [str(finding).split(": ", 1)[1] for finding in error.findings]


def test_a_job_that_fits_both(on_eks: Callable[..., Any], on_batch: Callable[..., Any]) -> None:
    assert on_eks({"nodes": 4}) == []
    assert on_batch({"nodes": 4}) == []


@pytest.mark.parametrize(
    ("job_keys", "eks", "line"),
    [
        (
            {"nodes": 3},
            {"queues": [{"name": "q", "neuron_devices": 47}]},
            "nodes: got 3, expected at most 2: queue q holds 47",
        ),
        ({"workers_per_node": 33}, {}, "workers_per_node: got 33, expected at most 32, the NeuronCores"),
        ({"workers_per_node": 3}, {}, "workers_per_node: got 3, expected a number that divides the 32 NeuronCores"),
        ({"queue": "x"}, {}, "queue: got x, expected one of q"),
        ({"node_group": "x"}, {}, "node_group: got x, expected one of trn1"),
        ({}, {"queues": []}, "queue: got a team without queues, expected one in eks.queues"),
        (
            {},
            {"queues": [{"name": "q", "neuron_devices": 64}, {"name": "r", "neuron_devices": 64}]},
            "queue: got nothing, expected one of q, r; the team has several",
        ),
        ({"image": "none"}, {}, "image: got none, expected one of bert, llama2, allreduce"),
        ({"rendezvous": "etcd"}, {}, "rendezvous: got etcd, expected c10d, or eks.rendezvous: etcd"),
        (
            {"parallelism": "{global_batch_size: 1024}", "nodes": 3},
            {},
            "nodes: got 3, expected a number that divides global_batch_size 1024 evenly with 32 workers per node",
        ),
        (
            {"image": "public.ecr.aws/neuron/x:2.9.0-sdk2.32.0-ubuntu24.04"},
            {"release_version": "1.35.2-20260311"},
            "image: got public.ecr.aws/neuron/x:2.9.0-sdk2.32.0-ubuntu24.04, expected an image of Neuron SDK 2.26.1, "
            "2.27.1, 2.28.0, 2.29.0: the nodes' driver is 2.26, and runtime 2.34",
        ),
    ],
)
def test_refused_on_eks(on_eks: Callable[..., Any], job_keys: Any, eks: Any, line: str) -> None:
    (finding,) = on_eks(job_keys, eks=eks)
    assert finding.startswith(line)


def test_more_nodes_than_the_group_has(on_eks: Callable[..., Any]) -> None:
    group, queue = on_eks({"nodes": 5})
    assert group == "nodes: got 5, expected at most 4 (eks.node_groups, max of trn1 in the team file)"
    assert queue.startswith("nodes: got 5, expected at most 4: queue q holds 64 Neuron devices")


def test_every_reason_at_once(on_eks: Callable[..., Any]) -> None:
    findings = on_eks({"nodes": 9, "image": "none", "rendezvous": "etcd"})
    assert [finding.partition(":")[0] for finding in findings] == ["image", "nodes", "nodes", "rendezvous"]
    findings = on_eks({"image": "none", "queue": "x", "node_group": "y"})
    assert [finding.partition(":")[0] for finding in findings] == ["image", "queue", "node_group"]


@pytest.mark.parametrize("row", HARDWARE.values(), ids=list(HARDWARE))
def test_several_nodes_need_efa(row: Any, make_team: TeamFactory, job: JobMaker) -> None:
    """On every type without EFA, and on no other."""
    zone = next(iter(row.zone_ids.values()))[0]
    network = {"training_zone": zone, "second_zone": f"{zone[:-1]}9"}
    group = {"name": "g", "instance_type": row.instance_type, "max": 2, "desired": 0}
    queues = [{"name": "q", "neuron_devices": 2 * row.neuron_devices}]
    batch = {"instance_type": row.instance_type, "max_nodes": 2 if row.efa_interfaces else 1}
    team = make_team(
        "ours",
        region=next(iter(row.zone_ids)),
        network=network,
        storage=LUSTRE,
        eks=EKS | {"node_groups": [group], "queues": queues},
        batch=batch,
    )
    two = job(nodes=2)
    one = two.model_copy(update={"nodes": 1})
    for on_two, on_one in (
        (lambda: place_on_eks(two, team)[1], lambda: place_on_eks(one, team)[1]),
        (lambda: place_on_batch(two, team)[1], lambda: place_on_batch(one, team)[1]),
    ):
        findings = said(on_two)
        if row.efa_interfaces:
            assert findings == []
        else:
            assert findings[-1:] == [
                f"nodes: got 2, expected 1: {row.instance_type} has no EFA, so it trains on one node only"
            ]
        assert said(on_one) == []


def test_without_lustre_nothing_is_kept(on_eks: Callable[..., Any]) -> None:
    (warning,) = on_eks(storage={})
    assert warning.startswith("warning: image: got a team without storage.lustre")
    findings = on_eks({"cache": "c"}, storage={})
    assert any(it.startswith("cache: got c, expected nothing, or storage.lustre in the team file") for it in findings)


def test_an_image_without_an_sdk_in_its_tag_may_run(on_eks: Callable[..., Any]) -> None:
    (warning,) = on_eks({"image": "ghcr.io/us/train:v1"})
    assert warning.startswith("warning: image: got ghcr.io/us/train:v1, expected a tag with the Neuron SDK")
    assert on_eks({"image": "public.ecr.aws/neuron/x:2.9.0-neuronx-py312-sdk2.28.0-ubuntu24.04"}) == []
    (warning,) = on_eks({"image": "r.io/x:sdk2.29.1"})
    assert "expected one of Neuron SDK 2.26.1, " in warning


def test_the_sdk_of_an_image_is_its_tag_s(on_eks: Callable[..., Any]) -> None:
    newest = {"release_version": "1.35.6-20260714"}
    for image in ("r.io/x:sdk2.28.0", "r.io/sdk2.32.0/x:sdk2.28.0", f"r.io/x:sdk2.28.0@sha256:{'0' * 64}"):
        (finding,) = on_eks({"image": image}, eks=newest, neuron_sdk="2.32.0")
        assert "the nodes' driver is 2.29, and runtime 2.30 of SDK 2.28.0 does not work with it" in finding


@pytest.mark.parametrize("image", ["r.io/x:sdk2.28.0", "allreduce"])
def test_only_our_entrypoint_compiles_on_one_node(on_eks: Callable[..., Any], image: str) -> None:
    findings = on_eks({"image": image, "cache": "c", "precompile": "{steps: 3}"}, precompile=True)
    assert any("its entrypoint compiles on one node only" in finding for finding in findings)


def test_keys_of_eks_are_ignored_aloud_on_batch(on_batch: Callable[..., Any]) -> None:
    warnings = on_batch({"queue": "q", "node_group": "g", "max_retries": 1})
    assert [warning.split(":")[1].strip() for warning in warnings] == ["queue", "node_group", "max_retries"]


@pytest.mark.parametrize(
    ("job_keys", "batch", "line"),
    [
        ({"nodes": 5}, {}, "nodes: got 5, expected at most 4 (batch.max_nodes"),
        (
            {"image": "ghcr.io/us/train:v1"},
            {},
            "image: got ghcr.io/us/train:v1, expected one of bert, llama2, allreduce",
        ),
        ({"rendezvous": "etcd"}, {}, "rendezvous: got etcd, expected nothing: etcd runs in the cluster"),
        ({"share": "a"}, {}, "share: got a, expected nothing: the queue has no shares"),
        ({"share": "c"}, {"shares": {"a": 1, "b": 2}}, "share: got c, expected one of a, b"),
        ({}, {"shares": {"a": 1, "b": 2}}, "share: got nothing, expected one of a, b"),
    ],
)
def test_refused_on_batch(on_batch: Callable[..., Any], job_keys: Any, batch: Any, line: str) -> None:
    (finding,) = on_batch(job_keys, **batch)
    assert finding.startswith(line)


def test_the_only_share_is_taken(make_team: TeamFactory, job: JobMaker) -> None:
    team: Team = make_team("ours", batch=BATCH | {"shares": {"a": 1}})
    assert place_on_batch(job(), team)[0].share == "a"
    assert place_on_batch(job(share="a"), team)[0].share == "a"


def test_precompiling_needs_steps(on_eks: Callable[..., Any], on_batch: Callable[..., Any]) -> None:
    for place in (on_eks, on_batch):
        (finding,) = place(precompile=True)
        assert finding.startswith("precompile: got nothing, expected precompile: {steps: 10}")
        assert place({"cache": "c", "precompile": "{steps: 10}"}, precompile=True) == []
