"""What runs in a cluster: which charts a team gets, in what order they come and go, and that AWS takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from spec.hardware import HARDWARE
from spec.names import LUSTRE_CLAIM, LUSTRE_STORAGE_CLASS, Output, Volcano, researchers_group
from spec.output_values import fill
from stacks.charts import phases, queues
from stacks.manifest import Manifest, write_manifests
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.k8s.rules import broken, containers, pods
from tests.k8s.validation import problems
from tests.rules.assembly import MAX_MANIFEST_BYTES, MAX_TEMPLATE_BYTES
from tests.stacks.test_snapshots import objects

GROUP = {"name": "a", "instance_type": "trn1.32xlarge"}
ALICE = "arn:aws:iam::111122223333:role/Alice"
BOB = "arn:aws:iam::111122223333:role/Bob"
LARGEST_QUEUES = 50
LARGEST_GROUPS = 29
MIRRORS = {"docker.io": "m.example/hub", "quay.io": "m.example/quay", "public.ecr.aws": "m.example/public"}
NETWORK = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
TEAMS: dict[str, dict[str, Any]] = {
    "least": {"eks": {"node_groups": [GROUP], "neuron_monitor": False, "tensorboard": False}},
    "most": {
        "storage": {"lustre": {}},
        "network": NETWORK | {"nat": "none"},
        "eks": {
            "node_groups": [GROUP],
            "rendezvous": "etcd",
            "dynamic_volumes": True,
            "registry_mirrors": MIRRORS,
            "queues": [
                {"name": "vision", "neuron_devices": 16, "researchers": [ALICE, BOB]},
                {"name": "language", "neuron_devices": 32, "researchers": [ALICE]},
            ],
        },
    },
    "largest": {
        "storage": {"lustre": {}},
        "network": NETWORK | {"verified_zones": ["usw2-az4"]},
        "eks": {
            "rendezvous": "etcd",
            "dynamic_volumes": True,
            "node_groups": [
                {"name": f"g{number}-{'x' * 27}", "instance_type": kind, "desired": 1, "max": 1}
                for number, kind in enumerate((list(HARDWARE) * LARGEST_GROUPS)[:LARGEST_GROUPS])
            ],
            "queues": [
                {"name": f"q{number:02}-{'x' * 28}", "neuron_devices": 16, "researchers": [ALICE, BOB]}
                for number in range(LARGEST_QUEUES)
            ],
        },
    },
    "alike": {
        "eks": {
            "node_groups": [GROUP],
            "queues": [
                {"name": name, "neuron_devices": 16}
                for name in ("a", "namespace-a", "queue-a", "admission", "volcanoes")
            ],
        }
    },
    "no-efa": {"eks": {"node_groups": [GROUP | {"instance_type": "trn1.2xlarge"}]}},
}


@pytest.fixture(scope="module")
def teams(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    return synthesize_teams(
        [make_team(name, **keys) for name, keys in TEAMS.items()], tmp_path_factory.mktemp("charts")
    )


def resources(synthesized: Synthesized, kind: str) -> dict[str, dict[str, Any]]:
    found = synthesized.templates["Cluster"]["Resources"]
    return {name: resource for name, resource in found.items() if resource["Type"] == kind}


def applied(synthesized: Synthesized) -> dict[str, list[dict[str, Any]]]:
    """Objects by logical id of the resource that applies them."""
    manifests = resources(synthesized, "Custom::AWSCDK-EKS-KubernetesResource")
    return {name: objects(resource["Properties"]["Manifest"]) for name, resource in manifests.items()}


def everything(synthesized: Synthesized) -> list[dict[str, Any]]:
    return [it for group in applied(synthesized).values() for it in group]


def applying(synthesized: Synthesized, kind: str, name: str) -> str:
    """Logical id of the resource that applies an object."""
    (found,) = [
        resource
        for resource, group in applied(synthesized).items()
        if any((it["kind"], it["metadata"]["name"]) == (kind, name) for it in group)
    ]
    return found


def comes_after(synthesized: Synthesized, later: str, earlier: str) -> bool:
    """Whether one resource depends on another, directly or not; deletion goes the other way."""
    found = synthesized.templates["Cluster"]["Resources"]
    seen: set[str] = set()
    waiting = [later]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += found[name].get("DependsOn", [])
    return earlier in seen - {later}


def manifests(synthesized: Synthesized) -> list[Manifest]:
    assert synthesized.team.eks is not None
    before = phases(synthesized.team, synthesized.team.eks)
    return [manifest for phase in (*before, queues(synthesized.team.eks)) for manifest in phase]


def test_order(teams: dict[str, Synthesized]) -> None:
    most = teams["most"]
    (gate,) = resources(most, "Custom::AWSCDK-EKS-KubernetesObjectValue")
    namespace = applying(most, "Namespace", "vision")
    definitions = applying(most, "CustomResourceDefinition", "queues.scheduling.volcano.sh")
    admission = applying(most, "Deployment", Volcano.ADMISSION_DEPLOYMENT)
    webhooks = applying(most, "ValidatingWebhookConfiguration", "volcano-admission-service-queues-validate")
    queue = applying(most, "Queue", "vision")
    order = [namespace, definitions, admission, webhooks, gate, queue]
    for index, later in enumerate(order[2:], start=2):
        for earlier in order[:index]:
            assert comes_after(most, later, earlier), f"{later} does not come after {earlier}"
    (dns,) = [
        name
        for name, addon in resources(most, "AWS::EKS::Addon").items()
        if addon["Properties"]["AddonName"] == "coredns"
    ]
    assert all(comes_after(most, name, dns) for name in applied(most))


def test_the_gate_waits_for_the_webhook(teams: dict[str, Synthesized]) -> None:
    (gate,) = resources(teams["most"], "Custom::AWSCDK-EKS-KubernetesObjectValue").values()
    properties = gate["Properties"]
    assert (properties["ObjectType"], properties["ObjectName"]) == ("deployment", "volcano-admission")
    assert properties["ObjectNamespace"] == "volcano-system"
    # Not the number of available replicas, which counts the old pods while an upgrade starts.
    assert properties["JsonPath"] == '.status.conditions[?(@.reason=="NewReplicaSetAvailable")].status'
    assert properties["TimeoutSeconds"] == 600


def test_no_object_is_applied_twice(teams: dict[str, Synthesized]) -> None:
    for synthesized in teams.values():
        assert broken(everything(synthesized)) == []


def test_every_object_is_valid_now_and_after_the_next_upgrade(teams: dict[str, Synthesized]) -> None:
    """As the stack applies it, with CDK's own labels; tests/k8s/ holds every chart at every version."""
    most = teams["most"]
    assert most.team.eks is not None
    major, minor = most.team.eks.version.split(".")
    found = everything(most)
    for version in (f"{major}.{minor}", f"{major}.{int(minor) + 1}"):
        assert problems(found, version=version, definitions=found) == []


