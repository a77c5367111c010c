"""EKS managed node groups: Trn nodes for training, small nodes for cluster services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import CfnResource, aws_ec2 as ec2, aws_eks as eks, aws_iam as iam
from constructs import Construct

from constructs_lib.launch_template import TrnLaunchTemplate, hardened_launch_template_data
from spec.capacity import Capacity
from spec.hardware import Hardware
from spec.names import NEURON_TAINT, NodeLabel
from spec.versions import NEURON_AMI_TYPE, SYSTEM_AMI_TYPE

SYSTEM_ROOT_VOLUME_GIB = 50


def node_role(scope: Construct, id_: str) -> iam.Role:
    """Instance role of a node: join the cluster, pull images, be reached by Session Manager.

    No CNI policy: the VPC CNI add-on has a role of its own, so a pod that reads the node's credentials gets less.
    """
    return iam.Role(
        scope,
        id_,
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        managed_policies=[
            iam.ManagedPolicy.from_aws_managed_policy_name(name)
            for name in (
                "AmazonEKSWorkerNodePolicy",
                "AmazonEC2ContainerRegistryPullOnly",
                "AmazonSSMManagedInstanceCore",
            )
        ],
    )


class SystemNodeGroup(Construct):
    """Small AL2023 nodes in both zones for what must run while no training node does: DNS, CSI, the scheduler."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        cluster_name: str,
        role: iam.IRole,
        subnets: Sequence[ec2.ISubnet],
        security_group_ids: Sequence[str],
        kubernetes_version: str,
        instance_type: str,
        min_size: int,
        desired_size: int,
        max_size: int,
        tags: Mapping[str, str],
    ) -> None:
        """`security_group_ids`: groups of the nodes, the cluster's among them; empty leaves the choice to EKS."""
        super().__init__(scope, id_)
        data = hardened_launch_template_data(root_volume_gib=SYSTEM_ROOT_VOLUME_GIB, tags=tags)
        if security_group_ids:
            data["SecurityGroupIds"] = list(security_group_ids)
        template = CfnResource(
            self, "LaunchTemplate", type="AWS::EC2::LaunchTemplate", properties={"LaunchTemplateData": data}
        )
        self.node_group = eks.CfnNodegroup(
            self,
            "Resource",
            cluster_name=cluster_name,
            node_role=role.role_arn,
            subnets=[subnet.subnet_id for subnet in subnets],
            ami_type=SYSTEM_AMI_TYPE,
            version=kubernetes_version,
            instance_types=[instance_type],
            launch_template=eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
                id=template.ref, version=template.get_att("LatestVersionNumber").to_string()
            ),
            node_repair_config=eks.CfnNodegroup.NodeRepairConfigProperty(enabled=True),
            scaling_config=eks.CfnNodegroup.ScalingConfigProperty(
                min_size=min_size, desired_size=desired_size, max_size=max_size
            ),
            update_config=eks.CfnNodegroup.UpdateConfigProperty(max_unavailable=1),
        )


class TrnNodeGroup(Construct):
    """Managed node group of one Trn instance type in one subnet, on a launch template with every EFA card."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        cluster_name: str,
        role: iam.IRole,
        subnet: ec2.ISubnet,
        launch_template: TrnLaunchTemplate,
        hardware: Hardware,
        capacity: Capacity,
        kubernetes_version: str,
        release_version: str,
        min_size: int,
        desired_size: int,
        max_size: int,
        labels: Mapping[str, str],
        tainted: bool,
    ) -> None:
        super().__init__(scope, id_)
        taint = eks.CfnNodegroup.TaintProperty(key=NEURON_TAINT, value="true", effect="NO_SCHEDULE")
        node_group = eks.CfnNodegroup(
            self,
            "Resource",
            cluster_name=cluster_name,
            node_role=role.role_arn,
            # EFA and a cluster placement group both end at the zone's border.
            subnets=[subnet.subnet_id],
            # The instance type stands in the launch template: the L2 refuses Trn types with this AMI family, and a
            # capacity block wants the type there. https://github.com/aws/aws-cdk/issues/29546
            ami_type=NEURON_AMI_TYPE,
            # Both: with the release alone EKS holds it against the version that the group has so far.
            version=kubernetes_version,
            release_version=release_version,
            capacity_type="CAPACITY_BLOCK" if capacity.kind == "capacity-block" else None,
            launch_template=eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
                id=launch_template.launch_template_id, version=launch_template.version
            ),
            labels={**labels, NodeLabel.EFA: "true"} if hardware.efa_interfaces else dict(labels),
            taints=[taint] if tainted else None,
            node_repair_config=eks.CfnNodegroup.NodeRepairConfigProperty(enabled=True),
            scaling_config=eks.CfnNodegroup.ScalingConfigProperty(
                min_size=min_size, desired_size=desired_size, max_size=max_size
            ),
            # Terminate first: where capacity is scarce the replacement can only start in the room of the old node.
            update_config=eks.CfnNodegroup.UpdateConfigProperty(max_unavailable=1, update_strategy="MINIMAL"),
        )
        self.name = node_group.attr_nodegroup_name
