"""The cluster stack: EKS control plane, system nodes, add-ons; the in-cluster charts join it here."""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.cluster import TrainingCluster
from constructs_lib.node_group import SystemNodeGroup, node_role
from spec.names import Output
from spec.subnets import POD_ADDRESSES_AT_START, POD_ADDRESSES_WARM
from spec.team import Eks, Team
from stacks.network import NetworkStack
from stacks.storage import StorageStack
from stacks.team_stack import TeamStack, resource_tags

CNI_ENVIRONMENT = {
    "MINIMUM_IP_TARGET": str(POD_ADDRESSES_AT_START),
    "WARM_IP_TARGET": str(POD_ADDRESSES_WARM),
}
"""https://github.com/aws/amazon-vpc-cni-k8s/blob/v1.20.0/docs/eni-and-ip-target.md"""


class ClusterStack(TeamStack):
    """EKS cluster with its add-ons and the nodes they run on; training nodes are a stack of their own."""

    def __init__(
        self, scope: Construct, id_: str, *, team: Team, eks: Eks, network: NetworkStack, storage: StorageStack
    ) -> None:
        super().__init__(scope, id_, team=team, description="EKS cluster")
        self.training_cluster = TrainingCluster(
            self,
            "Training",
            vpc=network.vpc,
            subnets=network.private_subnets,
            version=eks.version,
            upgrade_policy=eks.upgrade_policy,
            service_ipv4_cidr=eks.service_ipv4_cidr,
            public_access_cidrs=eks.public_access_cidrs,
            admin_arns=eks.admins,
        )
        # Here, not with the training nodes: EKS makes an access entry of the role, and a role in the nodes' stack
        # would tie the two stacks together both ways.
        self.node_role = node_role(self, "NodeRole")

        cluster = self.training_cluster
        before_nodes = [
            cluster.add_addon(
                "vpc-cni", pod_identity=("aws-node", self._cni_role()), configuration={"env": CNI_ENVIRONMENT}
            ),
            cluster.add_addon("kube-proxy"),
            cluster.add_addon("eks-pod-identity-agent"),
        ]
        system_nodes = self._system_nodes(eks, network, storage)
        for addon in before_nodes:
            # A node becomes Ready only with its CNI and the agent that hands the CNI its credentials.
            system_nodes.node.add_dependency(addon)
        # These run as Deployments: without a node EKS would report them degraded and fail the stack.
        cluster.add_addon("coredns", after=[system_nodes])
        cluster.add_addon("eks-node-monitoring-agent", after=[system_nodes])
        cluster.add_addon(
            "aws-fsx-csi-driver",
            pod_identity=("fsx-csi-controller-sa", self._fsx_csi_role(storage)),
            after=[system_nodes],
        )

        self.output(Output.CLUSTER_NAME, cluster.name, "EKS cluster")
        self.output(Output.CLUSTER_ENDPOINT, cluster.cluster.cluster_endpoint, "Kubernetes API endpoint")
        self.output(Output.CLUSTER_SECURITY_GROUP_ID, cluster.security_group_id, "Group that every node carries")

    def _system_nodes(self, eks: Eks, network: NetworkStack, storage: StorageStack) -> SystemNodeGroup:
        nodes = eks.system_nodes
        # TensorBoard and data loaders mount Lustre from system nodes, which carry no EFA group.
        lustre_groups = (
            [self.training_cluster.security_group_id, storage.file_system.client_security_group_id]
            if storage.file_system
            else []
        )
        return SystemNodeGroup(
            self,
            "SystemNodes",
            cluster_name=self.training_cluster.name,
            role=self.node_role,
            subnets=network.private_subnets,
            security_group_ids=lustre_groups,
            instance_type=nodes.instance_type,
            min_size=nodes.min,
            desired_size=nodes.desired,
            max_size=nodes.max,
            tags=resource_tags(self.team),
        )

    def _cni_role(self) -> iam.IRole:
        role = self.training_cluster.pod_role("CniRole", description="VPC CNI: assigns pod addresses")
        role.add_managed_policy(iam.ManagedPolicy.from_aws_managed_policy_name("AmazonEKS_CNI_Policy"))
        return role

    def _fsx_csi_role(self, storage: StorageStack) -> iam.IRole:
        role = self.training_cluster.pod_role("FsxCsiRole", description="FSx CSI driver: looks up the team's volume")
        if storage.file_system is not None:
            storage.file_system.grant_describe(role)
        return role
