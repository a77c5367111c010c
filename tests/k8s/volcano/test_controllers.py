"""Volcano's programs, their configuration and the certificate Job."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import yaml

from k8s_charts.render import Objects
from tests.k8s.rules import pods
from tests.k8s.volcano.conftest import of_kind
from tests.k8s.volcano.test_manifests import mirrored

ARGS = {
    "volcano-admission": [
        "--enabled-admission=/jobs/mutate,/jobs/validate,/podgroups/validate,/queues/mutate,/queues/validate,"
        "/hypernodes/validate,/cronjobs/validate",
        "--tls-cert-file=/admission.local.config/certificates/tls.crt",
        "--tls-private-key-file=/admission.local.config/certificates/tls.key",
        "--ca-cert-file=/admission.local.config/certificates/ca.crt",
        "--admission-conf=/admission.local.config/configmap/volcano-admission.conf",
        "--webhook-namespace=volcano-system",
        "--webhook-service-name=volcano-admission-service",
        "--enable-healthz=true",
        "--logtostderr",
        "--port=8443",
        "-v=4",
    ],
    "volcano-controllers": [
        "--logtostderr",
        "--enable-healthz=true",
        "--enable-metrics=true",
        "--leader-elect=false",
        "--kube-api-qps=50",
        "--kube-api-burst=100",
        "--worker-threads=3",
        "--worker-threads-for-gc=5",
        "--worker-threads-for-podgroup=5",
        "--sharding-configmap=volcano-sharding-configmap",
        "--sharding-configmap-namespace=volcano-system",
        "-v=4",
    ],
    "volcano-scheduler": [
        "--logtostderr",
        "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf",
        "--enable-healthz=true",
        "--enable-metrics=true",
        "--leader-elect=false",
        "--kube-api-qps=2000",
        "--kube-api-burst=2000",
        "--schedule-period=1s",
        "--node-worker-threads=20",
        "-v=3",
    ],
}


@pytest.fixture
def containers(controllers: Objects) -> dict[str, dict[str, Any]]:
    """The container of each Deployment."""
    deployments = of_kind(controllers, "Deployment")
    return {name: it["spec"]["template"]["spec"]["containers"][0] for name, it in deployments.items()}


def test_args(containers: dict[str, dict[str, Any]]) -> None:
    assert {name: it["args"] for name, it in containers.items()} == ARGS
    assert all("command" not in it for it in containers.values())


def test_probes(containers: dict[str, dict[str, Any]]) -> None:
    """The webhook is ready when it listens; its healthz is up before that, and may speak HTTPS."""
    admission = containers["volcano-admission"]
    ports = {port["name"]: port["containerPort"] for port in admission["ports"]}
    assert ports == {"webhook": 8443, "healthz": 11251}
    assert admission["readinessProbe"]["tcpSocket"] == {"port": "webhook"}
    assert admission["livenessProbe"]["tcpSocket"] == {"port": "healthz"}
    for name in ("volcano-controllers", "volcano-scheduler"):
        for probe in ("readinessProbe", "livenessProbe"):
            assert containers[name][probe]["httpGet"] == {"path": "/healthz", "port": "healthz"}


def test_no_program_is_killed_while_it_waits(containers: dict[str, dict[str, Any]]) -> None:
    """The admission waits five minutes for its configurations."""
    for it in containers.values():
        probe = it["startupProbe"]
        assert probe["failureThreshold"] * probe["periodSeconds"] >= 300
        assert it["livenessProbe"]["failureThreshold"] * it["livenessProbe"]["periodSeconds"] >= 30


def test_resources(containers: dict[str, dict[str, Any]]) -> None:
    """All three fit on the smallest node beside what EKS puts there."""
    requests = [it["resources"]["requests"] for it in containers.values()]
    assert sum(int(each["cpu"].removesuffix("m")) for each in requests) <= 500
    assert sum(int(each["memory"].removesuffix("Mi")) for each in requests) <= 1024


def test_pods_stay_off_trn_nodes_and_on_their_node(controllers: Objects) -> None:
    for pod in [pod for it in controllers for pod in pods(it)]:
        affinity = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert affinity == {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": "trn-training/node-group", "operator": "DoesNotExist"}]}
            ]
        }
        assert "tolerations" not in pod["spec"]
        assert pod["spec"]["priorityClassName"] == "system-cluster-critical"


def test_pinned_images_are_pulled_once(controllers: Objects) -> None:
    all_containers = [each for it in controllers for pod in pods(it) for each in pod["spec"]["containers"]]
    assert {it["imagePullPolicy"] for it in all_containers} == {"IfNotPresent"}
    assert {it["image"].partition(":")[2] for it in all_containers} == {"v1.15.1"}


def test_never_two_schedulers_without_leader_election(controllers: Objects) -> None:
    for name, it in of_kind(controllers, "Deployment").items():
        assert it["spec"]["replicas"] == 1
        assert ("strategy" in it["spec"]) == ("--leader-elect=false" in ARGS[name])
        assert it["spec"].get("strategy", {"type": "Recreate"}) == {"type": "Recreate"}


def test_services(controllers: Objects) -> None:
    services = of_kind(controllers, "Service")
    ports = {name: (it["spec"]["ports"][0]["port"], len(it["spec"]["ports"])) for name, it in services.items()}
    assert ports == {
        "volcano-admission-service": (443, 1),
        "volcano-controllers-service": (8081, 1),
        "volcano-scheduler-service": (8080, 1),
    }
    assert all(it["spec"]["type"] == "ClusterIP" for it in services.values())


def test_files_are_where_the_arguments_say(controllers: Objects, containers: dict[str, dict[str, Any]]) -> None:
    maps = of_kind(controllers, "ConfigMap")
    for name in ("volcano-admission", "volcano-scheduler"):
        pod = of_kind(controllers, "Deployment")[name]["spec"]["template"]["spec"]
        sources = {each["name"]: each for each in pod["volumes"]}
        files = {
            f"{mount['mountPath']}/{key}"
            for mount in containers[name]["volumeMounts"]
            if "configMap" in sources[mount["name"]]
            for key in maps[sources[mount["name"]]["configMap"]["name"]]["data"]
        }
        conf = [arg.partition("=")[2] for arg in ARGS[name] if arg.startswith(("--admission-conf", "--scheduler-conf"))]
        assert files == {*conf}
    assert "--sharding-configmap=volcano-sharding-configmap" in ARGS["volcano-controllers"]
    assert all("data" not in maps[f"volcano-{name}-configmap"] for name in ("controller", "sharding"))


def test_scheduler_configuration(controllers: Objects) -> None:
    conf = of_kind(controllers, "ConfigMap")["volcano-scheduler-configmap"]["data"]["volcano-scheduler.conf"]
    assert yaml.safe_load(conf) == {
        "actions": "enqueue, allocate, backfill",
        "tiers": [
            {
                "plugins": [
                    {"name": "priority"},
                    {"name": "gang", "enablePreemptable": False},
                    {"name": "conformance"},
                ]
            },
            {
                "plugins": [
                    {"name": "overcommit"},
                    {"name": "drf", "enablePreemptable": False},
                    *({"name": name} for name in ("predicates", "proportion", "nodeorder", "binpack")),
                ]
            },
        ],
    }


def test_environment(containers: dict[str, dict[str, Any]]) -> None:
    env = {it["name"]: it.get("value") or it["valueFrom"] for it in containers["volcano-controllers"]["env"]}
    assert env == {
        "KUBE_POD_NAMESPACE": {"fieldRef": {"fieldPath": "metadata.namespace"}},
        "HELM_RELEASE_NAME": "volcano",
    }
    (socket,) = containers["volcano-scheduler"]["env"]
    mounts = {it["name"]: it["mountPath"] for it in containers["volcano-scheduler"]["volumeMounts"]}
    assert socket["name"] == "DEBUG_SOCKET_DIR"
    assert socket["value"].startswith(f"{mounts['klog-sock']}/")


def test_certificate_job(controllers: Objects) -> None:
    ((name, job),) = of_kind(controllers, "Job").items()
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert name == "volcano-admission-init-v1-15-1"
    assert job["spec"]["backoffLimit"] == 3
    assert "ttlSecondsAfterFinished" not in job["spec"]
    assert pod["restartPolicy"] == "Never"
    assert [*container["command"], *container["args"]] == [
        "./gen-admission-secret.sh",
        *("--service", "volcano-admission-service"),
        *("--namespace", "volcano-system"),
        *("--secret", "volcano-admission-secret"),
    ]
    admission = of_kind(controllers, "Deployment")["volcano-admission"]["spec"]["template"]["spec"]
    assert container["image"] == admission["containers"][0]["image"]
    assert {"name": "certificates", "secret": {"secretName": "volcano-admission-secret"}} in admission["volumes"]


def test_a_changed_certificate_job_has_another_name(controllers: Objects) -> None:
    """The API server refuses a change of a Job's template: whoever makes one must give the Job another name.

    Add a letter behind the version in job_name() when this digest changes for any other reason than a new version.
    """
    ((name, job),) = of_kind(controllers, "Job").items()
    digest = hashlib.sha256(json.dumps(job["spec"], sort_keys=True).encode()).hexdigest()[:12]
    assert (name, digest) == ("volcano-admission-init-v1-15-1", "f2dd147e9cca")


def test_another_image_makes_another_job(controllers: Objects) -> None:
    (name,) = of_kind(mirrored(), "Job")
    assert name.startswith("volcano-admission-init-v1-15-1-")
    assert len(name) <= 63 - len("-12345")
