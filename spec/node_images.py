"""How AWS names the AMIs of Trainium nodes, and what their texts tell of the Neuron driver."""

from __future__ import annotations

import re

IMAGE_OWNER = "amazon"
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeImages.html"""

_DRIVER = re.compile(r"neuronx?[ _-]?(?:dkms|driver)\D{0,20}?(\d+)\.(\d+)", re.IGNORECASE)


def eks_image_name(release_version: str) -> str:
    """AMI name of a node group's ReleaseVersion: 1.35.6-20260625 gives ...-neuron-1.35-v20260625.

    https://github.com/awslabs/amazon-eks-ami/blob/v20260714/CHANGELOG.md
    """
    patch, _, day = release_version.partition("-")
    minor = ".".join(patch.split(".")[:2])
    return f"amazon-eks-node-al2023-x86_64-neuron-{minor}-v{day}"


def eks_image_parameter(release_version: str) -> str:
    """Public SSM parameter that holds the AMI id of a ReleaseVersion.

    AWS documents the parameter of the recommended release; Karpenter reads those of older ones by this name.
    https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
    https://github.com/aws/karpenter-provider-aws/blob/0546f0429d553549d21b27ed1031b34528f2f1d7/pkg/providers/amifamily/al2023.go
    """
    minor = ".".join(release_version.split(".")[:2])
    name = eks_image_name(release_version)
    return f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/x86_64/neuron/{name}/image_id"


def driver_in(text: str) -> tuple[int, int] | None:
    """Major and minor version of the Neuron driver that an AMI's name or description tells; None where it does not."""
    found = _DRIVER.search(text)
    return (int(found[1]), int(found[2])) if found else None
