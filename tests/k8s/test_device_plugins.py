"""Neuron and EFA device plugins, and where the EFA plugin's image comes from."""

from __future__ import annotations

import pytest

from spec.efa_plugin_registry import ACCOUNTS, efa_device_plugin_image
from spec.hardware import HARDWARE
from tests.k8s.catalogue import container, only, pod_spec

NEURON = "neuron-device-plugin.maximal"
EFA = "efa-device-plugin.minimal"


def host_paths(name: str) -> dict[str, bool]:
    """Whether a container may only read, by host path; every path is mounted where it lies on the host."""
    paths = {volume["name"]: volume["hostPath"]["path"] for volume in pod_spec(name)["volumes"]}
    mounts = container(name)["volumeMounts"]
    assert all(paths[mount["name"]] == mount["mountPath"] for mount in mounts)
    return {mount["mountPath"]: mount.get("readOnly", False) for mount in mounts}


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("neuron-device-plugin.minimal", ["trn1.32xlarge"]),
        (NEURON, sorted(HARDWARE)),
        ("neuron-monitor.minimal", ["trn1.32xlarge"]),
        ("neuron-monitor.maximal", sorted(HARDWARE)),
    ],
)
def test_the_daemon_runs_on_exactly_the_given_types(name: str, types: list[str]) -> None:
    affinity = pod_spec(name)["affinity"]
    assert list(affinity) == ["nodeAffinity"]
    (term,) = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {
        "matchExpressions": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": types}]
    }


def test_the_neuron_plugin_reads_how_a_trn2_node_joins_its_cores() -> None:
    assert host_paths(NEURON) == {"/var/lib/kubelet/device-plugins": False, "/run": False, "/opt/aws": True}


def test_the_neuron_plugin_has_the_permissions_of_upstream() -> None:
    rules = {tuple(rule["resources"]): sorted(rule["verbs"]) for rule in only(NEURON, "ClusterRole")["rules"]}
    assert rules == {
        ("nodes",): ["get", "list", "watch"],
        ("events",): ["create", "patch"],
        ("pods",): ["get", "list", "patch", "update", "watch"],
        ("nodes/status",): ["patch", "update"],
        ("nodes/proxy",): ["get", "list"],
    }


def test_the_neuron_plugin_knows_its_node() -> None:
    (node,) = [item for item in container(NEURON)["env"] if item["name"] == "NODE_NAME"]
    assert node["valueFrom"]["fieldRef"] == {"fieldPath": "spec.nodeName"}


def test_the_efa_plugin_runs_where_the_node_group_says_so() -> None:
    pod = pod_spec(EFA)
    assert pod["nodeSelector"] == {"trn-training/efa": "true"}
    assert "affinity" not in pod
    assert pod["hostNetwork"] is True


def test_the_efa_plugin_has_the_privileges_of_upstream() -> None:
    assert container(EFA)["securityContext"] == {
        "privileged": True,
        "allowPrivilegeEscalation": True,
        "runAsNonRoot": False,
        "runAsUser": 0,
    }
    assert list(host_paths(EFA)) == ["/var/lib/kubelet/device-plugins", "/dev/infiniband", "/opt/aws/neuron"]


@pytest.mark.parametrize("name", [NEURON, EFA])
def test_plugins_outlive_pressure_on_the_node(name: str) -> None:
    assert pod_spec(name)["priorityClassName"] == "system-node-critical"
    assert {"key": "CriticalAddonsOnly", "operator": "Exists"} in pod_spec(name)["tolerations"]


@pytest.mark.parametrize(
    ("region", "registry"),
    [
        ("us-west-2", "602401143452.dkr.ecr.us-west-2.amazonaws.com"),
        ("sa-east-1", "602401143452.dkr.ecr.sa-east-1.amazonaws.com"),
        ("ap-south-2", "900889452093.dkr.ecr.ap-south-2.amazonaws.com"),
        ("us-gov-west-1", "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com"),
        ("cn-north-1", "918309763551.dkr.ecr.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_the_efa_image_comes_from_the_region_s_own_registry(region: str, registry: str) -> None:
    assert efa_device_plugin_image(region) == f"{registry}/eks/aws-efa-k8s-device-plugin:v0.5.20"


def test_account_numbers_are_whole() -> None:
    assert all(len(account) == 12 and account.isdecimal() for account in ACCOUNTS.values())
    assert len(set(ACCOUNTS.values())) == len(ACCOUNTS) == 21
