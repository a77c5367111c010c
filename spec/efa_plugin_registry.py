"""Registries of the EFA device plugin: EKS publishes its images once per Region, in accounts of its own.

https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from spec.components import EFA_DEVICE_PLUGIN_REPOSITORY, EFA_DEVICE_PLUGIN_TAG

DEFAULT_ACCOUNT = "602401143452"
"""Account of every Region that has no row of its own."""

ACCOUNTS: Mapping[str, str] = MappingProxyType(
    {
        "af-south-1": "877085696533",
        "ap-east-1": "800184023465",
        "ap-east-2": "533267051163",
        "ap-south-2": "900889452093",
        "ap-southeast-3": "296578399912",
        "ap-southeast-4": "491585149902",
        "ap-southeast-5": "151610086707",
        "ap-southeast-6": "333609536671",
        "ap-southeast-7": "121268973566",
        "ca-west-1": "761377655185",
        "cn-north-1": "918309763551",
        "cn-northwest-1": "961992271922",
        "eu-central-2": "900612956339",
        "eu-south-1": "590381155156",
        "eu-south-2": "455263428931",
        "il-central-1": "066635153087",
        "me-central-1": "759879836304",
        "me-south-1": "558608220178",
        "mx-central-1": "730335286997",
        "us-gov-east-1": "151742754352",
        "us-gov-west-1": "013241004608",
    }
)


def efa_device_plugin_image(region: str) -> str:
    """Image URI from the Region's own registry: near, and reachable through VPC endpoints alone."""
    account = ACCOUNTS.get(region, DEFAULT_ACCOUNT)
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{account}.dkr.ecr.{region}.{suffix}/{EFA_DEVICE_PLUGIN_REPOSITORY}:{EFA_DEVICE_PLUGIN_TAG}"
