"""What holds for every chart; tests/k8s/rules.py has the rules that Volcano's charts keep too."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from cdk8s import App
from syrupy.assertion import SnapshotAssertion

import k8s_charts
from k8s_charts.component import Component
from k8s_charts.volcano import VolcanoCrds
from spec.names import PART_OF
from tests.k8s.catalogue import CHARTS, Objects, objects, synthesized
from tests.k8s.rules import broken, containers, pods
from tests.k8s.snapshots import YamlSnapshot
from tests.k8s.validation import VERSIONS, problems

CLUSTER_SCOPED = (
    *("ClusterRole", "ClusterRoleBinding", "Namespace", "PersistentVolume", "Queue", "StorageClass"),
    *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
)
TOGETHER = tuple(name for name in CHARTS if not name.endswith(".minimal"))
"""Charts that may stand in one cluster."""

EVERY_CHART = pytest.mark.parametrize("name", CHARTS)


def workloads(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(workload, the spec of its pods)."""
    yield from ((it, dict(pod["spec"])) for it in objects(name) for pod in pods(it))


def together() -> Objects:
    return [it for name in TOGETHER for it in objects(name)]


@pytest.fixture(scope="module")
def definitions() -> Objects:
    """Volcano's kinds."""
    return synthesized(VolcanoCrds(App(), "chart"))


@EVERY_CHART
def test_snapshot(name: str, snapshot: SnapshotAssertion) -> None:
    assert objects(name) == snapshot(extension_class=YamlSnapshot)


def test_every_chart_is_in_the_catalogue() -> None:
    modules = [import_module(f"k8s_charts.{it.name}") for it in pkgutil.iter_modules(k8s_charts.__path__)]
    defined = {
        value.__name__
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Component) and value.__module__ == module.__name__
    }
    catalogued = {type(chart(App())).__name__ for chart in CHARTS.values()}
    assert defined - {"Component"} == catalogued


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_accepted_by_every_version(version: str, definitions: Objects) -> None:
    for name in CHARTS:
        assert problems(objects(name), version=version, definitions=definitions) == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("etcd.minimal", ("spec", "template", "spec", "containers", 0)),
        ("queue-namespace.minimal", ("metadata",)),
        ("volcano-queue.minimal", ("spec",)),
        ("queue-admission", ("spec", "validations", 0)),
    ],
)
def test_a_misspelt_field_is_seen(name: str, path: tuple[str | int, ...], definitions: Objects) -> None:
    changed: Objects = json.loads(json.dumps(objects(name)))
    part: Any = changed[0]
    for step in path:
        part = part[step]
    part["securitycontext"] = {}
    assert len(problems(changed, version=VERSIONS[0], definitions=definitions)) == 1


@EVERY_CHART
def test_the_common_rules_hold(name: str) -> None:
    assert broken(objects(name)) == []


def test_the_common_rules_hold_in_one_cluster() -> None:
    assert broken(together()) == []


@EVERY_CHART
def test_names_have_no_hash(name: str) -> None:
    for it in objects(name):
        assert not re.search(r"-c8[0-9a-f]{6}$", it["metadata"]["name"])


@EVERY_CHART
def test_only_namespaced_kinds_have_a_namespace(name: str) -> None:
    for it in objects(name):
        assert ("namespace" in it["metadata"]) == (it["kind"] not in CLUSTER_SCOPED)


