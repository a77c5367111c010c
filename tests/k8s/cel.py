"""As much of the Common Expression Language as our admission policies use, by way of Python.

`a ? b : c` only as a whole expression; `&&` and `||` look at their right side only if the left one does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

HAS = re.compile(r"\bhas\(((?:[^()]|\([^()]*\))*)\.(\w+)\)")
MACRO = re.compile(r"\.(filter|map)\((\w+), ")


class MissingFieldError(Exception):
    """A field that is not there was read; the API server refuses what it cannot judge."""


class _Object:
    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, field: str) -> Any:
        if field not in self._fields:
            raise MissingFieldError(field)
        return self._fields[field]

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Object) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]


class _List(list[Any]):
    def filter(self, keep: Callable[[Any], bool]) -> _List:
        return _List(item for item in self if keep(item))

    def map(self, change: Callable[[Any], Any]) -> _List:
        return _List(change(item) for item in self)


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """Value of an expression; MissingFieldError where CEL would fail."""
    if " ? " in expression:
        condition, _, branches = expression.partition(" ? ")
        yes, _, no = branches.rpartition(" : ")
        return evaluate(yes if evaluate(condition, names) else no, names)
    quoted = re.split(r"('[^']*')", expression)
    python = "".join(part if index % 2 else _translated(part) for index, part in enumerate(quoted))
    functions = {"null": None, "has": lambda holder, field: field in holder, "dyn": lambda value: value, "string": str}
    return _value(eval(python.strip(), functions | {name: _value(value) for name, value in names.items()}))


def _translated(code: str) -> str:
    code = HAS.sub(r"has(\1, '\2')", code)
    code = MACRO.sub(r".\1(lambda \2: ", code)
    code = code.replace("&&", " and ").replace("||", " or ")
    return re.sub(r"!(?!=)", " not ", code)


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _Object({key: _value(item) for key, item in value.items()})
    if isinstance(value, list):
        return _List(_value(item) for item in value)
    return value
