"""One mistake in a copy of a sample team's templates, and the rule that must see it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.conftest import Synthesized
from tests.rules.training import Rule

Change = Callable[[Any], Any]
"""The new value from the old one; None stands for an absent value, both ways."""


@dataclass(frozen=True)
class Mutant:
    """A change of one value of one resource."""

    name: str
    rule: Rule
    place: str
    """`team/Stack` the resource is in."""
    resource: str
    """Its type, and behind a space a part of its logical id where a stack has several: `AWS::EC2::Subnet private`."""
    path: str
    """Where the value stands in the resource, dotted; `Properties` is left out unless it is `^`, the resource's top."""
    change: Change

    def __str__(self) -> str:
        return self.name

    @property
    def team(self) -> str:
        return self.place.partition("/")[0]

    def of(self, original: Synthesized) -> Synthesized:
        """The mutated copy; AssertionError where the change changes nothing."""
        templates = copy.deepcopy(dict(original.templates))
        stack = templates[self.place.partition("/")[2]]["Resources"]
        kind, _, part = self.resource.partition(" ")
        ids = sorted(key for key, body in stack.items() if body["Type"] == kind and part in key)
        assert ids, f"{self.place} has no {self.resource}"
        if not self.path:
            stack[ids[0]] = self.change(stack[ids[0]])
            if stack[ids[0]] is None:
                del stack[ids[0]]
        else:
            steps = self.path.removeprefix("^.").split(".")
            _apply(stack[ids[0]] if self.path.startswith("^.") else stack[ids[0]]["Properties"], steps, self.change)
        assert templates != original.templates, "the mutant is the original"
        return replace(original, templates=templates)


def _apply(holder: Any, steps: list[str], change: Change) -> None:
    for step in steps[:-1]:
        holder = holder[int(step) if isinstance(holder, list) else step]
    last: Any = int(steps[-1]) if isinstance(holder, list) else steps[-1]
    old = holder[last] if isinstance(holder, list) else holder.get(last)
    new = change(copy.deepcopy(old))
    if new is None:
        del holder[last]
    else:
        holder[last] = new


def to(value: Any) -> Change:
    """Set the value."""
    return lambda _: value


def gone(_: Any) -> None:
    """Remove the value, or the whole resource."""


def plus(*items: Any) -> Change:
    """Append to a list, or to an absent one."""
    return lambda old: [*(old or []), *items]


def merged(**keys: Any) -> Change:
    """Set keys of an object, or of an absent one."""
    return lambda old: {**(old or {}), **keys}


def without_last(old: list[Any]) -> list[Any]:
    """Drop a list's last item."""
    return old[:-1]
