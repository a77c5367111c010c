"""Resources of the stand-in account: every CloudFormation type is recorded, with its properties, tags and attributes.

A type that commands look at has an effect besides: what makes it true in moto's backends or in the cluster's API.
moto's own models of Batch, EC2 and ECR refuse correct templates, so that none of them is asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from moto.cloudformation.models import cloudformation_backends
from moto.core.common_models import CloudFormationModel

ACCOUNT_ID = os.environ.get("MOTO_ACCOUNT_ID", "123456789012")

KINDS = {
    "EIP": "elastic-ip",
    "NatGateway": "natgateway",
    "VPCEndpoint": "vpc-endpoint",
    "VPCGatewayAttachment": "vpc-gateway-attachment",
}
"""What ARNs call a type, where it is not its name with hyphens."""


class Recorded(CloudFormationModel):
    """A resource that exists, with every attribute."""

    # moto files each model under the service in its module's name.
    __module__ = "moto.cloudformation.recorded"

    def __init__(self, name: str, kind: str, properties: dict[str, Any], tags: dict[str, str], region: str) -> None:
        self.name = name
        self.kind = kind
        self.properties = properties
        self.tags = tags
        self.region = region
        self.attributes: dict[str, str] = {}
        self.behind: Any = None
        """What the effect has made."""
        self.arn = self.arn_of(name)

    def arn_of(self, name: str) -> str:
        if not self.kind.startswith("AWS::"):
            return ""
        _, service, type_ = self.kind.split("::")
        what = KINDS.get(type_) or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type_).lower()
        if self.kind == "AWS::S3::Bucket":
            return f"arn:aws:s3:::{name}"
        sign = ":" if service in ("Logs", "SNS") else "/"
        return f"arn:aws:{service.lower()}:{self.region}:{ACCOUNT_ID}:{what}{sign}{name}"

    def call(self, name: str, **attributes: str) -> None:
        """Take the name that a service has given, and its attributes."""
        self.name, self.arn = name, self.arn_of(name)
        self.attributes |= attributes

    @property
    def physical_resource_id(self) -> str:
        return self.name

    def get_cfn_attribute(self, attribute_name: str) -> str:
        if attribute_name in self.attributes:
            return self.attributes[attribute_name]
        return self.arn if attribute_name.endswith("Arn") else f"{self.name}.{attribute_name}"

    def is_created(self) -> bool:
        return True

    def delete(self, account_id: str, region_name: str) -> None:
        effect = EFFECTS.get(self.kind)
        if effect is not None:
            effect.delete(self)
        EXISTING.remove(self)

    @staticmethod
    def cloudformation_name_type() -> str:
        return ""

    @staticmethod
    def cloudformation_type() -> str:
        return "AWS::Recorded::Resource"

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return True

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: dict[str, Any], account_id: str, region_name: str, **kwargs: Any
    ) -> Recorded:
        properties = cloudformation_json["Properties"]
        # CloudFormation gives a stack's tags to whatever in it can have some.
        tags = dict(cloudformation_backends[account_id][region_name].stacks[kwargs["StackId"]].tags)
        made = cls(resource_name, cloudformation_json["Type"], properties, tags | _own_tags(properties), region_name)
        effect = EFFECTS.get(made.kind)
        if effect is not None:
            effect.create(made)
        EXISTING.append(made)
        return made

    @classmethod
    def update_from_cloudformation_json(
        cls,
        original_resource: Recorded,
        new_resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
    ) -> Recorded:
        original_resource.properties = cloudformation_json["Properties"]
        effect = EFFECTS.get(original_resource.kind)
        if effect is not None:
            effect.update(original_resource)
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: dict[str, Any], account_id: str, region_name: str
    ) -> None:
        raise NotImplementedError


def _own_tags(properties: dict[str, Any]) -> dict[str, str]:
    tags = properties.get("Tags") or {}
    return dict(tags) if isinstance(tags, dict) else {tag["Key"]: tag["Value"] for tag in tags}


def _nothing(_: Recorded) -> None:
    pass


@dataclass(frozen=True)
class Effect:
    """What else happens when a resource of a type is created, updated, deleted."""

    create: Callable[[Recorded], None]
    update: Callable[[Recorded], None] = field(default=_nothing)
    delete: Callable[[Recorded], None] = field(default=_nothing)


EFFECTS: dict[str, Effect] = {}
EXISTING: list[Recorded] = []
"""What has been created and not deleted, retained resources among it."""


def existing(kind: str) -> Iterator[Recorded]:
    return (it for it in EXISTING if it.kind == kind)
