"""Findings of cdk-nag's AwsSolutions pack that stay, each with the reason why.

A finding that no row covers fails `make validate`; so does, in the tests, a row that covers no finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from spec.names import Prefix


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """`finding`: nag's rule id with its detail in brackets; `path`: construct below the team. Both may hold `*`."""

    finding: str
    path: str
    reason: str

    def covers(self, finding: str, path: str) -> bool:
        return fnmatchcase(finding, _literal_brackets(self.finding)) and fnmatchcase(path, self.path)


def _literal_brackets(pattern: str) -> str:
    return pattern.replace("[", "[[]")


HANDLER = "Cluster/Training/Cluster/KubectlProvider/*"
NODE_POLICY = "the policies EKS and ECS prescribe for the hosts; AWS keeps them in step with its agents"

ACKNOWLEDGED = (
    Acknowledged(
        "AwsSolutions-S1",
        "Storage/Artifacts/Resource/Resource",
        "access logs would need a second bucket per team; CloudTrail data events give the same",
    ),
    *(
        Acknowledged(
            f"AwsSolutions-IAM5[Resource::*/{prefix}*]",
            "Batch/JobRole/DefaultPolicy/Resource",
            "objects below a prefix of the team's own bucket, whose names training programs choose",
        )
        for prefix in Prefix
    ),
    Acknowledged("AwsSolutions-IAM4[Policy::*]", "Cluster/NodeRole/Resource", NODE_POLICY),
    Acknowledged("AwsSolutions-IAM4[Policy::*]", "Batch/ComputeEnvironment/InstanceRole/Resource", NODE_POLICY),
    Acknowledged(
        "AwsSolutions-IAM4[Policy::*/AmazonEKSClusterPolicy]",
        "Cluster/Training/Cluster/Role/Resource",
        "the policy EKS prescribes for a control plane",
    ),
    Acknowledged(
        "AwsSolutions-IAM4[Policy::*/AmazonEKS_CNI_Policy]",
        "Cluster/Training/CniRole/Resource",
        "the policy EKS prescribes for the VPC CNI, held by its service account alone",
    ),
    Acknowledged("AwsSolutions-IAM4[Policy::*]", HANDLER, "CDK's own handler for Kubernetes manifests"),
    Acknowledged("AwsSolutions-IAM5[Resource::*]", HANDLER, "versions of one function of CDK's own handler"),
    Acknowledged("AwsSolutions-L1", HANDLER, "CDK's own handler; its runtime moves with aws-cdk-lib"),
)
