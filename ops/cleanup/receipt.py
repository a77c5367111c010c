"""What still exists of a team, by its tag, and whether it costs money."""

from __future__ import annotations

from collections.abc import Iterable

from ops.aws import Account
from ops.console import Row
from spec.names import TEAM_TAG
from spec.team import Team

COSTS = {
    "fsx:file-system": "capacity, by the hour",
    "fsx:backup": "capacity",
    "s3:bucket": "what is in it",
    "ecr:repository": "the images in it",
    "eks:cluster": "by the hour",
    "eks:nodegroup": "its instances",
    "ec2:instance": "by the second",
    "ec2:volume": "capacity",
    "ec2:natgateway": "by the hour",
    "ec2:elastic-ip": "by the hour",
    "ec2:vpc-endpoint": "by the hour",
    "ec2:capacity-reservation": "by the hour, used or not",
    "elasticloadbalancing:loadbalancer": "by the hour",
    "logs:log-group": "what is in it",
    "kms:key": "by the month",
    "cloudwatch:alarm": "by the month",
}
"""What a resource that exists is billed for, by service and type; every other type costs nothing while it is idle."""
KEPT = "kept by storage.on_delete: retain"
RETAINED = {
    "fsx:file-system": KEPT,
    "s3:bucket": KEPT,
    "ecr:repository": KEPT,
    "logs:log-group": f"the jobs' own is {KEPT}",
    "ec2:security-group": f"the file system's is {KEPT}",
}
"""What is said of types that `storage.on_delete: retain` keeps, all of them or one."""


def kind_of(arn: str) -> str:
    """SERVICE:TYPE of an ARN; S3 writes no type, logs and KMS their own way."""
    _, _, service, _, _, rest = arn.split(":", 5)
    if service == "s3":
        return "s3:bucket"
    return f"{service}:{rest.replace(':', '/').partition('/')[0]}"


def rows(arns: Iterable[str], *, retain: bool) -> list[Row]:
    """One row per resource, what costs money first."""
    return sorted(
        (
            {
                "type": (kind := kind_of(arn)),
                "costs": COSTS.get(kind, ""),
                "resource": arn,
                "note": RETAINED.get(kind, "") if retain else "",
            }
            for arn in arns
        ),
        key=lambda row: (not row["costs"], row["type"], row["resource"]),
    )


def receipt(account: Account, team: Team) -> list[Row]:
    """What AWS lists under the team's tag; something deleted may stay listed for some hours."""
    found = account.pages(
        "resourcegroupstaggingapi",
        "get_resources",
        "ResourceTagMappingList",
        TagFilters=[{"Key": TEAM_TAG, "Values": [team.name]}],
    )
    return rows((it["ResourceARN"] for it in found), retain=team.storage.on_delete == "retain")
