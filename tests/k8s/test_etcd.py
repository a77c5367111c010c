"""etcd."""

from __future__ import annotations

import re
from typing import Any

from spec.names import ETCD_ENDPOINT
from tests.k8s.catalogue import container, objects, only, pod_spec

NAME = "etcd.minimal"


def flags() -> dict[str, str]:
    return dict(argument.removeprefix("--").split("=", 1) for argument in container(NAME)["args"])


def service(name: str) -> dict[str, Any]:
    (found,) = [it for it in objects(NAME) if it["kind"] == "Service" and it["metadata"]["name"] == name]
    return found


def test_it_speaks_the_api_of_torchrun() -> None:
    """Removed in 3.6; off by default since 3.4."""
    assert re.fullmatch(r".*:v3\.5\.\d+", container(NAME)["image"])
    assert flags()["enable-v2"] == "true"


def test_clients_in_every_namespace_can_follow_what_it_advertises() -> None:
    client = service("etcd")
    host = f"{client['metadata']['name']}.{client['metadata']['namespace']}.svc.cluster.local"
    (port,) = client["spec"]["ports"]
    assert f"{host}:{port['port']}" == ETCD_ENDPOINT
    assert flags()["advertise-client-urls"] == f"http://{ETCD_ENDPOINT}"
    assert flags()["listen-client-urls"] == f"http://0.0.0.0:{port['port']}"


def test_the_member_is_found_under_the_name_it_advertises_before_it_is_ready() -> None:
    workload, peer = only(NAME, "StatefulSet"), service("etcd-peer")
    (port,) = peer["spec"]["ports"]
    member = f"{workload['metadata']['name']}-0"
    assert workload["spec"]["serviceName"] == peer["metadata"]["name"]
    assert (peer["spec"]["clusterIP"], peer["spec"]["publishNotReadyAddresses"]) == ("None", True)
    url = f"http://{member}.etcd-peer.{peer['metadata']['namespace']}.svc.cluster.local:{port['port']}"
    assert flags()["name"] == member
    assert flags()["initial-advertise-peer-urls"] == url
    assert flags()["initial-cluster"] == f"{member}={url}"


def test_it_is_one_member_whose_node_can_be_drained() -> None:
    assert only(NAME, "StatefulSet")["spec"]["replicas"] == 1
    assert not [it for it in objects(NAME) if it["kind"] == "PodDisruptionBudget"]


def test_its_user_can_write_its_data() -> None:
    pod = pod_spec(NAME)
    (mount,) = container(NAME)["volumeMounts"]
    assert flags()["data-dir"].startswith(f"{mount['mountPath']}/")
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsUser"] > 0
    assert [list(volume) for volume in pod["volumes"]] == [["emptyDir", "name"]]


def test_the_service_s_variables_do_not_reach_its_flags() -> None:
    assert pod_spec(NAME)["enableServiceLinks"] is False


def test_both_probes_ask_for_its_health() -> None:
    for probe in ("readinessProbe", "livenessProbe"):
        assert container(NAME)[probe]["httpGet"] == {"path": "/health", "port": "client"}
