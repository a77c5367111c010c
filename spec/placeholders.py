"""Stand-ins for wrong values, so that the rules can judge the rest of a file and a user sees every finding at once."""

import copy
from collections.abc import Mapping
from typing import Any

from spec.findings import Loc

PLACEHOLDERS: Mapping[Loc, Any] = {
    ("region",): "us-west-2",
    ("network",): {"training_zone": "usw2-az4"},
    ("network", "training_zone"): "usw2-az4",
    ("images", 0): "placeholder",
    ("eks", "node_groups"): [{"name": "placeholder", "instance_type": "trn1.32xlarge"}],
    ("eks", "node_groups", 0): {"name": "placeholder", "instance_type": "trn1.32xlarge"},
    ("eks", "node_groups", 0, "name"): "placeholder",
    ("eks", "node_groups", 0, "instance_type"): "trn1.32xlarge",
    ("eks", "queues", 0): {"name": "placeholder", "neuron_devices": 1},
    ("eks", "queues", 0, "name"): "placeholder",
    ("eks", "queues", 0, "neuron_devices"): 1,
    ("batch", "instance_type"): "trn1.32xlarge",
    ("batch", "max_nodes"): 1,
}
"""Stand-ins for required values that are wrong, so that the other values can still be judged; 0 is any position."""


def take_out(data: Any, loc: Loc, placeholders: Mapping[Loc, Any]) -> None:
    """Replaces the value at a location by its placeholder, or removes it so that its default stands in."""
    known = tuple(0 if isinstance(step, int) else step for step in loc)
    if loc and known not in placeholders and isinstance(loc[-1], int):
        return take_out(data, loc[:-1], placeholders)  # the positions of the other entries must not move
    parent = data
    for step in loc[:-1]:
        try:
            parent = parent[step]
        except (LookupError, TypeError):
            return None  # an outer value has been taken out already
    if not isinstance(parent, dict | list):
        return None
    if known in placeholders:
        parent[loc[-1]] = copy.deepcopy(placeholders[known])  # type: ignore[index]  # positions lie in lists only
    elif isinstance(parent, dict):
        parent.pop(loc[-1], None)
    return None
