"""The cluster's add-ons and the system nodes that they run on, in the order in which they need each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from constructs import IConstruct

from constructs_lib.addons import add_addon, pod_role
from constructs_lib.cluster import TrainingCluster
from constructs_lib.lustre import LustreFileSystem
from constructs_lib.node_group import SystemNodeGroup
from spec.names import TEAM_TAG
from spec.subnets import POD_ADDRESSES_AT_START, POD_ADDRESSES_WARM
from spec.team import Eks
from stacks.network import NetworkStack
from stacks.storage import StorageStack
from stacks.team_stack import resource_tags

if TYPE_CHECKING:
    from stacks.cluster import ClusterStack

CNI_ENVIRONMENT = {
    "MINIMUM_IP_TARGET": str(POD_ADDRESSES_AT_START),
    "WARM_IP_TARGET": str(POD_ADDRESSES_WARM),
}
"""https://github.com/aws/amazon-vpc-cni-k8s/blob/v1.20.0/docs/eni-and-ip-target.md"""


def define_addons(stack: ClusterStack, *, eks: Eks, network: NetworkStack, storage: StorageStack) -> list[IConstruct]:
    """Define them in the cluster of a stack; those without which no chart works."""
    cluster = stack.training_cluster
    agent = add_addon(cluster, "eks-pod-identity-agent")
    before_nodes = [
        agent,
        # The association with its role needs the agent.
        add_addon(
            cluster,
            "vpc-cni",
            pod_identity=("aws-node", _cni_role(cluster)),
            configuration={"env": CNI_ENVIRONMENT},
            after=[agent],
        ),
        add_addon(cluster, "kube-proxy"),
    ]
    system_nodes = _system_nodes(stack, eks=eks, network=network, storage=storage)
    for addon in before_nodes:
        # A node becomes Ready only with its CNI and the agent that hands the CNI its credentials.
        system_nodes.node.add_dependency(addon)
    add_addon(cluster, "eks-node-monitoring-agent", after=[system_nodes])
    # These run as Deployments: without a node EKS would report them degraded and fail the stack.
    return [
        add_addon(cluster, "coredns", after=[system_nodes]),
        add_addon(
            cluster,
            "aws-fsx-csi-driver",
            pod_identity=("fsx-csi-controller-sa", _fsx_csi_role(stack, eks, storage.file_system)),
            after=[system_nodes],
        ),
    ]


def _system_nodes(stack: ClusterStack, *, eks: Eks, network: NetworkStack, storage: StorageStack) -> SystemNodeGroup:
    nodes = eks.system_nodes
    # TensorBoard and data loaders mount Lustre from system nodes, which carry no EFA group.
    cluster_group = stack.training_cluster.security_group_id
    lustre_groups = [cluster_group, storage.file_system.client_security_group_id] if storage.file_system else []
    return SystemNodeGroup(
        stack,
        "SystemNodes",
        cluster_name=stack.training_cluster.name,
        role=stack.node_role,
        subnets=network.private_subnets,
        security_group_ids=lustre_groups,
        kubernetes_version=eks.version,
        instance_type=nodes.instance_type,
        min_size=nodes.min,
        desired_size=nodes.desired,
        max_size=nodes.max,
        tags=resource_tags(stack.team),
    )


def _cni_role(cluster: TrainingCluster) -> iam.IRole:
    role = pod_role(cluster, "CniRole", description="VPC CNI: assigns pod addresses")
    role.add_managed_policy(iam.ManagedPolicy.from_aws_managed_policy_name("AmazonEKS_CNI_Policy"))
    return role


def _fsx_csi_role(stack: ClusterStack, eks: Eks, file_system: LustreFileSystem | None) -> iam.IRole:
    role = pod_role(stack.training_cluster, "FsxCsiRole", description="FSx CSI driver: the team's file systems")
    if file_system is not None and eks.dynamic_volumes:
        file_system.grant_create_more(role, tag_key=TEAM_TAG, tag_value=stack.team.name)
    elif file_system is not None:
        file_system.grant_describe(role)
    return role
