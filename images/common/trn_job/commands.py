"""A torchrun command line: what the user gave already, and what is added."""

from __future__ import annotations

from collections.abc import Sequence


def has(command: Sequence[str], flag: str) -> bool:
    return any(argument == flag or argument.startswith(f"{flag}=") for argument in command)


def value(command: Sequence[str], flag: str) -> str | None:
    """The value of a flag; the last one, as argparse takes it."""
    result = None
    for index, argument in enumerate(command):
        if argument.startswith(f"{flag}="):
            result = argument.partition("=")[2]
        elif argument == flag and index + 1 < len(command):
            result = command[index + 1]
    return result


def completed(command: Sequence[str], defaults: dict[str, str | None]) -> list[str]:
    """The command and those flags that it does not have; None stands for a flag without a value."""
    added = [flag if given is None else f"{flag}={given}" for flag, given in defaults.items() if not has(command, flag)]
    return [*command, *added]
