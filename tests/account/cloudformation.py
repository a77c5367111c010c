"""moto's CloudFormation, so that it takes every type, and treats stacks that come by change set as AWS does.

They import and export, their resources come in order and go in reverse, and a resource that fails ends the deployment.
A failed stack is left as it is, without the rollback that its status tells of.
"""

from __future__ import annotations

import traceback
from typing import Any

from moto.cloudformation import parsing
from moto.cloudformation.models import CloudFormationBackend
from moto.cloudformation.parsing import ResourceMap
from moto.core.common_models import CloudFormationModel

from tests.account.recorded import Recorded

FAILED = {"CREATE": "ROLLBACK_COMPLETE", "UPDATE": "UPDATE_ROLLBACK_COMPLETE"}
"""Status of a stack after a change set of a type has failed."""


def extend() -> None:
    """Change moto's classes."""
    execute = CloudFormationBackend.execute_change_set

    def execute_change_set(self: CloudFormationBackend, change_set_name: str, stack_name: str | None = None) -> None:
        change_set = next(
            found
            for identifier, found in self.change_sets.items()
            if change_set_name in (identifier, found.change_set_name) and stack_name in (None, found.stack_name)
        )
        stack = self.stacks[change_set.stack_id]
        stack.resource_map.cross_stack_resources = self.exports
        change_set.template_dict["Resources"] = in_order(change_set.template_dict["Resources"])
        try:
            execute(self, change_set_name, stack_name)
        except Exception as error:
            # moto would answer with status 500, whereupon the CLI repeats the request.
            traceback.print_exc()
            stack._add_stack_event(f"{change_set.change_set_type}_FAILED", resource_status_reason=repr(error))
            stack.status = FAILED[change_set.change_set_type]
            return
        stack.template_dict = change_set.template_dict
        stack.output_map = stack._create_output_map()
        self.exports.update({export.name: export for export in stack.exports})

    for owner, name, value in (
        (parsing, "resource_class_from_type", _class_of),
        (CloudFormationBackend, "execute_change_set", execute_change_set),
        (ResourceMap, "delete", _delete),
    ):
        setattr(owner, name, value)


def _class_of(_resource_type: str) -> type[CloudFormationModel]:
    return Recorded


def in_order(resources: dict[str, Any]) -> dict[str, Any]:
    """The same resources, each after those that it depends on; references are followed by moto itself."""
    ordered: dict[str, Any] = {}

    def put(name: str) -> None:
        if name not in ordered:
            needs = resources[name].get("DependsOn", [])
            for need in [needs] if isinstance(needs, str) else needs:
                put(need)
            ordered[name] = resources[name]

    for name in resources:
        put(name)
    return ordered


def _delete(self: ResourceMap) -> None:
    """Everything but what is retained, the last first."""
    for name in reversed([*self._parsed_resources]):
        asked = self._resource_json_map.get(name)
        if asked is not None and asked.get("DeletionPolicy") != "Retain":
            # It stays parsed: moto still asks for the exports of a deleted stack, and would create it anew for them.
            self._parsed_resources[name].delete(self._account_id, self._region_name)
