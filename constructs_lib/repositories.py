"""ECR repositories, one per container image of a team."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Duration, RemovalPolicy, aws_ecr as ecr
from constructs import Construct


class Repositories(Construct):
    """Repositories by image name: scanned on push, immutable tags, untagged layers expired."""

    def __init__(self, scope: Construct, id_: str, *, images: Sequence[str], removal_policy: RemovalPolicy) -> None:
        super().__init__(scope, id_)
        self.by_image: dict[str, ecr.IRepository] = {
            image: ecr.Repository(
                self,
                image,
                image_scan_on_push=True,
                image_tag_mutability=ecr.TagMutability.IMMUTABLE,
                lifecycle_rules=[
                    ecr.LifecycleRule(
                        description="Untagged images are left-overs of interrupted pushes",
                        tag_status=ecr.TagStatus.UNTAGGED,
                        max_image_age=Duration.days(14),
                    ),
                    ecr.LifecycleRule(
                        description="Job definitions refer to recent images only",
                        tag_status=ecr.TagStatus.ANY,
                        max_image_count=100,
                    ),
                ],
                removal_policy=removal_policy,
                empty_on_delete=removal_policy == RemovalPolicy.DESTROY,
            )
            for image in images
        }
