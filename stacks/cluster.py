"""The cluster stack: EKS control plane, system nodes, add-ons, and what runs in the cluster."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from constructs import Construct, IConstruct

from constructs_lib.cluster import TrainingCluster
from constructs_lib.node_group import SystemNodeGroup, node_role
from spec.components import VOLCANO_VERSION
from spec.names import Output, Volcano, repository_uri_output, researchers_group
from spec.subnets import POD_ADDRESSES_AT_START, POD_ADDRESSES_WARM
from spec.team import Eks, Team
from stacks.charts import Manifest, fill, phases, queues
from stacks.network import NetworkStack
from stacks.storage import StorageStack
from stacks.team_stack import TeamStack, resource_tags

CNI_ENVIRONMENT = {
    "MINIMUM_IP_TARGET": str(POD_ADDRESSES_AT_START),
    "WARM_IP_TARGET": str(POD_ADDRESSES_WARM),
}
"""https://github.com/aws/amazon-vpc-cni-k8s/blob/v1.20.0/docs/eni-and-ip-target.md"""


class ClusterStack(TeamStack):
    """EKS cluster with its add-ons, the nodes they run on and the charts; training nodes are a stack of their own."""

    def __init__(
        self, scope: Construct, id_: str, *, team: Team, eks: Eks, network: NetworkStack, storage: StorageStack
    ) -> None:
        super().__init__(scope, id_, team=team, description="EKS cluster")
        self.manifests: list[Manifest] = []
        """What is applied in the cluster, in order."""
        self._network = network
        self._storage = storage
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
        self._admit_researchers(eks)
        self._apply_charts(eks, after=self._addons(eks))

        cluster = self.training_cluster
        self.output(Output.CLUSTER_NAME, cluster.name, "EKS cluster")
        self.output(Output.CLUSTER_ENDPOINT, cluster.cluster.cluster_endpoint, "Kubernetes API endpoint")
        self.output(Output.CLUSTER_SECURITY_GROUP_ID, cluster.security_group_id, "Group that every node carries")

    def _addons(self, eks: Eks) -> list[IConstruct]:
        """Define add-ons and system nodes in the order they need each other; what the charts need of them."""
        cluster = self.training_cluster
        before_nodes = [
            cluster.add_addon(
                "vpc-cni", pod_identity=("aws-node", self._cni_role()), configuration={"env": CNI_ENVIRONMENT}
            ),
            cluster.add_addon("kube-proxy"),
            cluster.add_addon("eks-pod-identity-agent"),
        ]
        system_nodes = self._system_nodes(eks)
        for addon in before_nodes:
            # A node becomes Ready only with its CNI and the agent that hands the CNI its credentials.
            system_nodes.node.add_dependency(addon)
        # These run as Deployments: without a node EKS would report them degraded and fail the stack.
        cluster.add_addon("eks-node-monitoring-agent", after=[system_nodes])
        return [
            cluster.add_addon("coredns", after=[system_nodes]),
            cluster.add_addon(
                "aws-fsx-csi-driver",
                pod_identity=("fsx-csi-controller-sa", self._fsx_csi_role(eks)),
                after=[system_nodes],
            ),
        ]

    def _system_nodes(self, eks: Eks) -> SystemNodeGroup:
        nodes = eks.system_nodes
        # TensorBoard and data loaders mount Lustre from system nodes, which carry no EFA group.
        file_system = self._storage.file_system
        lustre_groups = (
            [self.training_cluster.security_group_id, file_system.client_security_group_id] if file_system else []
        )
        return SystemNodeGroup(
            self,
            "SystemNodes",
            cluster_name=self.training_cluster.name,
            role=self.node_role,
            subnets=self._network.private_subnets,
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

    def _fsx_csi_role(self, eks: Eks) -> iam.IRole:
        role = self.training_cluster.pod_role("FsxCsiRole", description="FSx CSI driver: looks up the team's volume")
        file_system = self._storage.file_system
        if file_system is not None and eks.dynamic_volumes:
            file_system.grant_create_more(role)
        elif file_system is not None:
            file_system.grant_describe(role)
        return role

    def _admit_researchers(self, eks: Eks) -> None:
        groups: dict[str, list[str]] = {}
        for queue in eks.queues:
            for arn in queue.researchers:
                groups.setdefault(arn, []).append(researchers_group(queue.name))
        for index, (arn, own) in enumerate(groups.items()):
            self.training_cluster.grant_groups(f"Researcher{index}", principal_arn=arn, groups=own)

    def _apply_charts(self, eks: Eks, *, after: Sequence[IConstruct]) -> None:
        """Apply the charts phase by phase, wait for Volcano's webhook, then define the queues it must admit."""
        for phase in phases(self.team, eks):
            after = self._apply(phase, after=after)
        if eks.queues:
            # The version is part of the id, so that an upgrade waits anew.
            gate = self.training_cluster.wait_until_available(
                f"volcano-admission-{VOLCANO_VERSION}",
                deployment=Volcano.ADMISSION_DEPLOYMENT,
                namespace=Volcano.NAMESPACE,
                after=after,
            )
            self._apply(queues(self.team, eks), after=[gate])

    def _apply(self, phase: Sequence[Manifest], *, after: Sequence[IConstruct]) -> list[IConstruct]:
        self.manifests += phase
        values = self._deployed_values()
        return [
            self.training_cluster.apply(manifest.name, fill(manifest.objects, values), after=after)
            for manifest in phase
        ]

    def _deployed_values(self) -> dict[str, str]:
        """Values that exist only after a deployment, by output key: what the charts' placeholders stand for."""
        values = {
            repository_uri_output(image): repository.repository_uri
            for image, repository in self._storage.repositories.items()
        }
        values[Output.TRAINING_SUBNET_ID] = self._network.training_subnet.subnet_id
        if (file_system := self._storage.file_system) is not None:
            values |= {
                Output.FILE_SYSTEM_ID: file_system.file_system_id,
                Output.FILE_SYSTEM_DNS_NAME: file_system.dns_name,
                Output.FILE_SYSTEM_MOUNT_NAME: file_system.mount_name,
                Output.FILE_SYSTEM_SECURITY_GROUP_ID: file_system.security_group_id,
            }
        return values
