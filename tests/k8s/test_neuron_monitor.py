"""Neuron monitor."""

from __future__ import annotations

from tests.k8s.catalogue import container, only

NAME = "neuron-monitor.minimal"


def mebibytes(quantity: str) -> int:
    return int(quantity.removesuffix("B").removesuffix("Mi"))


def test_one_port_everywhere() -> None:
    item = container(NAME)
    annotations = only(NAME, "DaemonSet")["spec"]["template"]["metadata"]["annotations"]
    (port,) = item["ports"]
    assert item["args"][item["args"].index("--port") + 1] == str(port["containerPort"])
    assert annotations["prometheus.io/port"] == str(port["containerPort"])
    assert [found["port"] for found in only(NAME, "Service")["spec"]["ports"]] == [port["containerPort"]]


def test_each_node_is_found_by_itself() -> None:
    assert only(NAME, "Service")["spec"]["clusterIP"] == "None"


def test_go_collects_garbage_well_before_the_limit() -> None:
    item = container(NAME)
    (variable,) = [found for found in item["env"] if found["name"] == "GOMEMLIMIT"]
    limit = mebibytes(item["resources"]["limits"]["memory"])
    assert mebibytes(variable["value"]) == 160
    assert 0.5 <= mebibytes(variable["value"]) / limit <= 0.75


def test_it_sees_every_device_of_the_node() -> None:
    assert container(NAME)["securityContext"]["privileged"] is True
