"""Volcano jobs as YAML that every reader takes for the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

# What kubectl's parser, or another reader of YAML 1.1 or 1.2, might take for something else than text.
# https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
_AMBIGUOUS = re.compile(r"[-+.]?[0-9].*|[-+]?\.(inf|nan)|y|n|yes|no|on|off|true|false|null|~|", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's own signature
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _AMBIGUOUS.fullmatch(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(objects: Sequence[Any]) -> str:
    """A stream of documents, for `kubectl apply -f -`."""
    return yaml.dump_all(objects, Dumper=_Dumper, sort_keys=False, width=10000, allow_unicode=True)
