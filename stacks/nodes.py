"""The nodes stack: Trn node groups, apart from the cluster so that missing capacity never rolls the cluster back."""

from __future__ import annotations

from constructs import Construct

from constructs_lib.launch_template import TrnLaunchTemplate
from constructs_lib.node_group import TrnNodeGroup
from spec.names import NodeLabel, node_group_name_output
from spec.team import Eks, Team
from stacks.cluster import ClusterStack
from stacks.network import NetworkStack
from stacks.team_stack import TeamStack, resource_tags


class NodesStack(TeamStack):
    """One managed node group, on a launch template of its own, per entry of `eks.node_groups`."""

    def __init__(
        self, scope: Construct, id_: str, *, team: Team, eks: Eks, network: NetworkStack, cluster: ClusterStack
    ) -> None:
        super().__init__(scope, id_, team=team, description="Trainium node groups")
        for group in eks.node_groups:
            group_scope = Construct(self, group.name)
            launch_template = TrnLaunchTemplate(
                group_scope,
                "LaunchTemplate",
                hardware=group.hardware,
                efa_layout=group.efa_layout,
                # With groups of its own in the template EKS no longer adds the cluster's.
                security_group_ids=[
                    cluster.training_cluster.security_group_id,
                    network.efa_security_group.security_group_id,
                ],
                placement=group.placement,
                capacity=group.capacity_option,
                root_volume_gib=group.root_volume_gib,
                tags=resource_tags(team),
                with_instance_type=True,
            )
            node_group = TrnNodeGroup(
                group_scope,
                "NodeGroup",
                cluster_name=cluster.training_cluster.name,
                role=cluster.node_role,
                subnet=network.training_subnet,
                launch_template=launch_template,
                hardware=group.hardware,
                capacity=group.capacity_option,
                kubernetes_version=eks.version,
                release_version=eks.node_release(team.neuron_sdk),
                min_size=group.min,
                desired_size=group.desired,
                max_size=group.max,
                labels={NodeLabel.TEAM: team.name, NodeLabel.NODE_GROUP: group.name},
                tainted=group.taint,
            )
            self.output(node_group_name_output(group.name), node_group.name, f"EKS node group {group.name}")
