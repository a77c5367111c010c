"""What is sent for a job, on both paths: snapshots of every sample job on each instance type, rules by assertion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from k8s_charts.render import render as render_chart
from k8s_charts.volcano import VolcanoCrds
from ops.launch.batch_job import submit_request
from ops.launch.container import Launch
from ops.launch.torchx_scheduler import render
from spec.findings import JobFileError
from spec.hardware import EFA_RESOURCE, NEURON_RESOURCE, Hardware
from spec.names import EVERY_NODE, NEURON_TAINT, POD_NAME_LIMIT, JobEnv, longest_pod_name
from spec.placement import place_on_eks
from spec.team import Team
from tests.k8s import validation
from tests.k8s.snapshots import YamlSnapshot
from tests.ops.launches import EFA_ROW, JOBS, ROWS, containers, rendered, requested, sample_job, team_of, variables

IDS = [row.instance_type for row in ROWS]


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return team_of(EFA_ROW, tmp_path)


def overrides(request: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """(shell line, environment) that a SubmitJob request gives every node."""
    (override,) = request["nodeOverrides"]["nodePropertyOverrides"]
    assert override["targetNodes"] == EVERY_NODE
    container = override["containerOverrides"]
    assert container["command"][:2] == ["bash", "-c"]
    return container["command"][2], {it["name"]: it["value"] for it in container["environment"]}


@pytest.mark.parametrize("row", ROWS, ids=IDS)
@pytest.mark.parametrize("name", JOBS)
def test_snapshot_eks(name: str, row: Hardware, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    team = team_of(row, tmp_path)
    try:
        sent = [rendered(sample_job(name, row), team)]
    except JobFileError as error:
        sent = [{"refused": [f"{it.key}: got {it.got}, expected {it.expected}" for it in error.findings]}]
    assert sent == snapshot(extension_class=YamlSnapshot)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
@pytest.mark.parametrize("name", JOBS)
def test_snapshot_batch(name: str, row: Hardware, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    team = team_of(row, tmp_path)
    try:
        sent: Any = requested(sample_job(name, row), team)
    except JobFileError as error:
        sent = {"refused": [f"{it.key}: got {it.got}, expected {it.expected}" for it in error.findings]}
    assert sent == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("version", validation.VERSIONS)
@pytest.mark.parametrize("precompile", [False, True])
def test_the_volcano_job_is_valid(version: str, precompile: bool, tmp_path: Path) -> None:
    """Against our own definition of a job, and each pod template against the cluster's Kubernetes version."""
    definitions = render_chart(VolcanoCrds)
    for row in ROWS:
        team = team_of(row, tmp_path, rendezvous="etcd")
        job = rendered(sample_job("bert-pretrain", row), team, precompile=precompile)
        assert validation.problems([job], version=version, definitions=definitions) == []
        for task in job["spec"]["tasks"]:
            assert validation.pod_template_errors(task["template"], version) == []


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_pod_has_the_whole_node_by_limits_alone(row: Hardware, tmp_path: Path) -> None:
    """Requests in the template would keep Volcano from making pods on an empty cluster, and so a node from coming."""
    for container in containers(rendered(sample_job("allreduce", row), team_of(row, tmp_path))):
        assert "requests" not in container["resources"]
        limits = container["resources"]["limits"]
        assert limits[NEURON_RESOURCE] == str(row.neuron_devices)
        assert limits.get(EFA_RESOURCE, "0") == str(row.efa_interfaces)
        assert set(limits) <= {NEURON_RESOURCE, EFA_RESOURCE, "memory"}
        assert 0.5 * row.memory_mib < int(limits["memory"].removesuffix("Mi")) < 0.93 * row.memory_mib
        assert (variables(container).get("FI_PROVIDER") == "efa") == bool(row.efa_interfaces)


def test_all_nodes_or_none_and_an_end(team: Team) -> None:
    job = sample_job("bert-pretrain", EFA_ROW)
    spec = rendered(job, team)["spec"]
    assert (spec["queue"], spec["schedulerName"], spec["minAvailable"]) == ("research", "volcano", job.nodes)
    assert spec["ttlSecondsAfterFinished"] == job.ttl_hours * 3600
    assert [task["name"] for task in spec["tasks"]] == ["worker-0", "worker-1"]
    assert all(task["replicas"] == 1 and not {"policies", "maxRetry"} & task.keys() for task in spec["tasks"])


@pytest.mark.parametrize(
    ("retries", "action", "most"), [(0, "TerminateJob", 1), (1, "RestartJob", 2), (10, "RestartJob", 11)]
)
def test_one_failed_pod_ends_or_restarts_the_job(team: Team, retries: int, action: str, most: int) -> None:
    """Volcano counts the restart before it compares with maxRetry."""
    job = sample_job("bert-pretrain", EFA_ROW).model_copy(update={"max_retries": retries})
    spec = rendered(job, team)["spec"]
    assert spec["policies"] == [{"events": ["PodFailed", "PodEvicted"], "action": action}]
    assert spec["maxRetry"] == most


def test_a_taint_is_tolerated_and_nothing_else(tmp_path: Path) -> None:
    group = {"name": "trn", "instance_type": EFA_ROW.instance_type, "max": 4, "desired": 0}
    for taint in (False, True):
        team = team_of(EFA_ROW, tmp_path, node_groups=[group | {"taint": taint}])
        for task in rendered(sample_job("allreduce", EFA_ROW), team)["spec"]["tasks"]:
            keys = [it["key"] for it in task["template"]["spec"].get("tolerations", ())]
            assert keys == ([NEURON_TAINT] if taint else [])


