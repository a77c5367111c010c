"""What holds for all three of Volcano's manifests."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from k8s_charts.render import Objects, render
from k8s_charts.volcano import VolcanoControllers
from spec import components
from tests.k8s.rules import broken, containers, pods
from tests.k8s.snapshots import YamlSnapshot
from tests.k8s.validation import VERSIONS, problems
from tests.k8s.volcano.conftest import of_kind

MIRROR = {"docker.io": "111122223333.dkr.ecr.us-west-2.amazonaws.com/docker-hub"}

KINDS_BY_MANIFEST = {
    "crds": {"Namespace": 2, "CustomResourceDefinition": 11},
    "controllers": {
        "ServiceAccount": 4,
        "ClusterRole": 3,
        "ClusterRoleBinding": 3,
        "Role": 1,
        "RoleBinding": 1,
        "ConfigMap": 4,
        "Service": 3,
        "Job": 1,
        "Deployment": 3,
    },
    "webhooks": {"MutatingWebhookConfiguration": 2, "ValidatingWebhookConfiguration": 5},
}


def mirrored() -> Objects:
    """The second manifest with every image from a mirror."""
    return render(
        VolcanoControllers,
        admission_image=components.VOLCANO_ADMISSION.uri(MIRROR),
        controllers_image=components.VOLCANO_CONTROLLERS.uri(MIRROR),
        scheduler_image=components.VOLCANO_SCHEDULER.uri(MIRROR),
    )


@pytest.mark.parametrize("manifest", KINDS_BY_MANIFEST)
def test_snapshot(manifest: str, manifests: dict[str, Objects], snapshot: SnapshotAssertion) -> None:
    assert manifests[manifest] == snapshot(name=manifest, extension_class=YamlSnapshot)


def test_snapshot_mirrored(snapshot: SnapshotAssertion) -> None:
    assert mirrored() == snapshot(name="controllers_mirrored", extension_class=YamlSnapshot)


@pytest.mark.parametrize("manifest", KINDS_BY_MANIFEST)
def test_objects(manifest: str, manifests: dict[str, Objects]) -> None:
    kinds = [it["kind"] for it in manifests[manifest]]
    assert {kind: kinds.count(kind) for kind in kinds} == KINDS_BY_MANIFEST[manifest]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_kubernetes_accepts_them(version: str, everything: Objects) -> None:
    assert problems(everything, version=version) == []


def test_names_selectors_mounts_ports_and_images(everything: Objects) -> None:
    assert broken(everything) == []
    assert broken(mirrored()) == []


@pytest.mark.parametrize(
    ("kind", "path", "value", "said"),
    [
        ("Deployment", "spec.template.metadata.labels.app\\.kubernetes\\.io/component", "x", "misses its own pods"),
        (
            "Deployment",
            "spec.template.spec.containers.0.image",
            "docker.io/volcanosh/vc:latest",
            "without a pinned tag",
        ),
        ("Deployment", "spec.template.spec.containers.0.resources", {}, "no requests of cpu and memory"),
        ("Deployment", "spec.template.spec.containers.0.volumeMounts.0.name", "x", "no volume x"),
        ("Deployment", "spec.template.spec.containers.0.ports.0.name", "x", "no container port webhook"),
        ("Deployment", "spec.selector.matchLabels", {"app.kubernetes.io/name": "volcano"}, "too"),
        ("Service", "spec.selector", {"app.kubernetes.io/name": "volcano"}, "4 workloads behind it"),
        ("Service", "spec.ports.0.targetPort", 8444, "no container port 8444"),
        ("ServiceAccount", "metadata.name", "volcano_admission", "not a DNS name"),
        ("ServiceAccount", "metadata.labels", {}, "no label app.kubernetes.io/name"),
        ("ConfigMap", "metadata.name", "volcano-scheduler-configmap", "there twice"),
    ],
)
def test_the_rules_see_a_mistake(kind: str, path: str, value: Any, said: str, controllers: Objects) -> None:
    mutant = deepcopy(controllers)
    *parents, last = (part.replace("\\.", ".") for part in re.split(r"(?<!\\)\.", path))
    place: Any = next(it for it in mutant if it["kind"] == kind)
    for part in parents:
        place = place[int(part) if part.isdigit() else part]
    place[last] = value
    assert [text for text in broken(mutant) if said in text], broken(mutant)


def test_each_fits_into_one_custom_resource(manifests: dict[str, Objects]) -> None:
    sizes = {name: len(json.dumps(objects)) for name, objects in manifests.items()}
    assert [name for name, size in sizes.items() if size > 40_000] == []


def test_namespaces_come_first(crds: Objects) -> None:
    assert [it["kind"] for it in crds[:2]] == ["Namespace", "Namespace"]


def test_namespace_of_every_object(everything: Objects) -> None:
    namespaced = {"ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Service", "Job", "Deployment"}
    for it in everything:
        expected = "volcano-system" if it["kind"] in namespaced else None
        assert it["metadata"].get("namespace") == expected, it["metadata"]["name"]


def test_pods_pass_the_level_of_their_namespace(crds: Objects, controllers: Objects) -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted"""
    labels = of_kind(crds, "Namespace")["volcano-system"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    for pod in [pod for it in controllers for pod in pods(it)]:
        spec = pod["spec"]
        assert not {"hostNetwork", "hostPID", "hostIPC", "hostUsers"} & spec.keys()
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] == 1000
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["securityContext"]["seLinuxOptions"].keys() == {"level"}
        assert {*(key for volume in spec.get("volumes", ()) for key in volume)} <= {
            *("name", "secret", "configMap", "emptyDir")
        }
        for container in containers(pod):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "privileged": False,
                "readOnlyRootFilesystem": True,
                "runAsNonRoot": True,
                "runAsUser": 1000,
            }
            assert not any("hostPort" in port for port in container.get("ports", ()))


def test_mirrored_images(controllers: Objects) -> None:
    images = [container["image"] for it in mirrored() for pod in pods(it) for container in containers(pod)]
    assert len(images) == 4
    assert all(image.startswith(f"{MIRROR['docker.io']}/volcanosh/vc-") for image in images)
    changed = [(a, b) for a, b in zip(controllers, mirrored(), strict=True) if a != b]
    assert [a["kind"] for a, _ in changed] == ["Job", "Deployment", "Deployment", "Deployment"]
