"""From charts to plain objects: what is applied, and what is written for review."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cdk8s import App, Yaml
from constructs import Construct

from k8s_charts.component import Component

Objects = list[dict[str, Any]]


_texts: dict[str, str] = {}
_rendered: dict[tuple[str, str], Objects] = {}


def render(chart: Callable[..., Component], **parameters: Any) -> Objects:
    """Objects of a chart, in the order of their definition; built once for the teams that share its parameters.

    A value that AWS gives at deployment is passed as a placeholder, `${KEY}`, for the stack to fill in. Nobody may
    change the result.
    """
    key = (chart.__qualname__, json.dumps(parameters, sort_keys=True))
    if key not in _rendered:
        scope: Construct = App()
        _rendered[key] = chart(scope, "chart", **parameters).to_json()
    return _rendered[key]


def to_yaml(objects: Objects) -> str:
    """The objects as one YAML file of several documents."""
    key = json.dumps(objects)
    if key not in _texts:
        _texts[key] = Yaml.stringify(*objects)
    return _texts[key]