def test_agents_meet_at_the_first_pod(team: Team) -> None:
    first, second = containers(rendered(sample_job("bert-pretrain", EFA_ROW), team))
    assert " --rdzv_backend=c10d --rdzv_endpoint=${TORCHX_RANK0_HOST:=localhost}:29500 " in first["command"][2]
    assert " --rdzv_backend=c10d --rdzv_endpoint=${VC_WORKER_0_HOSTS:=localhost}:29500 " in second["command"][2]
    assert variables(first)["TORCHX_RANK0_HOST"] == "localhost"
    assert "TORCHX_RANK0_HOST" not in variables(second)
    assert first["ports"] == [{"containerPort": 29500, "name": "c10d"}]


def test_etcd_gets_an_id_for_each_attempt(tmp_path: Path) -> None:
    """What an attempt leaves in etcd is closed; the count of restarts comes from Volcano's annotation."""
    job = rendered(sample_job("bert-pretrain", EFA_ROW), team_of(EFA_ROW, tmp_path, rendezvous="etcd"))
    for container in containers(job):
        line = container["command"][2]
        assert " --rdzv_backend=etcd --rdzv_endpoint=etcd.trn-training.svc.cluster.local:2379 " in line
        assert f" --rdzv_id={job['metadata']['name']}-${{TRN_ATTEMPT}} " in line
        (attempt,) = [it for it in container["env"] if it["name"] == JobEnv.ATTEMPT]
        path = attempt["valueFrom"]["fieldRef"]["fieldPath"]
        assert path == "metadata.annotations['volcano.sh/job-retry-count']"


def test_no_two_runs_have_one_name(team: Team) -> None:
    job = sample_job("bert-pretrain", EFA_ROW)
    placement, _ = place_on_eks(job, team)
    runs = [render(Launch(job, team, EFA_ROW), placement) for _ in range(20)]
    assert len({run["metadata"]["name"] for run in runs}) == 20
    assert len({part for run in runs for part in containers(run)[0]["command"][2].split() if "rdzv_id" in part}) == 20


def test_the_longest_names_fit_a_pod(team: Team) -> None:
    for _ in range(50):
        job = sample_job("bert-pretrain", EFA_ROW)
        placement, _ = place_on_eks(job, team)
        run = render(Launch(job, team, EFA_ROW, precompile=True), placement)
        name, task = run["metadata"]["name"], run["spec"]["tasks"][-1]["name"]
        assert len(f"{name}-{task}-0") <= len(longest_pod_name("bert-pretrain-precompile", job.nodes)) <= POD_NAME_LIMIT


def test_precompiling_and_training_share_cache_and_flags(team: Team) -> None:
    """https://github.com/aws-neuron/aws-neuron-sdk/issues/742."""
    job = sample_job("bert-pretrain", EFA_ROW).model_copy(
        update={"env": {"NEURON_CC_FLAGS": "--model-type transformer"}}
    )
    runs = [variables(containers(rendered(job, team, precompile=it))[0]) for it in (True, False)]
    runs += [overrides(requested(job, team, precompile=it))[1] for it in (True, False)]
    for precompile, training in (runs[:2], runs[2:]):
        assert precompile.pop(JobEnv.PRECOMPILE_STEPS) == "10"
        assert precompile == training
        assert training[JobEnv.CACHE].rpartition("/")[0].endswith("/bert-large")
        assert training["NEURON_CC_FLAGS"] == "--model-type transformer"
    assert len({run[JobEnv.CACHE].rpartition("/")[2] for run in runs}) == 1
    # Queues see each other's files and not each other's runs.
    assert runs[0][JobEnv.CACHE].startswith("/data/neuron-cache/research/bert-large/")


@pytest.mark.parametrize(
    "change",
    [
        {"args": ("--x",)},
        {"script": "other.py"},
        {"nodes": 1},
        {"bf16": False},
        {"image": "llama2"},
        {"workers_per_node": 8},
    ],
)
def test_another_graph_is_another_cache(team: Team, change: dict[str, Any]) -> None:
    job = sample_job("bert-pretrain", EFA_ROW)
    caches = [overrides(requested(it, team))[1][JobEnv.CACHE] for it in (job, job.model_copy(update=change))]
    assert caches[0] != caches[1]


def test_no_communicator_is_local(team: Team) -> None:
    """https://github.com/ray-project/ray/issues/65070."""
    for name in JOBS:
        job = sample_job(name, EFA_ROW)
        assert "NEURON_RT_ROOT_COMM_ID" not in json.dumps([rendered(job, team), requested(job, team)])


def test_batch_takes_the_deployed_definition(team: Team) -> None:
    request = requested(sample_job("llama2-7b", EFA_ROW), team)
    assert request["jobDefinition"] == "${JobDefinitionArnLlama2}"
    assert request["jobQueue"] == "${JobQueueArn}"
    assert request["nodeOverrides"]["numNodes"] == 4
    assert "shareIdentifier" not in request
    line, _ = overrides(request)
    assert (
        " --node_rank=$AWS_BATCH_JOB_NODE_INDEX --master_addr=${AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-" in line
    )


def test_a_share_is_named_where_the_queue_has_shares(team: Team) -> None:
    job = sample_job("llama2-7b", EFA_ROW)
    request = submit_request(Launch(job, team, EFA_ROW), share="vision", after="id-1")
    assert request["shareIdentifier"] == "vision"
    assert request["dependsOn"] == [{"jobId": "id-1"}]


def test_an_image_from_elsewhere_needs_no_entrypoint_of_ours(team: Team) -> None:
    uri = "public.ecr.aws/neuron/x:2.9.0-neuronx-py312-sdk2.28.0-ubuntu24.04"
    job = sample_job("bert-pretrain", EFA_ROW).model_copy(update={"image": uri})
    container = containers(rendered(job, team))[0]
    assert container["image"] == uri
    assert container["command"][2].startswith("exec torchrun ")
