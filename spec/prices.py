"""US dollars for what a team runs: list prices of one Region on one day, each with its source.

A guide to the size of a bill, not a bill: discounts, data transfer, requests and logs are not in it. What has no
source here has no price; `trn cost --prices FILE` fills the gaps.

[KARP] EC2 price list as generated for us-east-1 on 2026-01-19,
       https://github.com/aws/karpenter-provider-aws/blob/031e72b6099630e960dacb88b48a7e9bb780945f/pkg/providers/pricing/zz_generated.pricing_aws.go
[EKS]  https://aws.amazon.com/blogs/containers/amazon-eks-extended-support-for-kubernetes-versions-pricing/
[VPC]  https://aws.amazon.com/vpc/pricing/, as the repository api-evangelist/amazon-vpc read it on 2026-09-20
[LINK] https://www.zacfukuda.com/blog/aws-nat-gateway-vs-vpc-endpoint, prices of us-east-1 on 2026-06-01
[IPV4] https://community.aws/content/2c6cKl0W4KQZIO6dWnnDHs1tHSp/aws-to-charge-public-ipv4-addresses
[EBS]  https://aws.amazon.com/ebs/pricing/, as ebs-optimization.md of the repository aws/agent-toolkit-for-aws has it
[FSX1] https://learning-aws.readthedocs.io/en/latest/resources/pricing.html
[FSX2] https://c3x.dev/resources/aws/aws_fsx_lustre_file_system/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

AS_OF = date(2026, 11, 30)
"""When the table was collected; a source may be older."""
REGION = "us-east-1"
HOURS_PER_MONTH = 730
"""What AWS's own calculator takes for a month. https://aws.amazon.com/calculator/calculator-assumptions/"""

EKS_STANDARD, EKS_EXTENDED = "eks.standard", "eks.extended"
NAT_GATEWAY, INTERFACE_ENDPOINT, PUBLIC_IPV4 = "nat-gateway", "interface-endpoint", "public-ipv4"


def volume_key(volume_type: str) -> str:
    """Key of an EBS volume type."""
    return f"ebs.{volume_type}"


def lustre_key(deployment: str, throughput: int | None) -> str:
    """Key of a Lustre file system's storage: fsx.SCRATCH_2, fsx.PERSISTENT_2.250."""
    return f"fsx.{deployment}" if throughput is None else f"fsx.{deployment}.{throughput}"


@dataclass(frozen=True, slots=True)
class PriceTable:
    """US dollars by key: an hour of an instance, gateway, endpoint, zone or address; a month of a GB of storage."""

    as_of: date
    prices: Mapping[str, float]
    own: frozenset[str] = frozenset()
    """Keys that the user's file gave, for whatever Region it is."""

    def hourly(self, key: str) -> float | None:
        """Dollars per hour of one unit, storage per GB; None where there is no price."""
        price = self.prices.get(key)
        if price is None:
            return None
        return price / HOURS_PER_MONTH if is_monthly(key) else price


def is_monthly(key: str) -> bool:
    """Whether a price is for a month of a GB; the others are for an hour of one thing."""
    return key.startswith(("ebs.", "fsx."))


BUILT_IN = PriceTable(
    AS_OF,
    MappingProxyType(
        {
            "trn1.2xlarge": 1.34375,  # [KARP]
            "trn1.32xlarge": 21.50,  # [KARP]
            "trn1n.32xlarge": 24.78,  # [KARP]
            # trn2 and trn2u: not sold in us-east-1 [KARP]
            "m5.large": 0.096,  # [KARP]
            "m5.xlarge": 0.192,  # [KARP]
            "m6a.large": 0.0864,  # [KARP]
            "m6i.large": 0.096,  # [KARP]
            "m6i.xlarge": 0.192,  # [KARP]
            "m6i.2xlarge": 0.384,  # [KARP]
            "m7i.large": 0.1008,  # [KARP]
            "m7i.xlarge": 0.2016,  # [KARP]
            EKS_STANDARD: 0.10,  # [EKS]
            EKS_EXTENDED: 0.60,  # [EKS]
            NAT_GATEWAY: 0.045,  # [VPC]; an example in Ohio, the same in [LINK]
            INTERFACE_ENDPOINT: 0.01,  # per zone [LINK]
            PUBLIC_IPV4: 0.005,  # [IPV4]
            volume_key("gp3"): 0.08,  # [EBS]
            volume_key("gp2"): 0.10,  # [EBS]
            lustre_key("SCRATCH_2", None): 0.14,  # [FSX1]
            lustre_key("PERSISTENT_2", 125): 0.145,  # [FSX2]
            # PERSISTENT_2 at 250 to 1000 and PERSISTENT_1: no source was found
        }
    ),
)
