"""What an account has that is ready for a team: quota, service-linked roles, public AMIs; and what it lists by tag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moto.core.resource_tagging import TaggedResource, make_tag_matcher, match_resource_type
from moto.ec2.models.amis import Ami
from moto.iam.models import iam_backends
from moto.resourcegroupstaggingapi.models import ResourceGroupsTaggingAPIBackend
from moto.servicequotas.models import ServiceQuotasBackend
from moto.ssm.models import ssm_backends

from ops.cleanup.receipt import kind_of
from spec.account import BATCH_ROLES, EKS_ROLES, LUSTRE_ROLES, TRN_QUOTA
from spec.compatibility import KUBERNETES_VERSIONS, NODE_IMAGES
from spec.node_images import IMAGE_OWNER, eks_image_name
from spec.versions import ECS_NEURON_AMI_PARAMETER
from tests.account.recorded import ACCOUNT_ID, EXISTING
from tests.account.storage import ec2

WITHOUT_TAGS = frozenset(
    {
        "ec2:route",
        "ec2:security-group-egress",
        "ec2:security-group-ingress",
        "ec2:subnet-route-table-association",
        "ec2:vpc-gateway-attachment",
        "lambda:layer-version",
    }
)
"""Types that have none, or are none of their own; IAM lists its own in another Region."""
VCPUS = 1024.0
"""Eight trn1.32xlarge."""


def _get_service_quota(_: ServiceQuotasBackend, service_code: str, quota_code: str) -> dict[str, Any]:
    return {"ServiceCode": service_code, "QuotaCode": quota_code, "QuotaName": TRN_QUOTA.name, "Value": VCPUS}


def _tagged(
    _: ResourceGroupsTaggingAPIBackend,
    tag_filters: list[dict[str, Any]] | None = None,
    resource_type_filters: list[str] | None = None,
    resource_arn_list: list[str] | None = None,
) -> Iterator[TaggedResource]:
    """Every recorded resource that has a tag, in place of those that moto's own backends have."""
    matches = make_tag_matcher(tag_filters)
    for it in [*EXISTING]:
        if it.arn and it.tags and matches(it.tags) and resource_arn_list in (None, [], [it.arn]):
            kind = kind_of(it.arn)
            listed = kind not in WITHOUT_TAGS and not kind.startswith("iam:") and it.kind != "AWS::S3::BucketPolicy"
            if listed and match_resource_type(kind, resource_type_filters):
                yield TaggedResource(it.arn, it.tags, kind)


def extend(region: str) -> None:
    """Make the account so, in one Region."""
    setattr(ServiceQuotasBackend, "get_service_quota", _get_service_quota)  # noqa: B010  a name mypy guards
    setattr(ResourceGroupsTaggingAPIBackend, "_get_resources_generator", _tagged)  # noqa: B010
    for role in (*EKS_ROLES, *BATCH_ROLES, *LUSTRE_ROLES):
        # moto's own way to make such a role gives it a name of another case.
        path = f"/aws-service-role/{role.service}/"
        iam_backends[ACCOUNT_ID]["aws"].create_role(role.name, "{}", path, None, "", [], "3600")
    for image in NODE_IMAGES:
        for release in filter(None, map(image.release_version, KUBERNETES_VERSIONS)):
            _image(region, eks_image_name(release))
    (parameter,) = ssm_backends[ACCOUNT_ID][region].get_parameters([ECS_NEURON_AMI_PARAMETER]).values()
    _image(region, "al2023-ami-ecs-neuron-hvm", parameter.value)


def _image(region: str, name: str, image_id: str | None = None) -> None:
    """An AMI of Amazon's."""
    amis = ec2(region).amis
    image_id = image_id or f"ami-{len(amis):017x}"
    amis[image_id] = Ami(ec2(region), image_id, name=name, description=name, owner_alias=IMAGE_OWNER)