@pytest.mark.parametrize("name", TEAMS)
def test_cloudformation_and_the_handler_take_it(name: str, teams: dict[str, Synthesized]) -> None:
    synthesized = teams[name]
    if name == "largest":
        assert synthesized.team.eks is not None
        fields = type(synthesized.team.eks).model_fields
        limits = [
            next(m.max_length for m in fields[key].metadata if hasattr(m, "max_length"))
            for key in ("queues", "node_groups")
        ]
        assert limits == [LARGEST_QUEUES, LARGEST_GROUPS]
    for template in synthesized.templates.values():
        assert len(json.dumps(template, indent=1)) < MAX_TEMPLATE_BYTES
        assert len(template["Resources"]) < 500
    for resource in resources(synthesized, "Custom::AWSCDK-EKS-KubernetesResource").values():
        # An update event holds the old and the new properties.
        assert len(json.dumps(resource["Properties"])) < MAX_MANIFEST_BYTES


def test_what_a_team_does_not_ask_for_is_not_there(teams: dict[str, Synthesized]) -> None:
    kinds = {(it["kind"], it["metadata"]["name"]) for it in everything(teams["least"])}
    names = {name for _, name in kinds}
    assert "neuron-device-plugin" in names
    assert "aws-efa-k8s-device-plugin" in names
    assert not names & {"etcd", "tensorboard", "neuron-monitor", LUSTRE_STORAGE_CLASS, LUSTRE_CLAIM}
    assert not {kind for kind, _ in kinds} & {"Queue", "PersistentVolume"}
    # Jobs may go to Volcano's own queue, so the gate is there without a queue of the team's.
    assert len(resources(teams["least"], "Custom::AWSCDK-EKS-KubernetesObjectValue")) == 1
    assert "aws-efa-k8s-device-plugin" not in {it["metadata"]["name"] for it in everything(teams["no-efa"])}


def test_what_a_team_asks_for_is_there(teams: dict[str, Synthesized]) -> None:
    names = {it["metadata"]["name"] for it in everything(teams["most"])}
    assert names >= {"etcd", "tensorboard", "neuron-monitor", LUSTRE_STORAGE_CLASS, LUSTRE_CLAIM, "vision", "language"}


