"""Schemas of what the scheduler reads and writes: groups of pods, queues, and the nodes they are placed on."""

from __future__ import annotations

from typing import Any

from k8s_charts.volcano.schema import (
    BOOLEAN,
    INTEGER,
    NETWORK_TOPOLOGY,
    OPEN,
    RESOURCES,
    STRING,
    Schema,
    list_of,
    map_of,
    typed,
)

POD_GROUP_SPEC = typed(
    queue={**STRING, "default": "default"},
    priorityClassName=STRING,
    minMember=INTEGER,
    minTaskMember=map_of(INTEGER),
    minResources=RESOURCES,
    networkTopology=NETWORK_TOPOLOGY,
    subGroupPolicy=list_of(
        typed(
            name=STRING,
            subGroupSize={**INTEGER, "default": 1},
            minSubGroups={**INTEGER, "default": 0},
            labelSelector=OPEN,
            matchLabelKeys=list_of(STRING),
            networkTopology=NETWORK_TOPOLOGY,
        )
    ),
)

QUEUE_SPEC = typed(
    # Written while no webhook is there, such as the scheduler's own at its first start, a queue gets both from here.
    weight={**INTEGER, "default": 1},
    dequeueStrategy={**STRING, "default": "traverse"},
    parent=STRING,
    priority=INTEGER,
    type=STRING,
    reclaimable=BOOLEAN,
    capability=RESOURCES,
    deserved=RESOURCES,
    guarantee=typed(resource=RESOURCES),
    affinity=OPEN,
    extendClusters=list_of(OPEN),
)

MEMORY_QOS = typed(
    highRatio={**INTEGER, "default": 100}, lowRatio={**INTEGER, "default": 0}, minRatio={**INTEGER, "default": 0}
)


def _rule(rule: str, message: str) -> Schema:
    return {"rule": rule, "message": message}


def _hyper_node_spec() -> dict[str, Any]:
    """A set of nodes, or of such sets, each member chosen by exactly one means."""
    exact, regex, label = (f"has(self.{means}Match)" for means in ("exact", "regex", "label"))
    selector = {
        **typed(exactMatch=typed(name=STRING), regexMatch=typed(pattern=STRING), labelMatch=OPEN),
        "x-kubernetes-validations": [
            _rule(f"{exact} || {regex} || {label}", "one of exactMatch, regexMatch and labelMatch is needed"),
            _rule(
                f"!({exact} && {regex}) && !({exact} && {label}) && !({regex} && {label})",
                "only one of exactMatch, regexMatch and labelMatch may be given",
            ),
        ],
    }
    member = {
        **typed(type={**STRING, "enum": ["Node", "HyperNode"]}, selector=selector),
        # The API server refuses rules whose worst case costs too much: it divides the largest possible request by the
        # smallest possible member, which this makes larger.
        "required": ["type"],
    }
    return typed(tier=INTEGER, tierName=STRING, members=list_of(member))


HYPER_NODE_SPEC = _hyper_node_spec()
