"""The cluster stack: EKS control plane, system nodes, add-ons, and what runs in the cluster."""

from __future__ import annotations

from collections.abc import Sequence

from constructs import Construct, IConstruct

from constructs_lib.cluster import TrainingCluster
from constructs_lib.manifests import apply, wait_for_rollout
from constructs_lib.node_group import node_role
from spec.components import VOLCANO_VERSION
from spec.names import Output, Volcano, repository_uri_output, researchers_group
from spec.output_values import fill
from spec.team import Eks, Team
from stacks.addons import define_addons
from stacks.charts import phases, queues
from stacks.manifest import Manifest
from stacks.network import NetworkStack
from stacks.storage import StorageStack
from stacks.team_stack import TeamStack


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
        )
        # Here, not with the training nodes: EKS makes an access entry of the role, and a role in the nodes' stack
        # would tie the two stacks together both ways.
        self.node_role = node_role(self, "NodeRole")
        self._admit_people(eks)
        self._apply_charts(eks, after=define_addons(self, eks=eks, network=network, storage=storage))

        cluster = self.training_cluster
        self.output(Output.CLUSTER_NAME, cluster.name, "EKS cluster")
        self.output(Output.CLUSTER_ENDPOINT, cluster.cluster.cluster_endpoint, "Kubernetes API endpoint")
        self.output(Output.CLUSTER_SECURITY_GROUP_ID, cluster.security_group_id, "Group that every node carries")

    def _admit_people(self, eks: Eks) -> None:
        groups: dict[str, list[str]] = {arn: [] for arn in eks.admins}
        for queue in eks.queues:
            for arn in queue.researchers:
                groups.setdefault(arn, []).append(researchers_group(queue.name))
        for arn, own in groups.items():
            self.training_cluster.grant(principal_arn=arn, admin=arn in eks.admins, groups=own)

    def _apply_charts(self, eks: Eks, *, after: Sequence[IConstruct]) -> None:
        """Apply the charts phase by phase, wait for Volcano's webhook, then define the queues it must admit."""
        for phase in phases(self.team, eks):
            after = self._apply(phase, after=after)
        gate = wait_for_rollout(
            self.training_cluster,
            # The version is part of the id, so that an upgrade waits anew.
            f"volcano-admission-{VOLCANO_VERSION}",
            deployment=Volcano.ADMISSION_DEPLOYMENT,
            namespace=Volcano.NAMESPACE,
            after=after,
        )
        self._apply(queues(eks), after=[gate])

    def _apply(self, phase: Sequence[Manifest], *, after: Sequence[IConstruct]) -> list[IConstruct]:
        self.manifests += phase
        values = self._deployed_values()
        return [
            apply(self.training_cluster, manifest.name, fill(manifest.objects, values), after=after)
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
