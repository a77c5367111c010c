"""What of a team is in its account, for commands that go on where something is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ops.aws import Account, Outputs, outputs
from ops.errors import OpsError
from spec.names import StackName
from spec.team import Team


def deployed(account: Account, team: Team, stack: StackName) -> Outputs | None:
    """Outputs of a stack; None where it is not deployed."""
    try:
        return outputs(account, team, stack)
    except OpsError:
        return None


def known_outputs(account: Account, team: Team, stack: StackName) -> Mapping[str, str]:
    """Outputs of a stack; none where it is not deployed."""
    return deployed(account, team, stack) or {}


def deployed_output(account: Account, team: Team, stack: StackName, key: str) -> str | None:
    """One output of a stack; None where the stack is not deployed, OpsError where it is but has no such output."""
    found = deployed(account, team, stack)
    return None if found is None else found[key]


def instances(account: Account, filters: Mapping[str, Sequence[str]]) -> Iterator[Mapping[str, Any]]:
    """EC2 instances that start or run, by EC2's names of filters."""
    wanted = {**filters, "instance-state-name": ("pending", "running")}
    asked = [{"Name": name, "Values": list(values)} for name, values in wanted.items()]
    for reservation in account.pages("ec2", "describe_instances", "Reservations", Filters=asked):
        yield from reservation["Instances"]
