"""How the address range of a VPC is divided: known to the network stack that divides it, and to the address check."""

from __future__ import annotations

PRIVATE_PREFIX_DELTA = 2
"""A private subnet is a quarter of the VPC: training and second subnet take half, the rest stays free."""
PUBLIC_PREFIX_LENGTH = 28
"""A public subnet, the smallest that EC2 makes, holds one NAT gateway and nothing else."""

POD_ADDRESSES_AT_START = 14
"""Addresses that the VPC CNI takes for pods when a node starts: daemons, system pods and one training pod."""
POD_ADDRESSES_WARM = 2
"""Free addresses that it keeps beyond those in use. Without both numbers it holds one whole spare interface, 50
addresses on a large instance.
https://github.com/aws/amazon-vpc-cni-k8s/blob/v1.20.0/docs/eni-and-ip-target.md"""
POD_ADDRESSES_PER_NODE = POD_ADDRESSES_AT_START + POD_ADDRESSES_WARM
"""Addresses set aside on each EKS node by the address check."""
