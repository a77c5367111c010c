"""How the address range of a VPC is divided: known to the network stack that divides it, and to the address check."""

from __future__ import annotations

PRIVATE_PREFIX_DELTA = 2
"""A private subnet is a quarter of the VPC: training and second subnet take half, the rest stays free."""
PUBLIC_PREFIX_LENGTH = 28
"""A public subnet, the smallest that EC2 makes, holds one NAT gateway and nothing else."""
