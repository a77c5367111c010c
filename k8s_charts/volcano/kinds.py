"""The eleven kinds of Volcano.

Every kind is there although few are used: its controllers watch them all, and those of a missing kind never start.
"""

from __future__ import annotations

from k8s_charts.volcano.crd import AGE, STATUS_SUBRESOURCE, Column, CustomKind, with_status
from k8s_charts.volcano.job_schema import CRON_JOB_SPEC, HELD_JOB_SPEC, JOB_FLOW_SPEC, JOB_SPEC
from k8s_charts.volcano.scheduling_schema import HYPER_NODE_SPEC, MEMORY_QOS, POD_GROUP_SPEC, QUEUE_SPEC
from k8s_charts.volcano.schema import OPEN, STRING, typed

KINDS = (
    CustomKind(
        group="batch.volcano.sh",
        version="v1alpha1",
        kind="Job",
        plural="jobs",
        scope="Namespaced",
        short_names=("vcjob", "vj"),
        fields=with_status(JOB_SPEC),
        subresources=STATUS_SUBRESOURCE,
        columns=(
            Column("STATUS", ".status.state.phase"),
            Column("minAvailable", ".status.minAvailable", "integer"),
            Column("RUNNINGS", ".status.running", "integer"),
            AGE,
            Column("QUEUE", ".spec.queue", priority=1),
        ),
    ),
    CustomKind(
        group="batch.volcano.sh",
        version="v1alpha1",
        kind="CronJob",
        plural="cronjobs",
        scope="Namespaced",
        short_names=("cronvcjob", "cronvj"),
        fields=with_status(CRON_JOB_SPEC),
        subresources=STATUS_SUBRESOURCE,
    ),
    CustomKind(
        group="bus.volcano.sh",
        version="v1alpha1",
        kind="Command",
        plural="commands",
        scope="Namespaced",
        fields={"action": STRING, "message": STRING, "reason": STRING, "target": OPEN},
    ),
    CustomKind(
        group="scheduling.volcano.sh",
        version="v1beta1",
        kind="PodGroup",
        plural="podgroups",
        scope="Namespaced",
        short_names=("pg", "podgroup-v1beta1"),
        fields=with_status(POD_GROUP_SPEC),
        # Without a status subresource: the scheduler writes the status with the object, which one would ignore.
        subresources={},
        columns=(
            Column("STATUS", ".status.phase"),
            Column("minMember", ".spec.minMember", "integer"),
            Column("RUNNINGS", ".status.running", "integer"),
            AGE,
            Column("QUEUE", ".spec.queue", priority=1),
        ),
    ),
    CustomKind(
        group="scheduling.volcano.sh",
        version="v1beta1",
        kind="Queue",
        plural="queues",
        scope="Cluster",
        short_names=("q", "queue-v1beta1"),
        fields=with_status(QUEUE_SPEC),
        subresources=STATUS_SUBRESOURCE,
        columns=(Column("PARENT", ".spec.parent"),),
    ),
    CustomKind(
        group="nodeinfo.volcano.sh",
        version="v1alpha1",
        kind="Numatopology",
        plural="numatopologies",
        scope="Cluster",
        short_names=("numatopo",),
        fields={"spec": OPEN},
    ),
    CustomKind(
        group="topology.volcano.sh",
        version="v1alpha1",
        kind="HyperNode",
        plural="hypernodes",
        scope="Cluster",
        short_names=("hn",),
        fields=with_status(HYPER_NODE_SPEC),
        subresources=STATUS_SUBRESOURCE,
        columns=(
            Column("Tier", ".spec.tier"),
            Column("TierName", ".spec.tierName"),
            Column("NodeCount", ".status.nodeCount", "integer"),
            Column("Age", AGE.path, AGE.type),
        ),
    ),
    CustomKind(
        group="shard.volcano.sh",
        version="v1alpha1",
        kind="NodeShard",
        plural="nodeshards",
        scope="Cluster",
        short_names=("nsh",),
        fields=with_status(OPEN),
        subresources=STATUS_SUBRESOURCE,
        columns=(AGE,),
        required=("spec",),
    ),
    CustomKind(
        group="config.volcano.sh",
        version="v1alpha1",
        kind="ColocationConfiguration",
        plural="colocationconfigurations",
        scope="Namespaced",
        fields=with_status(typed(memoryQos=MEMORY_QOS)),
        subresources=STATUS_SUBRESOURCE,
        required=("spec",),
    ),
    CustomKind(
        group="flow.volcano.sh",
        version="v1alpha1",
        kind="JobTemplate",
        plural="jobtemplates",
        scope="Namespaced",
        short_names=("jt",),
        fields=with_status(HELD_JOB_SPEC),
        subresources=STATUS_SUBRESOURCE,
    ),
    CustomKind(
        group="flow.volcano.sh",
        version="v1alpha1",
        kind="JobFlow",
        plural="jobflows",
        scope="Namespaced",
        short_names=("jf",),
        fields=with_status(JOB_FLOW_SPEC),
        subresources=STATUS_SUBRESOURCE,
        columns=(Column("Status", ".status.state.phase"), Column("Age", AGE.path, AGE.type)),
    ),
)
