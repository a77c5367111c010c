"""Any number of team files, unlike each other in path and hardware."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_OREGON = {"region": "us-west-2", "network": {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}}
_VIRGINIA = {"region": "us-east-1", "network": {"training_zone": "use1-az6", "second_zone": "use1-az5"}}
_OHIO = {"region": "us-east-2", "network": {"training_zone": "use2-az3", "second_zone": "use2-az1"}}
_OFFLINE = {"region": "us-east-2", "network": {"training_zone": "use2-az3", "nat": "none"}}
_LUSTRE: dict[str, Any] = {"storage": {"lustre": {}}}
_RESERVED = {"capacity": {"reservation": "cr-0123456789abcdef0"}, "efa_layout": "efa-only"}


def _eks(instance_type: str, **keys: Any) -> dict[str, Any]:
    group = {"name": "trn", "instance_type": instance_type} | keys
    return {"eks": {"admins": ["arn:aws:iam::111122223333:role/Admin"], "node_groups": [group]}}


def _batch(instance_type: str, max_nodes: int = 4, **keys: Any) -> dict[str, Any]:
    return {"batch": {"instance_type": instance_type, "max_nodes": max_nodes} | keys}


SHAPES: tuple[dict[str, Any], ...] = (
    _OREGON | _LUSTRE | _eks("trn1.32xlarge"),
    _OREGON | _batch("trn1.32xlarge"),
    _VIRGINIA | _LUSTRE | _eks("trn1n.32xlarge", **_RESERVED) | _batch("trn1n.32xlarge"),
    _OHIO | _eks("trn2.48xlarge"),
    _OFFLINE | _batch("trn2.48xlarge", shares={"vision": 1, "language": 2}),
    _OREGON | _eks("trn1.2xlarge", desired=1, max=1) | _batch("trn1.2xlarge", max_nodes=1),
)
"""EKS, Batch or both, on four kinds of hardware, with and without NAT, Lustre and reserved capacity."""


def write_team_files(directory: Path, count: int) -> None:
    """Write team000.yaml, team001.yaml and so on, going round the shapes."""
    for index in range(count):
        shape = SHAPES[index % len(SHAPES)]
        # YAML takes JSON.
        (directory / f"team{index:03}.yaml").write_text(json.dumps(shape, indent=2) + "\n")
