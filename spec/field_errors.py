"""Turns pydantic's errors into problems in the user's terms."""

import difflib
import json
from collections.abc import Iterable
from typing import Annotated, Literal, TypeGuard, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from spec.annotations import Metadata, annotation_at, expected_text, keys_of, mapping_key
from spec.fields import Expected
from spec.findings import Loc, Problem
from spec.yaml_nodes import Document, Node

MAX_SHOWN = 80
"""Characters of a user's value that a message repeats."""
MAX_SHOWN_KEYS = 2
"""Entries up to which a message repeats a mapping."""


def close_match(word: str, choices: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(word, list(choices), n=1)), None)


def shown(node: Node | None) -> str:
    """A value as its author wrote it, with YAML's reading of it where that surprises."""
    if node is None:
        return "nothing"
    text = node.raw if len(node.raw) <= MAX_SHOWN else f"{node.raw[:MAX_SHOWN]}..."
    if node.kind != "text":
        text = " ".join(text.split())
    match node.kind:
        case "mapping" if 0 < len(node.children) <= MAX_SHOWN_KEYS and not any(
            child.children for child in node.children.values()
        ):
            return f"{{{', '.join(f'{key}: {child.raw}' for key, child in node.children.items())}}}"
        case "mapping":
            return "a mapping" if node.children else "an empty mapping"
        case "list":
            return "a list" if node.children else "an empty list"
        case "null":
            return text or "nothing"
        case "text":
            return json.dumps(text) if text != text.strip() or "\n" in node.raw else text or '""'
        case "number":
            return f"{text} (a number)"
        case "date":
            return f"{text} (a date)"
        case "boolean":
            return text if text in ("true", "false") else f"{text} (YAML reads it as {str(node.value).lower()})"


def explain(error: ErrorDetails, document: Document, model: type[BaseModel]) -> Problem:
    """The problem behind one validation error of a document."""
    loc = clean(error["loc"])
    node = document.node(loc)
    kind, metadata = annotation_at(model, loc)
    if error["type"] == "extra_forbidden":
        parent = annotation_at(model, loc[:-1])[0]
        keys = keys_of(parent)
        close = close_match(str(loc[-1]), keys)
        hint = f"; did you mean {close}?" if close else ""
        return Problem("error", loc, "an unknown key", f"one of {', '.join(keys)}{hint}")
    if error["type"] == "missing":
        return Problem("error", loc, "nothing", f"{expected_text(kind, metadata)} (required)")
    if error["loc"][-1] == "[key]":
        text = error["ctx"]["expected"] if error["type"] == "expected" else expected_text(*mapping_key(model, loc[:-1]))
        return Problem("error", loc, f"the key {loc[-1]}", text)
    if error["type"] == "expected":
        text = error["ctx"]["expected"]
    elif _lacks_quotes(node, kind, metadata):
        text = f'a quoted string such as "{node.raw}"'
    else:
        text = expected_text(kind, metadata)
    got = shown(node)
    if node is not None and node.kind == "text" and kind in (int, float, bool) and node.value:
        got = f'"{got}" (text)'
    elif node is not None and node.kind == "number" and kind in (int, float):
        got = node.raw  # that it is a number is not what is wrong
        if isinstance(node.value, float) and node.value.is_integer() and "." not in node.raw:
            got += f" (YAML reads it as {int(node.value)})"
    hint = "" if ";" in text else _hint(node, kind, metadata)
    return Problem("error", loc, got, text + hint)


def _lacks_quotes(node: Node | None, kind: object, metadata: Metadata) -> TypeGuard[Node]:
    """Whether a value is what it should be but for YAML reading it as something else than text."""
    if kind is not str or node is None or node.kind not in ("number", "boolean", "date"):
        return False
    try:
        TypeAdapter(Annotated[str, *metadata]).validate_python(node.raw)
    except ValidationError:
        return False
    return True


def _hint(node: Node | None, kind: object, metadata: Metadata) -> str:
    if node is None or node.kind not in ("text", "number"):
        return ""
    choices = next((item.choices for item in metadata if isinstance(item, Expected)), ())
    if get_origin(kind) is Literal:
        choices = tuple(str(choice) for choice in get_args(kind))
    close = close_match(node.raw, choices)
    return f"; did you mean {close}?" if close else ""


def follows(error: ErrorDetails, document: Document) -> bool:
    """Whether an error only follows from others: pydantic calls a list too short whose entries are all wrong."""
    node = document.node(error["loc"])
    return error["type"] == "too_short" and node is not None and bool(node.children)


def meant(error: ErrorDetails, model: type[BaseModel]) -> Loc:
    """The value in doubt after an error: of a misspelt key the one that was probably meant."""
    loc = clean(error["loc"])
    if error["type"] != "extra_forbidden":
        return loc
    close = close_match(str(loc[-1]), keys_of(annotation_at(model, loc[:-1])[0]))
    return (*loc[:-1], close) if close else loc


def clean(loc: Loc) -> Loc:
    """A location without pydantic's own mark for the key of a mapping."""
    return tuple(step for step in loc if step != "[key]")