def test_each_namespace_has_a_claim_on_the_team_s_file_system(teams: dict[str, Synthesized]) -> None:
    found = everything(teams["most"])
    claims = {it["metadata"]["namespace"] for it in found if it["kind"] == "PersistentVolumeClaim"}
    assert claims == {"vision", "language", "trn-training"}
    handles = {json.dumps(it["spec"]["csi"]) for it in found if it["kind"] == "PersistentVolume"}
    (handle,) = handles
    assert "LustreMountName" in handle
    assert "${" not in json.dumps(found)


def test_a_claim_goes_with_its_namespace(teams: dict[str, Synthesized]) -> None:
    """Deleting a claim waits for its pods, and only the namespace ends them."""
    for name, group in applied(teams["most"]).items():
        namespaces = {it["metadata"]["name"] for it in group if it["kind"] == "Namespace"}
        claims = {it["metadata"]["namespace"] for it in group if it["kind"] == "PersistentVolumeClaim"}
        assert claims <= namespaces | {"trn-training"}, name


def test_a_researcher_has_one_access_entry_with_every_group(teams: dict[str, Synthesized]) -> None:
    entries = [entry["Properties"] for entry in resources(teams["most"], "AWS::EKS::AccessEntry").values()]
    assert len({json.dumps(entry["PrincipalArn"]) for entry in entries}) == len(entries)
    groups = {entry["PrincipalArn"]: entry["KubernetesGroups"] for entry in entries if "KubernetesGroups" in entry}
    assert groups == {
        ALICE: [researchers_group("vision"), researchers_group("language")],
        BOB: [researchers_group("vision")],
    }
    bound = {
        subject["name"]
        for it in everything(teams["most"])
        if it["kind"] == "RoleBinding"
        for subject in it["subjects"]
        if subject["kind"] == "Group"
    }
    assert bound >= {researchers_group("vision"), researchers_group("language")}


def test_mirrors_replace_every_public_registry(teams: dict[str, Synthesized]) -> None:
    images = {
        container["image"] for it in everything(teams["most"]) for pod in pods(it) for container in containers(pod)
    }
    assert not [image for image in images if image.startswith(tuple(MIRRORS))]
    assert {image.split("/")[1] for image in images if image.startswith("m.example/")} == {"hub", "quay", "public"}


def test_the_csi_driver_may_create_file_systems_only_for_dynamic_volumes(teams: dict[str, Synthesized]) -> None:
    actions = {
        name: {
            action for action in json.dumps(synthesized.templates["Cluster"]).split('"') if action.startswith("fsx:")
        }
        for name, synthesized in teams.items()
    }
    assert actions["least"] == set()
    assert actions["most"] == {
        f"fsx:{verb}"
        for verb in ("CreateFileSystem", "DeleteFileSystem", "DescribeFileSystems", "TagResource", "UpdateFileSystem")
    }


def test_files_for_review_are_what_is_applied(teams: dict[str, Synthesized], tmp_path: Path) -> None:
    for name, synthesized in teams.items():
        written = manifests(synthesized)
        write_manifests(tmp_path / name, written)
        paths = sorted((tmp_path / name).iterdir())
        assert [path.name.partition("-")[2] for path in paths] == [f"{it.name}.k8s.yaml" for it in written]
        assert [list(yaml.safe_load_all(path.read_text())) for path in paths] == [it.objects for it in written]
        in_stack = {json.dumps([it["metadata"]["name"] for it in group]) for group in applied(synthesized).values()}
        assert {json.dumps([it["metadata"]["name"] for it in manifest.objects]) for manifest in written} == in_stack


def test_placeholders_are_output_keys(teams: dict[str, Synthesized]) -> None:
    text = json.dumps([manifest.objects for manifest in manifests(teams["most"])])
    keys = {part.partition("}")[0] for part in text.split("${")[1:]}
    given = {key for template in teams["most"].templates.values() for key in template.get("Outputs", {})}
    assert keys <= given
    assert Output.FILE_SYSTEM_ID in keys


def test_fill_replaces_placeholders_at_any_depth() -> None:
    value = {"a": ["${X}:1", {"b": "no", "c": 3}], "d": "${X}${Y}"}
    assert fill(value, {"X": "x", "Y": "y"}) == {"a": ["x:1", {"b": "no", "c": 3}], "d": "xy"}


def test_nothing_is_installed_by_helm(teams: dict[str, Synthesized]) -> None:
    """A verbose chart's answer outgrows the 4 kB that a custom resource may return."""
    for synthesized in teams.values():
        assert resources(synthesized, "Custom::AWSCDK-EKS-HelmChart") == {}
