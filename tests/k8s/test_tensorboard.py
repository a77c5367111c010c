"""TensorBoard."""

from __future__ import annotations

import pytest

from tests.k8s.catalogue import container, objects, only, pod_spec

SMALL, LARGE = "tensorboard.minimal", "tensorboard.maximal"


@pytest.mark.parametrize("name", [SMALL, LARGE])
def test_it_reads_the_shared_file_system_and_cannot_write_it(name: str) -> None:
    (data,) = [volume for volume in pod_spec(name)["volumes"] if volume["name"] == "data"]
    (mount,) = [mount for mount in container(name)["volumeMounts"] if mount["name"] == "data"]
    assert data["persistentVolumeClaim"] == {"claimName": "fsx-claim", "readOnly": True}
    assert (mount["mountPath"], mount["readOnly"]) == ("/data", True)
    assert "--logdir=/data/logs" in container(name)["args"]


def test_it_runs_confined() -> None:
    pod = pod_spec(SMALL)["securityContext"]
    assert (pod["runAsNonRoot"], pod["runAsUser"], pod["seccompProfile"]) == (True, 65534, {"type": "RuntimeDefault"})
    assert container(SMALL)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_it_is_reached_inside_the_cluster_alone_and_holds_no_password() -> None:
    assert only(SMALL, "Service")["spec"]["type"] == "ClusterIP"
    assert not {"Secret", "Ingress"} & {it["kind"] for it in objects(LARGE)}
    assert [variable["name"] for variable in container(LARGE)["env"]] == ["HOME"]


def test_whoever_is_named_may_forward_a_port_to_it() -> None:
    rules = {tuple(rule["resources"]): set(rule["verbs"]) for rule in only(LARGE, "Role")["rules"]}
    assert rules == {
        ("services",): {"get"},
        ("pods",): {"get", "list"},
        ("pods/portforward",): {"create", "get"},
    }
    groups = [subject["name"] for subject in only(LARGE, "RoleBinding")["subjects"]]
    assert groups == ["trn-training:vision", "trn-training:language"]


def test_nobody_is_named_by_default() -> None:
    assert [it["kind"] for it in objects(SMALL)] == ["Deployment", "Service"]
