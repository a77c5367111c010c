"""The EKS cluster: control plane, its access, its add-ons and the handler that applies manifests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from aws_cdk import (
    Annotations,
    Duration,
    RemovalPolicies,
    RemovalPolicy,
    aws_ec2 as ec2,
    aws_eks_v2 as eks,
    aws_iam as iam,
    aws_kms as kms,
    aws_lambda as lambda_,
    aws_logs as logs,
)
from constructs import Construct, IConstruct

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
        admin_arns: Sequence[str],
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
            # The add-ons below are the only owners of CNI, DNS and proxy; EKS would install copies of its own.
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
        for index, arn in enumerate(admin_arns):
            self._grant_admin(f"Admin{index}", arn)

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

    def grant_groups(self, id_: str, *, principal_arn: str, groups: Sequence[str]) -> None:
        """Put an IAM role or user into Kubernetes groups, whose permissions the cluster's own RBAC states."""
        eks.CfnAccessEntry(
            self,
            id_,
            cluster_name=self.name,
            principal_arn=principal_arn,
            kubernetes_groups=list(groups),
            type="STANDARD",
        )

    def apply(
        self, id_: str, objects: Sequence[Mapping[str, Any]], *, after: Sequence[IConstruct]
    ) -> eks.KubernetesManifest:
        """Apply Kubernetes objects once `after` is there; on deletion they go before it."""
        manifest = eks.KubernetesManifest(
            self,
            id_,
            cluster=self.cluster,  # type: ignore[arg-type]  # its stub lacks a member
            manifest=objects,
            # Apply, not create: a deployment that failed half-way is repeated over what it left.
            overwrite=True,
        )
        for dependency in after:
            manifest.node.add_dependency(dependency)
        return manifest

    def wait_until_available(
        self, id_: str, *, deployment: str, namespace: str, after: Sequence[IConstruct]
    ) -> eks.KubernetesObjectValue:
        """Hold the deployment of the stack until a Deployment has an available replica."""
        gate = eks.KubernetesObjectValue(
            self,
            id_,
            cluster=self.cluster,  # type: ignore[arg-type]  # as above
            object_type="deployment",
            object_name=deployment,
            object_namespace=namespace,
            json_path=".status.availableReplicas",
            timeout=Duration.minutes(10),
        )
        for dependency in after:
            gate.node.add_dependency(dependency)
        return gate

    def _grant_admin(self, id_: str, principal_arn: str) -> None:
        policy = eks.AccessPolicy.from_access_policy_name(
            CLUSTER_ADMIN_POLICY, access_scope_type=eks.AccessScopeType.CLUSTER
        )
        self.cluster.grant_access(id_, principal_arn, [policy])

    def add_addon(
        self,
        name: str,
        *,
        pod_identity: tuple[str, iam.IRole] | None = None,
        configuration: Mapping[str, Any] | None = None,
        after: Sequence[IConstruct] = (),
    ) -> eks.CfnAddon:
        """Define an EKS add-on at the cluster version's default build.

        `pod_identity`: the add-on's service account and the role its pods get. The version is left to EKS, since which
        builds a cluster takes is an account's answer (DescribeAddonVersions), not a constant.
        """
        associations = (
            [
                eks.CfnAddon.PodIdentityAssociationProperty(
                    service_account=pod_identity[0], role_arn=pod_identity[1].role_arn
                )
            ]
            if pod_identity
            else None
        )
        addon = eks.CfnAddon(
            self,
            name,
            addon_name=name,
            cluster_name=self.cluster.cluster_name,
            resolve_conflicts="OVERWRITE",
            pod_identity_associations=associations,
            configuration_values=json.dumps(configuration) if configuration else None,
        )
        for dependency in after:
            addon.node.add_dependency(dependency)
        return addon

    def pod_role(self, id_: str, *, description: str) -> iam.Role:
        """A role that EKS Pod Identity hands to the pods of one service account of this cluster."""
        principal = iam.ServicePrincipal("pods.eks.amazonaws.com")
        role = iam.Role(self, id_, assumed_by=principal, description=description)
        # Pod Identity tags the session with the pod's cluster, namespace and service account.
        # https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
        assert role.assume_role_policy is not None
        role.assume_role_policy.add_statements(iam.PolicyStatement(actions=["sts:TagSession"], principals=[principal]))
        return role


def _kubectl_layer(scope: Construct, version: str) -> lambda_.ILayerVersion:
    """kubectl of the cluster's own minor; for a newer cluster the newest one pinned, which may lag by one minor."""
    minor = version.partition(".")[2]
    layer = minor if minor in KUBECTL_LAYERS else KUBECTL_LAYERS[-1]
    # Each layer is a module of 35 MB, so only the one in use is imported.
    module = import_module(f"aws_cdk.lambda_layer_kubectl_v{layer}")
    constructor = getattr(module, f"KubectlV{layer}Layer")
    built: lambda_.ILayerVersion = constructor(scope, "KubectlLayer")
    return built
