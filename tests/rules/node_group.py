"""Rules about the node groups of an EKS cluster."""

from __future__ import annotations

from collections.abc import Iterator

from spec.compatibility import listed_image, neuron_sdk
from spec.names import NEURON_TAINT, NodeLabel
from spec.team import NodeGroup
from tests.conftest import Synthesized
from tests.rules.cfn import count, find, resources, strings
from tests.rules.training import NODE_GROUP, Launch, instance_types, of_every_launch, template_id

OLD_PLUGIN = ("790709498068.dkr.ecr", "neuron-device-plugin-daemonset")
"""What CDK's own node group call would install on Neuron nodes. https://github.com/aws/aws-cdk/issues/29262"""


def node_groups_are_well_formed(synthesized: Synthesized) -> list[str]:
    """One instance type in one place, no disk size beside a launch template, sizes in order, no AL2 image."""
    groups = resources(synthesized, NODE_GROUP)
    expected = len(synthesized.team.eks.node_groups) + 1 if synthesized.team.eks else 0
    found = count("node groups", len(groups), expected)
    for group in groups:
        properties = group.properties
        template = find(synthesized, group.stack, template_id(group))
        types = instance_types(group, template) if template else []
        if len(types) != 1:
            found.append(f"{group.name}: instance types {types} in node group and launch template, expected one")
        found += [
            f"{group.name}: {key} beside a launch template" for key in ("DiskSize", "RemoteAccess") if key in properties
        ]
        scaling = properties.get("ScalingConfig", {})
        low, desired, high = (scaling.get(key, -1) for key in ("MinSize", "DesiredSize", "MaxSize"))
        if not 0 <= low <= desired <= high or high < 1:
            found.append(f"{group.name}: sizes {low}, {desired}, {high}, expected in order")
        if not str(properties.get("AmiType")).startswith("AL2023_x86_64_"):
            found.append(f"{group.name}: AMI type {properties.get('AmiType')}")
        if properties.get("NodeRepairConfig") != {"Enabled": True}:
            found.append(f"{group.name}: no automatic repair")
    return found


def nodes_run_the_cluster_s_version(synthesized: Synthesized) -> list[str]:
    """Every node group states the team's version: one that states none keeps the version that it was created with."""
    version = synthesized.team.eks.version if synthesized.team.eks else None
    groups = resources(synthesized, NODE_GROUP)
    found = [] if bool(groups) == bool(version) else [f"{len(groups)} node groups with Kubernetes {version}"]
    return found + [
        f"{group.name}: version {group.properties.get('Version')}, expected {version}"
        for group in groups
        if group.properties.get("Version") != version
    ]


@of_every_launch
def trn_nodes_run_the_neuron_image(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """The Neuron AMI family, at a release of the cluster's version whose driver runs the team's SDK."""
    if not launch.in_eks or synthesized.team.eks is None:
        return
    properties = launch.user.properties
    if properties.get("AmiType") != "AL2023_x86_64_NEURON":
        yield f"AMI type {properties.get('AmiType')}"
    release = str(properties.get("ReleaseVersion"))
    if not release.startswith(f"{synthesized.team.eks.version}."):
        yield f"release {release} with Kubernetes {synthesized.team.eks.version}"
    image = listed_image(release)
    if image is None or not neuron_sdk(synthesized.team.neuron_sdk).runs_on(image.driver):
        yield f"release {release}, whose driver does not run Neuron SDK {synthesized.team.neuron_sdk}"


@of_every_launch
def trn_nodes_are_updated_in_place(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Terminate first: where capacity is scarce the new node starts in the room of the old one; one at a time."""
    update = launch.user.properties.get("UpdateConfig")
    if launch.in_eks and update != {"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}:
        yield f"update config {update}"


@of_every_launch
def trn_nodes_have_the_sizes_asked_for(_: Synthesized, launch: Launch) -> Iterator[str]:
    if not isinstance(launch.part, NodeGroup):
        return
    scaling = launch.user.properties.get("ScalingConfig")
    expected = {"MinSize": launch.part.min, "DesiredSize": launch.part.desired, "MaxSize": launch.part.max}
    if scaling != expected:
        yield f"sizes {scaling}, expected {expected}"


@of_every_launch
def trn_nodes_are_labelled(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """Team and group on every node, EFA where there is EFA, and a taint only where the team asks for one."""
    if not isinstance(launch.part, NodeGroup):
        return
    labels = {NodeLabel.TEAM: synthesized.team.name, NodeLabel.NODE_GROUP: launch.part.name}
    expected = labels | ({NodeLabel.EFA: "true"} if launch.hardware.efa_interfaces else {})
    if launch.user.properties.get("Labels") != {str(key): value for key, value in expected.items()}:
        yield f"labels {launch.user.properties.get('Labels')}, expected {expected}"
    taints = launch.user.properties.get("Taints")
    wanted = [{"Effect": "NO_SCHEDULE", "Key": NEURON_TAINT, "Value": "true"}] if launch.part.taint else None
    if taints != wanted:
        yield f"taints {taints}, expected {wanted}"


def no_plugin_of_cdk(synthesized: Synthesized) -> list[str]:
    """CDK's own Neuron device plugin is years old, and its name overwrites a right one."""
    found = [
        f"{stack}: {words}"
        for stack, template in synthesized.templates.items()
        for words in OLD_PLUGIN
        if any(words in text for text in strings(template))
    ]
    return found + [item.name for item in resources(synthesized) if "NeuronDevicePlugin" in item.logical_id]
