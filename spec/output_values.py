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

    def filled(text: str) -> str:
        for key, output in outputs.items():
            text = text.replace(placeholder(key), output)
        return text

    return _with_strings(value, filled)


SLOT = re.compile(r"\x00(\w+)\x00")


def slot(key: str) -> str:
    """Stands for an output's value among text of a user, who may write `${KEY}` and mean it; NUL no file can hold."""
    return f"\x00{key}\x00"


def with_slots(value: Any, fill_in: Callable[[str], str]) -> Any:
    """`value` with each slot in its strings replaced by what the function gives for its key."""
    return _with_strings(value, lambda text: SLOT.sub(lambda match: fill_in(match[1]), text))


def _with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """`value` with every string in it changed; keys of mappings stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _with_strings(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_strings(item, change) for item in value]
    return value
