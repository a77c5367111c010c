"""Queues: how large, for whom, in which namespace."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from spec.hardware import EFA_RESOURCE, HARDWARE, NEURON_RESOURCE, Hardware
from spec.names import researchers_group
from spec.queue_capability import queue_capability
from tests.k8s.catalogue import LARGE_QUEUE, SMALL_QUEUE, objects, only

LARGE = "queue-namespace.maximal"
NAME = "a-queue-with-the-longest-name-32"
MIXES = list(combinations(HARDWARE.values(), 2))
EVERY_ROW = pytest.mark.parametrize("row", HARDWARE.values(), ids=HARDWARE)


@EVERY_ROW
def test_whole_nodes_fit_exactly(row: Hardware) -> None:
    for nodes in (1, 2, 5):
        expected = {resource: nodes * count for resource, count in row.extended_resources.items()}
        assert queue_capability(nodes * row.neuron_devices, [row]) == expected


@EVERY_ROW
def test_a_part_of_a_node_gets_all_its_interfaces(row: Hardware) -> None:
    capability = queue_capability(row.neuron_devices + 1, [row])
    assert capability[NEURON_RESOURCE] == row.neuron_devices + 1
    assert capability.get(EFA_RESOURCE, 0) == 2 * row.efa_interfaces


@EVERY_ROW
def test_only_extended_resources_are_capped(row: Hardware) -> None:
    assert set(queue_capability(3, [row])) <= {NEURON_RESOURCE, EFA_RESOURCE}


@pytest.mark.parametrize("rows", MIXES, ids=["+".join(row.instance_type for row in rows) for rows in MIXES])
def test_no_mix_of_whole_nodes_is_kept_out(rows: tuple[Hardware, Hardware]) -> None:
    for counts in product(range(4), repeat=2):
        devices = sum(count * row.neuron_devices for count, row in zip(counts, rows, strict=True))
        interfaces = sum(count * row.efa_interfaces for count, row in zip(counts, rows, strict=True))
        if devices:
            assert queue_capability(devices, rows).get(EFA_RESOURCE, 0) >= interfaces


def test_the_order_of_node_groups_does_not_matter() -> None:
    rows = list(HARDWARE.values())
    assert queue_capability(40, rows) == queue_capability(40, reversed(rows)) == queue_capability(40, rows * 2)


@pytest.mark.parametrize(
    ("chart", "capability"), [("volcano-queue.minimal", SMALL_QUEUE), ("volcano-queue.maximal", LARGE_QUEUE)]
)
def test_the_queue_states_its_capability_and_no_more(chart: str, capability: dict[str, int]) -> None:
    (queue,) = objects(chart)
    assert queue["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert queue["spec"] == {
        "weight": 1 if chart.endswith("minimal") else 1000000,
        "reclaimable": True,
        "capability": {resource: str(amount) for resource, amount in capability.items()},
    }


def test_a_waiting_job_is_not_refused_by_the_quota() -> None:
    """Volcano ends a job whose pods are refused 15 times."""
    hard = only(LARGE, "ResourceQuota")["spec"]["hard"]
    assert set(hard) == {f"requests.{resource}" for resource in LARGE_QUEUE}
    for resource, amount in LARGE_QUEUE.items():
        assert int(hard[f"requests.{resource}"]) >= 2 * amount


def test_the_namespace_is_named_as_the_queue_and_keeps_pods_off_the_host() -> None:
    namespace = only(LARGE, "Namespace")["metadata"]
    assert namespace["name"] == NAME
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    assert {item["metadata"].get("namespace", NAME) for item in objects(LARGE)} == {NAME}


def test_job_pods_get_no_token() -> None:
    account = only(LARGE, "ServiceAccount")
    assert (account["metadata"]["name"], account["automountServiceAccountToken"]) == ("training", False)


def granted(kind: str) -> dict[tuple[str, str], set[str]]:
    """Verbs by (group, resource)."""
    return {
        (group, resource): set(rule["verbs"])
        for rule in only(LARGE, kind)["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


READ = {"get", "list", "watch"}


def test_researchers_run_jobs_and_change_nothing_else() -> None:
    assert granted("Role") == {
        ("batch.volcano.sh", "jobs"): READ | {"create", "delete"},
        ("batch.volcano.sh", "jobs/status"): {"get"},
        ("", "pods"): READ,
        ("", "pods/log"): {"get"},
        ("", "pods/exec"): {"create", "get"},
        ("", "pods/portforward"): {"create", "get"},
        ("scheduling.volcano.sh", "podgroups"): READ,
        ("", "events"): READ,
        ("", "persistentvolumeclaims"): READ,
        ("", "resourcequotas"): READ,
    }


def test_researchers_see_their_own_queue_alone() -> None:
    assert granted("ClusterRole") == {("scheduling.volcano.sh", "queues"): {"get"}}
    assert [rule["resourceNames"] for rule in only(LARGE, "ClusterRole")["rules"]] == [[NAME]]


@pytest.mark.parametrize("kind", ["RoleBinding", "ClusterRoleBinding"])
def test_researchers_are_the_group_of_their_access_entries(kind: str) -> None:
    subjects: list[dict[str, Any]] = only(LARGE, kind)["subjects"]
    assert subjects == [
        {"kind": "Group", "name": f"trn-training:{NAME}", "apiGroup": "rbac.authorization.k8s.io"},
    ]


def test_eks_takes_the_group() -> None:
    assert not researchers_group("system").startswith(("system:", "eks:", "aws:", "amazon:", "iam:"))
