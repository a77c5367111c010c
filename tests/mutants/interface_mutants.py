"""Mutants of network interfaces, and of the groups on them."""

from __future__ import annotations

from tests.mutants.mutant import Mutant, gone, merged, plus, to, without_last
from tests.rules import efa, interfaces

NODES, RESERVED, BATCH, NETWORK = "bert/Nodes", "research/Nodes", "llama2/Batch", "bert/Network"
TEMPLATE = "AWS::EC2::LaunchTemplate"
GROUP = "AWS::EKS::Nodegroup"
ENVIRONMENT = "AWS::Batch::ComputeEnvironment"
DATA = "LaunchTemplateData"
INTERFACES = f"{DATA}.NetworkInterfaces"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "device-index-counts-across-cards",
        interfaces.interfaces_fit_their_cards,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.2.DeviceIndex",
        to(2),
    ),
    Mutant(
        "card-beyond-the-last",
        interfaces.interfaces_fit_their_cards,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.7.NetworkCardIndex",
        to(8),
    ),
    Mutant(
        "one-efa-card-unused",
        interfaces.every_efa_card_is_used,
        NODES,
        TEMPLATE,
        INTERFACES,
        without_last,
    ),
    Mutant(
        "two-efa-on-one-card",
        interfaces.every_efa_card_is_used,
        RESERVED,
        TEMPLATE,
        f"{INTERFACES}.2.NetworkCardIndex",
        to(0),
    ),
    Mutant(
        "no-primary-interface",
        interfaces.one_interface_routes,
        RESERVED,
        TEMPLATE,
        f"{INTERFACES}.0.InterfaceType",
        to("efa-only"),
    ),
    Mutant(
        "efa-only-in-the-efa-layout",
        interfaces.interfaces_follow_the_layout,
        BATCH,
        TEMPLATE,
        f"{INTERFACES}.1.InterfaceType",
        to("efa-only"),
    ),
    Mutant(
        "addresses-on-efa-only",
        interfaces.interfaces_have_no_further_settings,
        RESERVED,
        TEMPLATE,
        f"{INTERFACES}.1.Ipv4PrefixCount",
        to(1),
    ),
    Mutant(
        "subnet-in-an-interface",
        interfaces.interfaces_have_no_further_settings,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.0.SubnetId",
        to("subnet-1"),
    ),
    Mutant(
        "interface-without-groups",
        interfaces.groups_in_interfaces_only,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.4.Groups",
        to([]),
    ),
    Mutant(
        "interfaces-with-different-groups",
        interfaces.groups_in_interfaces_only,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.4.Groups",
        without_last,
    ),
    Mutant(
        "no-efa-ingress-from-itself",
        efa.groups_admit_themselves,
        NETWORK,
        "AWS::EC2::SecurityGroupIngress EfaSecurityGroupIngressFromSelf",
        "",
        gone,
    ),
    Mutant(
        "efa-over-tcp-alone",
        efa.groups_admit_themselves,
        NETWORK,
        "AWS::EC2::SecurityGroupEgress",
        "",
        lambda old: {**old, "Properties": merged(IpProtocol="tcp", FromPort=0, ToPort=65535)(old["Properties"])},
    ),
    Mutant(
        "no-way-to-the-internet",
        efa.groups_admit_themselves,
        NETWORK,
        "AWS::EC2::SecurityGroup Efa",
        "SecurityGroupEgress",
        to([]),
    ),
    Mutant(
        "cluster-group-without-efa-rules",
        efa.groups_admit_themselves,
        "bert/Cluster",
        "AWS::EKS::Cluster",
        "Version",
        to("1.32"),
    ),
    Mutant(
        "training-group-open-to-the-vpc",
        efa.training_groups_admit_nobody_else,
        NETWORK,
        "AWS::EC2::SecurityGroup Efa",
        "SecurityGroupIngress",
        plus({"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535, "CidrIp": "10.0.0.0/8"}),
    ),
    Mutant(
        "nodes-without-the-cluster-group",
        efa.every_interface_carries_the_groups_it_needs,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.0.Groups",
        lambda old: old[1:],
    ),
    Mutant(
        "nodes-without-the-efa-group",
        efa.every_interface_carries_the_groups_it_needs,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.5.Groups",
        lambda old: old[:1],
    ),
    Mutant("interfaces-gone", interfaces.groups_in_interfaces_only, NODES, TEMPLATE, INTERFACES, gone),
    Mutant("node-group-without-template", interfaces.no_public_address, NODES, GROUP, "LaunchTemplate", gone),
    Mutant(
        "environment-on-a-type-that-does-not-exist",
        interfaces.every_efa_card_is_used,
        BATCH,
        ENVIRONMENT,
        "ComputeResources.InstanceTypes.0",
        to("trn1.32xlrge"),
    ),
    Mutant(
        "node-group-of-another-name",
        interfaces.every_efa_card_is_used,
        NODES,
        GROUP,
        "Labels",
        merged(**{"trn-training/node-group": "other"}),
    ),
)
