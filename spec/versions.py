"""Pinned versions, public parameters and AWS-managed names, each with the page it came from."""

from __future__ import annotations

LUSTRE_VERSION = "2.15"
"""Lustre server version that the AL2023 client speaks; CloudFormation would default to 2.10 or 2.12.
https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html"""

LUSTRE_PORTS = ((988, 988), (1018, 1023))
"""TCP port ranges between Lustre servers and clients, inbound on both sides.
https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"""

ECS_NEURON_AMI_PARAMETER = "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id"
"""SSM parameter of the ECS-optimized AL2023 AMI with the Neuron driver.
https://docs.aws.amazon.com/AmazonECS/latest/developerguide/ecs-optimized_AMI.html"""

BATCH_IMAGE_TYPE = "ECS_AL2023"
"""Batch knows no Neuron image type: the family is AL2023, the AMI itself comes as an override.
https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html"""

NEURON_AMI_TYPE = "AL2023_x86_64_NEURON"
"""EKS AMI family of Trn nodes. https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html"""

SYSTEM_AMI_TYPE = "AL2023_x86_64_STANDARD"
"""EKS AMI family of the small nodes that run cluster services."""

ROOT_DEVICE = "/dev/xvda"
"""Root device of every Amazon Linux 2023 AMI used here."""

KUBECTL_LAYERS = ("33", "34", "35", "36")
"""Kubernetes minors for which aws-cdk.lambda-layer-kubectl-vNN is pinned in pyproject.toml."""

INTERFACE_ENDPOINTS = (
    "ecr.api",
    "ecr.dkr",
    "logs",
    "sts",
    "ec2",
    "eks",
    "eks-auth",
    "fsx",
    "batch",
    "ecs",
    "ecs-agent",
    "ecs-telemetry",
    "ssm",
    "ssmmessages",
    "ec2messages",
    "autoscaling",
    "elasticloadbalancing",
    "lambda",
)
"""Services that nodes, jobs and the kubectl handler call, reached by VPC endpoint where a team has no NAT.
`lambda` is there because the custom-resource framework, which runs in the VPC, invokes the kubectl handler.
https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html"""
