"""Values that exist only after a deployment: what stands for them before, and how they are filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any


def placeholder(key: str) -> str:
    """Stands for the value of an output, which exists only after a deployment."""
    return f"${{{key}}}"


def fill(value: Any, outputs: Mapping[str, str]) -> Any:
    """`value` with the placeholders in its strings replaced."""
    if isinstance(value, str):
        for key, output in outputs.items():
            value = value.replace(placeholder(key), output)
        return value
    if isinstance(value, Mapping):
        return {key: fill(item, outputs) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill(item, outputs) for item in value]
    return value


SLOT = re.compile(r"\x00(\w+)\x00")


def slot(key: str) -> str:
    """Stands for an output's value among text of a user, who may write `${KEY}` and mean it; NUL no file can hold."""
    return f"\x00{key}\x00"


def slots(value: Any) -> set[str]:
    """Keys of the slots in the strings of a value."""
    if isinstance(value, str):
        return set(SLOT.findall(value))
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return {key for item in items for key in slots(item)}


def with_slots(value: Any, fill_in: Callable[[str], str]) -> Any:
    """`value` with each slot in its strings replaced by what the function gives for its key."""
    if isinstance(value, str):
        return SLOT.sub(lambda match: fill_in(match[1]), value)
    if isinstance(value, Mapping):
        return {key: with_slots(item, fill_in) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_slots(item, fill_in) for item in value]
    return value
