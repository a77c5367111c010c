"""The rules of what is sent hold for every sample job on every type, and each sees the mistake it is there for."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spec.findings import JobFileError
from spec.hardware import EFA_RESOURCE, NEURON_RESOURCE, Hardware
from spec.names import JobEnv, JobLabel
from tests.ops.launch_rules import BATCH_RULES, EKS_RULES
from tests.ops.launches import EFA_ROW, JOBS, ROWS, containers, rendered, requested, sample_job, team_of

IDS = [row.instance_type for row in ROWS]


def eks_runs(row: Hardware, folder: Path) -> list[dict[str, Any]]:
    """Every sample job that the type can run, for training and precompiling, under both rendezvous."""
    found = []
    for name in JOBS:
        job = sample_job(name, row)
        for rendezvous in ("c10d", "etcd"):
            for precompile in (False, True) if job.precompile else (False,):
                try:
                    found.append(rendered(job, team_of(row, folder, rendezvous=rendezvous), precompile=precompile))
                except JobFileError:
                    continue
    return found


def batch_run(name: str, row: Hardware, folder: Path) -> dict[str, Any]:
    return requested(sample_job(name, row), team_of(row, folder))


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_every_rule_holds_on_eks(row: Hardware, tmp_path: Path) -> None:
    runs = eks_runs(row, tmp_path)
    assert len(runs) >= 6
    assert [f"{rule.__name__}: {text}" for run in runs for rule in EKS_RULES for text in rule(run, row)] == []


@pytest.mark.parametrize("row", ROWS, ids=IDS)
@pytest.mark.parametrize("name", ["bert-pretrain", "allreduce"])
def test_every_rule_holds_on_batch(name: str, row: Hardware, tmp_path: Path) -> None:
    run = batch_run(name, row, tmp_path)
    assert [f"{rule.__name__}: {text}" for rule in BATCH_RULES for text in rule(run, row)] == []


Change = Callable[[dict[str, Any]], Any]


def in_line(old: str, new: str) -> Change:
    """Another shell line on every node."""

    def change(job: dict[str, Any]) -> None:
        for container in containers(job):
            assert old in container["command"][2]
            container["command"][2] = container["command"][2].replace(old, new)

    return change


def pod(job: dict[str, Any], index: int = -1) -> dict[str, Any]:
    spec: dict[str, Any] = job["spec"]["tasks"][index]["template"]["spec"]
    return spec


def limits(job: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = containers(job)[-1]["resources"]["limits"]
    return found


def environment(job: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = containers(job)[-1]["env"]
    return found


EKS_MUTANTS: dict[str, Change] = {
    "devices_are_the_whole_node_s: half": lambda job: limits(job).update({NEURON_RESOURCE: "8"}),
    "devices_are_the_whole_node_s: no EFA": lambda job: limits(job).pop(EFA_RESOURCE),
    "devices_are_the_whole_node_s: huge pages": lambda job: limits(job).update({"hugepages-2Mi": "5128Mi"}),
    "nothing_is_requested_of_an_empty_cluster: devices": lambda job: containers(job)[0]["resources"].update(
        requests={NEURON_RESOURCE: "16"}
    ),
    "nothing_is_requested_of_an_empty_cluster: memory": lambda job: limits(job).update(memory="524288Mi"),
    "efa_is_used: TCP": lambda job: environment(job).remove({"name": "FI_PROVIDER", "value": "efa"}),
    "all_nodes_start_together: one": lambda job: job["spec"].update(minAvailable=1),
    "all_nodes_start_together: left to the webhook": lambda job: job["spec"].pop("minAvailable"),
    "all_nodes_start_together: another queue": lambda job: job["spec"].update(queue="default"),
    "all_nodes_start_together: a node by name": lambda job: pod(job).update(nodeName="ip-10-0-0-1"),
    "all_nodes_start_together: another scheduler": lambda job: pod(job).update(schedulerName="default-scheduler"),
    "a_lost_pod_ends_the_job: no policy": lambda job: job["spec"].pop("policies"),
    "a_lost_pod_ends_the_job: evictions": lambda job: job["spec"]["policies"][0]["events"].remove("PodEvicted"),
    "a_lost_pod_ends_the_job: Volcano's default": lambda job: job["spec"].pop("maxRetry"),
    "a_lost_pod_ends_the_job: of a task": lambda job: job["spec"]["tasks"][0].update(
        policies=[{"event": "PodFailed", "action": "RestartTask"}]
    ),
    "a_lost_pod_ends_the_job: for ever": lambda job: job["spec"].pop("ttlSecondsAfterFinished"),
    "a_lost_pod_ends_the_job: by the kubelet": lambda job: pod(job).update(restartPolicy="OnFailure"),
    "agents_meet: quoted": in_line("${", "'${"),
    "agents_meet: a fixed id": in_line("--rdzv_id=bert", "--rdzv_id=fixed"),
    "agents_meet: another number": in_line("--nnodes=2", "--nnodes=3"),
    "agents_meet: too many workers": in_line("--nproc_per_node=32", "--nproc_per_node=64"),
    "agents_meet: no backend": in_line("--rdzv_backend=c10d ", ""),
    "agents_meet: no port": lambda job: containers(job)[0].pop("ports"),
    "agents_meet: no attempt": lambda job: environment(job).pop(),
    "names_fit: too long": lambda job: job["metadata"].update(name="x" * 60),
    "names_fit: no label": lambda job: job["metadata"].update(name="Bert"),
    "pods_are_confined: a token": lambda job: pod(job).update(automountServiceAccountToken=True),
    "pods_are_confined: another account": lambda job: pod(job).update(serviceAccountName="default"),
    "pods_are_confined: the host's network": lambda job: pod(job).update(hostNetwork=True),
    "pods_are_confined: the host's files": lambda job: pod(job)["volumes"].append(
        {"name": "dev", "hostPath": {"path": "/dev"}}
    ),
    "pods_are_confined: privileged": lambda job: containers(job)[0].update(securityContext={"privileged": True}),
    "pods_are_confined: an image that moves": lambda job: containers(job)[0].update(image="r.example/bert:latest"),
    "nodes_are_the_team_s: any type": lambda job: pod(job)["nodeSelector"].pop("node.kubernetes.io/instance-type"),
    "nodes_are_the_team_s: any group": lambda job: pod(job)["nodeSelector"].pop("trn-training/node-group"),
    "runs_are_found_again: no job": lambda job: job["metadata"]["labels"].pop(JobLabel.JOB),
    "runs_are_found_again: no cache": lambda job: job["metadata"]["labels"].pop(JobLabel.CACHE),
    "nodes_agree: two caches": lambda job: environment(job)[7].update(value="/data/neuron-cache/other"),
    "nodes_agree: a local root": lambda job: [
        container["env"].append({"name": "NEURON_RT_ROOT_COMM_ID", "value": "localhost:48620"})
        for container in containers(job)
    ],
}


@pytest.mark.parametrize("mutant", EKS_MUTANTS)
def test_the_eks_rule_sees_the_mistake(mutant: str, tmp_path: Path) -> None:
    run = rendered(sample_job("bert-pretrain", EFA_ROW), team_of(EFA_ROW, tmp_path))
    rules = {rule.__name__: rule for rule in EKS_RULES}
    EKS_MUTANTS[mutant](run)
    assert [*rules[mutant.partition(":")[0]](run, EFA_ROW)]


def test_the_etcd_rule_sees_one_id_for_all_attempts(tmp_path: Path) -> None:
    run = rendered(sample_job("bert-pretrain", EFA_ROW), team_of(EFA_ROW, tmp_path, rendezvous="etcd"))
    in_line(f"-${{{JobEnv.ATTEMPT}}}", "")(run)
    (rule,) = [rule for rule in EKS_RULES if rule.__name__ == "agents_meet"]
    assert [*rule(run, EFA_ROW)]


def override(request: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = request["nodeOverrides"]["nodePropertyOverrides"][0]
    return found


def in_batch_line(old: str, new: str) -> Change:
    def change(request: dict[str, Any]) -> None:
        command = override(request)["containerOverrides"]["command"]
        assert old in command[2]
        command[2] = command[2].replace(old, new)

    return change


def without(name: str) -> Change:
    def change(request: dict[str, Any]) -> None:
        container = override(request)["containerOverrides"]
        container["environment"] = [it for it in container["environment"] if it["name"] != name]

    return change


BATCH_MUTANTS: dict[str, Change] = {
    "definition_is_overridden_for_every_node: a closed range": lambda it: override(it).update(targetNodes="0:1"),
    "definition_is_overridden_for_every_node: another": lambda it: it.update(jobDefinition="bert"),
    "definition_is_overridden_for_every_node: less": lambda it: override(it)["containerOverrides"].update(
        resourceRequirements=[{"type": "VCPU", "value": "1"}]
    ),
    "batch_nodes_meet: another number": lambda it: it["nodeOverrides"].update(numNodes=3),
    "batch_nodes_meet: no rank": in_batch_line("--node_rank=$AWS_BATCH_JOB_NODE_INDEX ", ""),
    "batch_nodes_meet: localhost": in_batch_line("$(hostname -i | cut -d' ' -f1)", "localhost"),
    "batch_nodes_meet: a local root": lambda it: override(it)["containerOverrides"]["environment"].append(
        {"name": "NEURON_RT_ROOT_COMM_ID", "value": "localhost:48620"}
    ),
    "batch_nodes_meet: too many workers": in_batch_line("--nproc_per_node=32", "--nproc_per_node=64"),
    "batch_keeps_everything_in_the_bucket: checkpoints": without(JobEnv.CHECKPOINTS),
    "batch_runs_are_found_again: no team": lambda it: it["tags"].pop("trn-training:team"),
    "batch_runs_are_found_again: no cache": lambda it: it["tags"].pop(JobLabel.CACHE),
}


@pytest.mark.parametrize("mutant", BATCH_MUTANTS)
def test_the_batch_rule_sees_the_mistake(mutant: str, tmp_path: Path) -> None:
    run = copy.deepcopy(batch_run("bert-pretrain", EFA_ROW, tmp_path))
    rules = {rule.__name__: rule for rule in BATCH_RULES}
    BATCH_MUTANTS[mutant](run)
    assert [*rules[mutant.partition(":")[0]](run, EFA_ROW)]


def test_every_rule_has_a_mutant() -> None:
    named = {name.partition(":")[0] for name in (*EKS_MUTANTS, *BATCH_MUTANTS)}
    assert named == {rule.__name__ for rule in (*EKS_RULES, *BATCH_RULES)}
