"""What the models say about the value at a location: its type, and the words that describe it."""

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel

from spec.fields import Expected
from spec.findings import Loc

Metadata = tuple[Any, ...]
"""What stands beside a type in Annotated and in a pydantic field."""


def listing(words: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *head, last = words
    return f"{', '.join(head)} or {last}" if head else last


def expected_text(kind: object, metadata: Metadata) -> str:
    """What a value looks like, in the user's terms."""
    if expected := next((item for item in metadata if isinstance(item, Expected)), None):
        return expected.text
    if get_origin(kind) is Literal:
        return listing(str(choice) for choice in get_args(kind))
    if kind is bool:
        return "true or false"
    if kind is int:
        low = next((item.ge for item in metadata if isinstance(item, Ge)), None)
        high = next((item.le for item in metadata if isinstance(item, Le)), None)
        if low is None:
            return "a whole number"
        return f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    if kind is float:
        return "a number"
    if get_origin(kind) is tuple:
        fewest = next((item.min_length for item in metadata if hasattr(item, "min_length")), 0)
        most = next((item.max_length for item in metadata if hasattr(item, "max_length")), None)
        if fewest and most:
            return f"a list of {fewest} to {most} entries"
        return f"a list of at most {most} entries" if most else "a list"
    if keys := keys_of(kind):
        return f"a mapping (keys: {', '.join(keys)})"
    most = next((item.max_length for item in metadata if hasattr(item, "max_length")), None)
    return f"a mapping of at most {most} entries" if most else "a mapping"


def keys_of(kind: object) -> tuple[str, ...]:
    """The keys of a model; none for any other type."""
    return tuple(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) else ()


def unwrap(annotation: object) -> tuple[object, Metadata]:
    """The type inside Optional and Annotated, and the metadata found on the way."""
    if get_origin(annotation) in (Union, UnionType):
        return unwrap(next(arg for arg in get_args(annotation) if arg is not type(None)))
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        kind, more = unwrap(inner)
        flat = [part for item in metadata for part in getattr(item, "metadata", (item,))]
        return kind, (*more, *flat)
    return annotation, ()


def annotation_at(model: type[BaseModel], loc: Loc) -> tuple[object, Metadata]:
    """Type and metadata of the value at a location; (None, ()) where the model has none."""
    kind: object = model
    metadata: Metadata = ()
    for step in loc:
        if isinstance(step, int):
            kind, metadata = unwrap(get_args(kind)[0])
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            if step not in kind.model_fields:
                return None, ()
            info = kind.model_fields[step]
            kind, metadata = unwrap(info.annotation)
            metadata = (*metadata, *info.metadata)
        else:
            kind, metadata = unwrap(get_args(kind)[1])
    return kind, metadata


def mapping_key(model: type[BaseModel], loc: Loc) -> tuple[object, Metadata]:
    """Type and metadata of the keys of the mapping at a location."""
    return unwrap(get_args(annotation_at(model, loc)[0])[0])
