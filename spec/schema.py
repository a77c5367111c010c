"""The JSON Schemas of team and job files and the key tables of their pages in docs/, all made from the models."""

import json
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from spec.annotations import Metadata, expected_text, unwrap
from spec.capacity import Capacity
from spec.compatibility import KUBERNETES_VERSIONS, NEURON_SDKS, node_release
from spec.job import JobKeys
from spec.team import TeamKeys


def schema_text() -> str:
    """docs/team.schema.json."""
    return _schema(TeamKeys, "Team file", {"anyOf": [{"required": ["eks"]}, {"required": ["batch"]}]})


def job_schema_text() -> str:
    """docs/job.schema.json."""
    return _schema(JobKeys, "Job file", {"dependentRequired": {"precompile": ["cache"]}})


def _schema(model: type[BaseModel], title: str, rules: dict[str, Any]) -> str:
    schema = model.model_json_schema()
    _tidy(schema)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps(head | schema | rules, indent=2) + "\n"


def _tidy(part: object) -> None:
    """Drops the titles that pydantic makes from key names and the defaults that mean absent; closes every mapping."""
    if isinstance(part, list):
        for item in part:
            _tidy(item)
    elif isinstance(part, dict):
        if isinstance(part.get("title"), str):
            del part["title"]
        if isinstance(part.get("description"), str):
            part["description"] = _one_line(part["description"])
        if part.get("default", "") is None:
            del part["default"]
        if part.get("default") == {"kind": "on-demand", "reservation_id": None}:
            part["default"] = "on-demand"
        if isinstance(part.get("default"), dict):
            part["default"] = {key: value for key, value in part["default"].items() if value is not None}
        if "patternProperties" in part:
            part["additionalProperties"] = False
        for value in part.values():
            _tidy(value)


def key_tables() -> str:
    """One Markdown table for each mapping of a team file, and the table of node images."""
    tables = [_table(prefix, model) for prefix, model in _models("", TeamKeys)]
    return "\n".join([*tables, _releases()])


def job_key_tables() -> str:
    """One Markdown table for each mapping of a job file."""
    return "\n".join(_table(prefix, model) for prefix, model in _models("", JobKeys))


def _releases() -> str:
    sdks = " | ".join(NEURON_SDKS)
    lines = ["### Node image by Kubernetes version and Neuron SDK", "", f"| `eks.version` | {sdks} |"]
    lines.append("|---" * (len(NEURON_SDKS) + 1) + "|")
    for kubernetes in KUBERNETES_VERSIONS:
        releases = " | ".join(node_release(kubernetes, sdk) for sdk in NEURON_SDKS)
        lines.append(f"| {kubernetes} | {releases} |")
    return "\n".join([*lines, ""])


def _models(prefix: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    yield prefix, model
    for key, info in model.model_fields.items():
        kind, _ = unwrap(info.annotation)
        path = f"{prefix}{key}"
        if typing.get_origin(kind) is tuple:
            kind, path = typing.get_args(kind)[0], f"{path}[]"
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _models(f"{path}.", kind)


def _table(prefix: str, model: type[BaseModel]) -> str:
    title = f"`{prefix.rstrip('.')}`: " if prefix else "Top level: "
    summary = (model.__doc__ or "").strip()
    lines = [f"### {title}{summary[0].lower()}{summary[1:]}", "", "| key | allowed | default | meaning |"]
    lines.append("|---|---|---|---|")
    for key, info in model.model_fields.items():
        kind, metadata = unwrap(info.annotation)
        allowed = "see below" if _is_part(kind) else _allowed(kind, (*metadata, *info.metadata))
        cells = (f"`{prefix}{key}`", allowed, _default(info.default), _one_line(info.description or ""))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _allowed(kind: object, metadata: Metadata) -> str:
    text = expected_text(kind, metadata)
    if typing.get_origin(kind) is tuple:
        return f"{text}, each {expected_text(*unwrap(typing.get_args(kind)[0]))}"
    return text


def _is_part(kind: object) -> bool:
    items = typing.get_args(kind)[:1] if typing.get_origin(kind) is tuple else (kind,)
    return any(isinstance(item, type) and issubclass(item, BaseModel) for item in items)


def _default(value: object) -> str:
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "absent"
    if isinstance(value, BaseModel):
        return "all defaults"
    if isinstance(value, Capacity):
        return f"`{value.kind}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(value)}]`"
    return f"`{json.dumps(value).strip(chr(34))}`"
