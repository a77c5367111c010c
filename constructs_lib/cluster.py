"""The EKS cluster: control plane, who gets in, and the handler that applies manifests."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module

from aws_cdk import (
    Annotations,
    Aws,
    RemovalPolicies,
    RemovalPolicy,
    aws_ec2 as ec2,
    aws_eks_v2 as eks,
    aws_kms as kms,
    aws_lambda as lambda_,
    aws_logs as logs,
)
from constructs import Construct

from spec.versions import KUBECTL_LAYERS

CLUSTER_ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"


class TrainingCluster(Construct):
    """EKS cluster with a private endpoint, encrypted secrets, all control-plane logs and API access entries.

    No Auto Mode and no default capacity: training nodes need launch templates of their own.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        vpc: ec2.IVpc,
        subnets: Sequence[ec2.ISubnet],
        version: str,
        upgrade_policy: str,
        service_ipv4_cidr: str,
        public_access_cidrs: Sequence[str],
    ) -> None:
        super().__init__(scope, id_)
        # Destroyed with the cluster: the secrets it encrypts are gone by then, and KMS still waits 30 days.
        key = kms.Key(
            self,
            "SecretsKey",
            description="Kubernetes secrets",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.cluster = eks.Cluster(
            self,
            "Cluster",
            vpc=vpc,
            vpc_subnets=[ec2.SubnetSelection(subnets=list(subnets))],
            version=eks.KubernetesVersion.of(version),
            default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
            default_capacity=0,
            endpoint_access=(
                eks.EndpointAccess.PUBLIC_AND_PRIVATE.only_from(*public_access_cidrs)
                if public_access_cidrs
                else eks.EndpointAccess.PRIVATE
            ),
            # Access is what `eks.admins` lists, not whoever happened to run the first deployment.
            bootstrap_cluster_creator_admin_permissions=False,
            # CNI, DNS and proxy come as add-ons; EKS would install copies of its own beside them.
            bootstrap_self_managed_addons=False,
            cluster_logging=list(eks.ClusterLoggingTypes),
            secrets_encryption_key=key,
            service_ipv4_cidr=service_ipv4_cidr,
            # The handler runs in the private subnets, so a private endpoint without NAT works too.
            kubectl_provider_options=eks.KubectlProviderOptions(kubectl_layer=_kubectl_layer(self, version)),
        )
        Annotations.of(self.cluster).acknowledge_warning(
            "@aws-cdk/aws-eks:isolatedSubnetsForKubectlPrivateSubnets",
            "without NAT the network stack has the endpoints of every service that the handler calls",
        )
        # CDK keeps the handler's two log groups by default; they would outlive every cluster.
        RemovalPolicies.of(self.cluster).destroy(apply_to_resource_types=[logs.CfnLogGroup.CFN_RESOURCE_TYPE_NAME])
        self._native.add_property_override("UpgradePolicy.SupportType", upgrade_policy)

    @property
    def _native(self) -> eks.CfnCluster:
        resource = self.cluster.node.default_child
        assert isinstance(resource, eks.CfnCluster)
        return resource

    @property
    def name(self) -> str:
        return self.cluster.cluster_name

    @property
    def security_group_id(self) -> str:
        """The group EKS puts on control-plane interfaces; every node carries it, or the API server cannot reach it."""
        return self.cluster.cluster_security_group_id

    def grant(self, *, principal_arn: str, admin: bool, groups: Sequence[str]) -> None:
        """Let an IAM role or user in: as admin of the cluster, or in Kubernetes groups, whose permissions RBAC states.

        EKS keeps one entry per principal and nothing in it but the principal is fixed. So the construct is named after
        the principal: a list that is shortened, sorted or extended changes no other entry.
        """
        digest = sha256(principal_arn.encode()).hexdigest()
        policy = eks.CfnAccessEntry.AccessPolicyProperty(
            policy_arn=f"arn:{Aws.PARTITION}:eks::aws:cluster-access-policy/{CLUSTER_ADMIN_POLICY}",
            access_scope=eks.CfnAccessEntry.AccessScopeProperty(type="cluster"),
        )
        eks.CfnAccessEntry(
            self,
            f"Access{digest}",
            cluster_name=self.name,
            principal_arn=principal_arn,
            type="STANDARD",
            # Empty, not absent, so that somebody who is no admin any more loses the policy.
            access_policies=[policy] if admin else [],
            kubernetes_groups=list(groups),
        )


def _kubectl_layer(scope: Construct, version: str) -> lambda_.ILayerVersion:
    """kubectl of the cluster's own minor; for a newer cluster the newest one pinned, which may lag by one minor."""
    minor = version.partition(".")[2]
    layer = minor if minor in KUBECTL_LAYERS else KUBECTL_LAYERS[-1]
    # Each layer is a module of 35 MB, so only the one in use is imported.
    module = import_module(f"aws_cdk.lambda_layer_kubectl_v{layer}")
    constructor = getattr(module, f"KubectlV{layer}Layer")
    built: lambda_.ILayerVersion = constructor(scope, "KubectlLayer")
    return built
