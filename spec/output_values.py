"""Values that exist only after a deployment: what stands for them before, and how they are filled in."""

from __future__ import annotations

from collections.abc import Mapping
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
