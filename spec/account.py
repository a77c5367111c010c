"""What an AWS account must have before a team is deployed, named as AWS names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceQuota:
    """A limit of an account, by Region."""

    service_code: str
    quota_code: str
    name: str


TRN_QUOTA = ServiceQuota("ec2", "L-2C3B7624", "Running On-Demand Trn instances")
"""vCPUs of all on-demand Trn instances that run or are reserved. Capacity blocks are bought, not granted: no public
page that was found says that they count against it.
https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas/L-2C3B7624
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-create.html"""

BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version"
"""SSM parameter that `cdk bootstrap` leaves, of the default qualifier.
https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html"""
BOOTSTRAP_VERSION = 8
"""Oldest bootstrap stack that the CDK CLI takes the synthesized assemblies with."""


@dataclass(frozen=True, slots=True)
class ServiceLinkedRole:
    """A role that a service makes for itself, by the first use in an account, if the caller may make it."""

    name: str
    service: str
    """Name to give to `aws iam create-service-linked-role --aws-service-name`."""


# https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles.html
# https://docs.aws.amazon.com/autoscaling/ec2/userguide/autoscaling-service-linked-role.html
EKS_ROLES = (
    ServiceLinkedRole("AWSServiceRoleForAmazonEKS", "eks.amazonaws.com"),
    ServiceLinkedRole("AWSServiceRoleForAmazonEKSNodegroup", "eks-nodegroup.amazonaws.com"),
    ServiceLinkedRole("AWSServiceRoleForAutoScaling", "autoscaling.amazonaws.com"),
)
# https://docs.aws.amazon.com/batch/latest/userguide/using-service-linked-roles.html
BATCH_ROLES = (ServiceLinkedRole("AWSServiceRoleForBatch", "batch.amazonaws.com"),)
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-service-linked-roles.html
LUSTRE_ROLES = (ServiceLinkedRole("AWSServiceRoleForAmazonFSx", "fsx.amazonaws.com"),)
"""A file system linked to a bucket gets a role of its own besides, AWSServiceRoleForFSxS3Access_fs-..., which nobody
can make beforehand: whoever deploys needs iam:CreateServiceLinkedRole, iam:AttachRolePolicy and iam:PutRolePolicy."""
