"""EKS add-ons, and the roles that their pods get through EKS Pod Identity."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import aws_eks_v2 as eks, aws_iam as iam
from constructs import IConstruct

from constructs_lib.cluster import TrainingCluster


def add_addon(
    cluster: TrainingCluster,
    name: str,
    *,
    pod_identity: tuple[str, iam.IRole] | None = None,
    configuration: Mapping[str, Any] | None = None,
    after: Sequence[IConstruct] = (),
) -> eks.CfnAddon:
    """Define an add-on at the cluster version's default build.

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
        cluster,
        name,
        addon_name=name,
        cluster_name=cluster.name,
        resolve_conflicts="OVERWRITE",
        pod_identity_associations=associations,
        configuration_values=json.dumps(configuration) if configuration else None,
    )
    for dependency in after:
        addon.node.add_dependency(dependency)
    return addon


def pod_role(cluster: TrainingCluster, id_: str, *, description: str) -> iam.Role:
    """A role that EKS Pod Identity hands to the pods of one service account of this cluster."""
    principal = iam.ServicePrincipal("pods.eks.amazonaws.com")
    role = iam.Role(cluster, id_, assumed_by=principal, description=description)
    # Pod Identity tags the session with the pod's cluster, namespace and service account.
    # https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
    assert role.assume_role_policy is not None
    role.assume_role_policy.add_statements(iam.PolicyStatement(actions=["sts:TagSession"], principals=[principal]))
    return role
