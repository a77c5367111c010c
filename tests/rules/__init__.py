"""What must hold in every team's templates: one small pure function per rule, findings in words, empty if it holds.

The rules read CloudFormation and the team file, not our constructs, so that neither can hide the other's mistake.
Each one also says how many resources there must be: a rule about nothing does not hold.
"""

from __future__ import annotations

import inspect
from types import ModuleType

from tests.rules import (
    assembly,
    batch,
    csi_driver,
    efa,
    eks,
    iam,
    interfaces,
    job_definition,
    launch_template,
    lustre,
    network,
    node_group,
    security_group,
    storage,
)
from tests.rules.training import Rule

MODULES = (
    launch_template,
    interfaces,
    efa,
    eks,
    node_group,
    batch,
    job_definition,
    lustre,
    storage,
    network,
    security_group,
    iam,
    csi_driver,
    assembly,
)


def _rules(module: ModuleType) -> list[Rule]:
    """The module's public functions that were written there."""
    return [
        function
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith(("_", "of_"))
    ]


RULES: tuple[Rule, ...] = tuple(rule for module in MODULES for rule in _rules(module))


def rule_name(rule: Rule) -> str:
    """`module.function`."""
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"
