"""The stand-in account refuses what it says it refuses: a test against one that takes everything shows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.account import docker
from tests.account.cloudformation import in_order
from tests.account.controllers import act
from tests.account.kubernetes_api import KubernetesApi, Request, serve
from tests.account.manifests import ApplyError, apply, remove

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bert"}}
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "bert"}}
QUEUE = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "bert"}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "queues.scheduling.volcano.sh"},
    "spec": {
        "group": "scheduling.volcano.sh",
        "scope": "Cluster",
        "names": {"kind": "Queue", "plural": "queues"},
    },
}
COMMAND = {"action": "CloseQueue", "target": {"name": "bert"}, "metadata": {"namespace": "default", "name": "close"}}


@pytest.fixture
def api() -> Iterator[KubernetesApi]:
    with serve() as served:
        yield served


def submit(api: KubernetesApi) -> Any:
    body = {"metadata": {"name": "j", "namespace": "bert"}, "spec": {"queue": "bert", "tasks": []}}
    path = "/apis/batch.volcano.sh/v1alpha1/namespaces/bert/jobs"
    return act(api, Request("POST", path, {}, body, None))


def test_an_object_needs_its_namespace(api: KubernetesApi) -> None:
    with pytest.raises(ApplyError, match='namespaces "bert" not found'):
        apply(api, [CLAIM])
    apply(api, [NAMESPACE, CLAIM])
    assert api.names("persistentvolumeclaims") == ["c"]
    remove(api, [NAMESPACE])
    assert api.names("persistentvolumeclaims") == []


def test_a_kind_needs_its_definition(api: KubernetesApi) -> None:
    with pytest.raises(ApplyError, match='no matches for kind "Queue"'):
        apply(api, [QUEUE])
    apply(api, [DEFINITION, QUEUE])
    assert api.names("queues") == ["bert"]


def test_a_job_needs_an_open_queue(api: KubernetesApi) -> None:
    assert submit(api)[0] == 400
    apply(api, [DEFINITION, QUEUE])
    assert submit(api) is None
    api.put("/apis/bus.volcano.sh/v1alpha1", "commands", COMMAND)
    act(api, Request("GET", "/", {}, None, None))
    assert api.names("commands") == []
    assert submit(api)[0] == 400


def test_resources_come_after_what_they_depend_on() -> None:
    resources = {"a": {"DependsOn": ["c", "b"]}, "b": {}, "c": {"DependsOn": "b"}}
    assert [*in_order(resources)] == ["b", "c", "a"]


def test_docker_has_an_image_when_it_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker, "IMAGES", tmp_path / "images")
    (tmp_path / "Dockerfile").touch()
    build = ["buildx", "build", "-f", str(tmp_path / "Dockerfile"), "-t", "r/i:t"]
    assert docker.main(["image", "inspect", "r/i:t"]) == "Error: No such image: r/i:t"
    assert docker.main([*build, "--load", "."]) == 0
    assert docker.main(["image", "inspect", "r/i:t"]) == 0
    assert "unknown command line" in str(docker.main(["rmi", "r/i:t"]))