@EVERY_CHART
def test_labels_tell_whose_an_object_is_and_pods_carry_them_too(name: str) -> None:
    for it in objects(name):
        labels = it["metadata"]["labels"]
        assert labels["app.kubernetes.io/part-of"] == labels["app.kubernetes.io/managed-by"] == PART_OF
        assert all(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", value) for value in labels.values())
        for pod in pods(it):
            assert pod["metadata"]["labels"] == labels


@EVERY_CHART
def test_a_selector_outlives_an_upgrade(name: str) -> None:
    for workload, _ in workloads(name):
        assert list(workload["spec"]["selector"]["matchLabels"]) == ["app.kubernetes.io/name"]


@EVERY_CHART
def test_no_service_leaves_the_cluster(name: str) -> None:
    for it in objects(name):
        assert it["kind"] != "Service" or it["spec"].get("type", "ClusterIP") == "ClusterIP"


@EVERY_CHART
def test_whatever_listens_says_when_it_is_ready(name: str) -> None:
    for it in objects(name):
        for pod in pods(it):
            assert all("readinessProbe" in each for each in containers(pod) if each.get("ports"))


@EVERY_CHART
def test_a_container_is_privileged_or_has_no_capability(name: str) -> None:
    for _, pod in workloads(name):
        for each in pod["containers"]:
            security = each["securityContext"]
            assert security.get("privileged", False) == security["allowPrivilegeEscalation"]
            assert security.get("privileged") or security["capabilities"] == {"drop": ["ALL"]}


@EVERY_CHART
def test_no_default_of_the_library_is_left(name: str) -> None:
    """Its defaults keep device plugins, etcd and the monitor from working."""
    for workload, pod in workloads(name):
        text = json.dumps(pod)
        assert '"2048Mi"' not in text
        assert '"1500m"' not in text
        if workload["kind"] != "Deployment":
            assert '"readOnlyRootFilesystem": true' not in text
            assert '"runAsNonRoot": true' not in text


@EVERY_CHART
def test_only_what_calls_the_api_server_has_a_token(name: str) -> None:
    for _, pod in workloads(name):
        assert pod["automountServiceAccountToken"] == name.startswith("neuron-device-plugin")
        assert pod["automountServiceAccountToken"] == ("serviceAccountName" in pod)


@EVERY_CHART
def test_daemons_reach_tainted_nodes_and_services_stay_off_trainium(name: str) -> None:
    for workload, pod in workloads(name):
        if workload["kind"] == "DaemonSet":
            assert "aws.amazon.com/neuron" in [toleration["key"] for toleration in pod["tolerations"]]
            assert workload["metadata"]["namespace"] == "kube-system"
            continue
        assert "tolerations" not in pod
        assert workload["metadata"]["namespace"] != "kube-system"
        terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        assert terms == [{"matchExpressions": [{"key": "trn-training/node-group", "operator": "DoesNotExist"}]}]


def test_one_daemon_set_registers_the_neuron_devices() -> None:
    """Whatever mounts the kubelet's plugin directory registers something; the EFA plugin registers EFA."""
    plugins = [
        workload["metadata"]["name"]
        for name in TOGETHER
        for workload, pod in workloads(name)
        if any(
            volume.get("hostPath", {}).get("path") == "/var/lib/kubelet/device-plugins"
            for volume in pod.get("volumes", ())
        )
    ]
    assert sorted(plugins) == ["aws-efa-k8s-device-plugin", "neuron-device-plugin"]


def test_no_dead_or_stale_name_is_left() -> None:
    text = json.dumps([objects(name) for name in CHARTS])
    for stale in ("neurondevice", "neuroncore", "neuron-device-plugin-daemonset", "790709498068"):
        assert stale not in text
    assert "requests.aws.amazon.com/neuron" in text


@EVERY_CHART
def test_bindings_name_roles_and_accounts_of_their_chart(name: str) -> None:
    roles = {(it["kind"], it["metadata"]["name"]) for it in objects(name) if it["kind"].endswith("Role")}
    accounts = {
        (it["metadata"]["name"], it["metadata"]["namespace"]) for it in objects(name) if it["kind"] == "ServiceAccount"
    }
    for binding in [it for it in objects(name) if it["kind"].endswith("RoleBinding")]:
        assert (binding["roleRef"]["kind"], binding["roleRef"]["name"]) in roles
        for subject in binding["subjects"]:
            assert subject["kind"] == "Group" or (subject["name"], subject["namespace"]) in accounts


@EVERY_CHART
def test_no_permission_is_a_wildcard_or_opens_secrets(name: str) -> None:
    for role in [it for it in objects(name) if it["kind"].endswith("Role")]:
        for rule in role["rules"]:
            assert "*" not in (*rule["apiGroups"], *rule["resources"], *rule["verbs"])
            assert "secrets" not in rule["resources"]
