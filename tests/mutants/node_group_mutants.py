"""Mutants of node groups."""

from __future__ import annotations

from tests.mutants.mutant import Mutant, gone, merged, plus, to
from tests.rules import node_group

CLUSTER, NODES = "bert/Cluster", "bert/Nodes"
GROUP, ADDON = "AWS::EKS::Nodegroup", "AWS::EKS::Addon"
PLUGIN = "790709498068.dkr.ecr.us-west-2.amazonaws.com/neuron-device-plugin:1.0.9043.0"

MUTANTS: tuple[Mutant, ...] = (
    Mutant("nodes-not-repaired", node_group.node_groups_are_well_formed, NODES, GROUP, "NodeRepairConfig", gone),
    Mutant("system-nodes-on-al2", node_group.node_groups_are_well_formed, CLUSTER, GROUP, "AmiType", to("AL2_x86_64")),
    Mutant(
        "ssh-to-nodes", node_group.node_groups_are_well_formed, NODES, GROUP, "RemoteAccess", to({"Ec2SshKey": "mine"})
    ),
    Mutant("trn-nodes-left-behind", node_group.nodes_run_the_cluster_s_version, NODES, GROUP, "Version", gone),
    Mutant("system-nodes-left-behind", node_group.nodes_run_the_cluster_s_version, CLUSTER, GROUP, "Version", gone),
    Mutant(
        "nodes-newer-than-the-cluster", node_group.nodes_run_the_cluster_s_version, NODES, GROUP, "Version", to("1.36")
    ),
    Mutant(
        "trn-nodes-on-the-gpu-image",
        node_group.trn_nodes_run_the_neuron_image,
        NODES,
        GROUP,
        "AmiType",
        to("AL2_x86_64_GPU"),
    ),
    Mutant(
        "trn-nodes-on-the-plain-image",
        node_group.trn_nodes_run_the_neuron_image,
        NODES,
        GROUP,
        "AmiType",
        to("AL2023_x86_64_STANDARD"),
    ),
    Mutant("image-that-moves", node_group.trn_nodes_run_the_neuron_image, NODES, GROUP, "ReleaseVersion", gone),
    Mutant(
        "driver-too-new-for-the-sdk",
        node_group.trn_nodes_run_the_neuron_image,
        NODES,
        GROUP,
        "ReleaseVersion",
        to("1.35.6-20260714"),
    ),
    Mutant(
        "image-of-another-version",
        node_group.trn_nodes_run_the_neuron_image,
        NODES,
        GROUP,
        "ReleaseVersion",
        to("1.34.9-20260625"),
    ),
    Mutant(
        "update-needs-spare-capacity",
        node_group.trn_nodes_are_updated_in_place,
        NODES,
        GROUP,
        "UpdateConfig.UpdateStrategy",
        to("DEFAULT"),
    ),
    Mutant(
        "other-sizes",
        node_group.trn_nodes_have_the_sizes_asked_for,
        NODES,
        GROUP,
        "ScalingConfig",
        to({"MinSize": 1, "DesiredSize": 1, "MaxSize": 1}),
    ),
    Mutant(
        "efa-label-missing",
        node_group.trn_nodes_are_labelled,
        NODES,
        GROUP,
        "Labels",
        lambda old: {key: value for key, value in old.items() if "efa" not in key},
    ),
    Mutant(
        "team-label-of-another",
        node_group.trn_nodes_are_labelled,
        NODES,
        GROUP,
        "Labels",
        merged(**{"trn-training/team": "x"}),
    ),
    Mutant(
        "taint-nobody-asked-for",
        node_group.trn_nodes_are_labelled,
        NODES,
        GROUP,
        "Taints",
        plus({"Effect": "NO_SCHEDULE", "Key": "aws.amazon.com/neuron", "Value": "true"}),
    ),
    Mutant(
        "cdk-s-own-device-plugin",
        node_group.no_plugin_of_cdk,
        CLUSTER,
        f"{ADDON} Trainingcoredns",
        "",
        lambda _: {"Type": "Custom::AWSCDK-EKS-KubernetesResource", "Properties": {"Manifest": PLUGIN}},
    ),
    Mutant("system-nodes-gone", node_group.node_groups_are_well_formed, CLUSTER, GROUP, "", gone),
)
