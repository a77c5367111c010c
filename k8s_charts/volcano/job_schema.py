"""Schemas of Volcano's job, and of the three kinds that hold one.

Declared is what our jobs use, and what has a default; within 3 kB of JSON there is no room for the rest, such as
`volumes` and `dependsOn`, which the API server keeps all the same.
"""

from __future__ import annotations

from k8s_charts.volcano.schema import (
    BOOLEAN,
    INTEGER,
    NETWORK_TOPOLOGY,
    OPEN,
    STRING,
    list_of,
    map_of,
    typed,
)

_POLICY = typed(
    action=STRING,
    event=STRING,
    events=list_of(STRING),
    exitCode=INTEGER,
    timeout=STRING,
)

_PARTITION_POLICY = typed(minPartitions={**INTEGER, "default": 0}, networkTopology=NETWORK_TOPOLOGY)

_TASK = typed(
    name=STRING,
    replicas=INTEGER,
    minAvailable=INTEGER,
    # A whole pod template; the API server judges it when Volcano creates the pods.
    template=OPEN,
    policies=list_of(_POLICY),
    maxRetry=INTEGER,
    partitionPolicy=_PARTITION_POLICY,
)

JOB_SPEC = typed(
    queue={**STRING, "default": "default"},
    schedulerName=STRING,
    priorityClassName=STRING,
    minAvailable=INTEGER,
    maxRetry={**INTEGER, "default": 3},
    ttlSecondsAfterFinished=INTEGER,
    plugins=map_of(list_of(STRING)),
    policies=list_of(_POLICY),
    networkTopology=NETWORK_TOPOLOGY,
    tasks=list_of(_TASK),
)

HELD_JOB_SPEC = typed(
    queue={**STRING, "default": "default"},
    maxRetry={**INTEGER, "default": 3},
    networkTopology=NETWORK_TOPOLOGY,
    tasks=list_of(typed(partitionPolicy=_PARTITION_POLICY)),
)
"""A job inside another kind: its defaults and no more, as none of ours is one."""

CRON_JOB_SPEC = typed(
    schedule=STRING,
    timeZone=STRING,
    suspend={**BOOLEAN, "default": False},
    startingDeadlineSeconds=INTEGER,
    concurrencyPolicy={**STRING, "default": "Allow"},
    successfulJobsHistoryLimit={**INTEGER, "default": 3},
    failedJobsHistoryLimit={**INTEGER, "default": 1},
    jobTemplate=typed(spec=HELD_JOB_SPEC),
)

JOB_FLOW_SPEC = typed(
    jobRetainPolicy=STRING,
    flows=list_of(typed(name=STRING, dependsOn=OPEN, patch=typed(jobSpec=HELD_JOB_SPEC))),
)
