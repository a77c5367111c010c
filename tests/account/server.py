"""A stand-in for an AWS account, on loopback: moto, with every CloudFormation type that it does not model recorded.

The unmodified CDK CLI bootstraps it, deploys into it and destroys. What that shows: assets upload, stacks come in an
order in which every import finds its export, every reference and attribute inside a stack resolves. What it cannot
show: that AWS accepts a property's value, grants a permission, or has capacity.

Run as `python -m tests.account.server`; prints its port in a line of its own, and ends when its standard input does.
"""

from __future__ import annotations

import sys
from typing import Any

from moto.cloudformation import parsing
from moto.cloudformation.models import CloudFormationBackend
from moto.core.common_models import CloudFormationModel
from moto.server import ThreadedMotoServer

MODELLED = frozenset({"AWS::S3::Bucket", "AWS::SSM::Parameter"})
"""Types that the CDK CLI itself works with after bootstrapping. All others are recorded, known to moto or not: moto's
models of Batch, EC2 and ECR refuse correct templates."""


class Recorded(CloudFormationModel):
    """A resource that exists, with every attribute."""

    # moto files each model under the service in its module's name.
    __module__ = "moto.cloudformation.recorded"

    def __init__(self, name: str, arn: str) -> None:
        self.name = name
        self.arn = arn

    @property
    def physical_resource_id(self) -> str:
        return self.name

    def get_cfn_attribute(self, attribute_name: str) -> str:
        return self.arn if attribute_name.endswith("Arn") else f"{self.name}.{attribute_name}"

    def is_created(self) -> bool:
        return True

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
        cls,
        resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
        **kwargs: Any,
    ) -> Recorded:
        service = cloudformation_json["Type"].split("::")[1].lower()
        return cls(resource_name, f"arn:aws:{service}:{region_name}:{account_id}:resource/{resource_name}")

    @classmethod
    def update_from_cloudformation_json(
        cls,
        original_resource: Recorded,
        new_resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
    ) -> Recorded:
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: dict[str, Any], account_id: str, region_name: str
    ) -> None:
        pass


def extend_moto() -> None:
    """Have moto's CloudFormation take every type, and let stacks that come by change set import and export."""
    known = parsing.resource_class_from_type

    def resource_class_from_type(resource_type: str) -> type[CloudFormationModel]:
        return known(resource_type) if resource_type in MODELLED else Recorded

    execute = CloudFormationBackend.execute_change_set

    def execute_change_set(self: CloudFormationBackend, change_set_name: str, stack_name: str | None = None) -> None:
        change_set = next(
            found
            for identifier, found in self.change_sets.items()
            if change_set_name in (identifier, found.change_set_name) and stack_name in (None, found.stack_name)
        )
        stack = self.stacks[change_set.stack_id]
        stack.resource_map.cross_stack_resources = self.exports
        execute(self, change_set_name, stack_name)
        stack.template_dict = change_set.template_dict
        stack.output_map = stack._create_output_map()
        self.exports.update({export.name: export for export in stack.exports})

    setattr(parsing, "resource_class_from_type", resource_class_from_type)  # noqa: B010  a name mypy guards
    setattr(CloudFormationBackend, "execute_change_set", execute_change_set)  # noqa: B010


def main() -> None:
    extend_moto()
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
