"""What the pods of several components have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cdk8s_plus_27 import k8s

from k8s_charts.component import Component
from spec.names import DAEMON_NAMESPACE, INSTANCE_TYPE_LABEL, NEURON_TAINT, NodeLabel


def image_tag(image: str) -> str:
    """The version in REGISTRY/REPOSITORY:TAG."""
    return image.rpartition(":")[2]


def quantities(**amounts: str) -> dict[str, k8s.Quantity]:
    """Kubernetes quantities by resource: `quantities(cpu="10m", memory="20Mi")`."""
    return {resource: k8s.Quantity.from_string(amount) for resource, amount in amounts.items()}


def resources(*, cpu: str, memory: str, cpu_limit: str, memory_limit: str) -> k8s.ResourceRequirements:
    """What a container asks for, and the most that it gets."""
    return k8s.ResourceRequirements(
        requests=quantities(cpu=cpu, memory=memory), limits=quantities(cpu=cpu_limit, memory=memory_limit)
    )


def daemon_set(
    chart: Component, name: str, pod: k8s.PodSpec, *, annotations: Mapping[str, str] | None = None
) -> k8s.KubeDaemonSet:
    """Define the DaemonSet of a chart, whose pods carry the chart's labels and these annotations."""
    return k8s.KubeDaemonSet(
        chart,
        "DaemonSet",
        metadata=k8s.ObjectMeta(name=name, namespace=DAEMON_NAMESPACE),
        spec=k8s.DaemonSetSpec(
            selector=k8s.LabelSelector(match_labels=chart.selector),
            update_strategy=k8s.DaemonSetUpdateStrategy(type="RollingUpdate"),
            template=k8s.PodTemplateSpec(
                metadata=k8s.ObjectMeta(labels=chart.labels, annotations=annotations), spec=pod
            ),
        ),
    )


def service_pod(
    container: k8s.Container, *, volumes: Sequence[k8s.Volume], security_context: k8s.PodSecurityContext
) -> k8s.PodSpec:
    """The pod of a service for training jobs or people, which itself never talks to the API server."""
    return k8s.PodSpec(
        automount_service_account_token=False,
        # Variables made from a Service's name, such as ETCD_PORT, look like settings to the program.
        enable_service_links=False,
        affinity=off_trainium_nodes(),
        security_context=security_context,
        containers=[container],
        volumes=[*volumes],
    )


def host_directory(name: str, path: str, *, type_: str | None = None) -> k8s.Volume:
    """A volume that is a directory of the node."""
    return k8s.Volume(name=name, host_path=k8s.HostPathVolumeSource(path=path, type=type_))


def on_instance_types(instance_types: Sequence[str]) -> k8s.Affinity:
    """Only nodes of these EC2 instance types."""
    return _required(
        k8s.NodeSelectorRequirement(key=INSTANCE_TYPE_LABEL, operator="In", values=sorted(set(instance_types)))
    )


def off_trainium_nodes() -> k8s.Affinity:
    """Only nodes outside the training node groups, tainted or not.

    A service on a training node would take memory from a job that asks for the whole machine, and go down with it.
    """
    return _required(k8s.NodeSelectorRequirement(key=NodeLabel.NODE_GROUP, operator="DoesNotExist"))


def _required(requirement: k8s.NodeSelectorRequirement) -> k8s.Affinity:
    term = k8s.NodeSelectorTerm(match_expressions=[requirement])
    selector = k8s.NodeSelector(node_selector_terms=[term])
    return k8s.Affinity(node_affinity=k8s.NodeAffinity(required_during_scheduling_ignored_during_execution=selector))


def tolerate_neuron_taint() -> k8s.Toleration:
    """Run on training nodes whose team asked for the taint."""
    return k8s.Toleration(key=NEURON_TAINT, operator="Exists", effect="NoSchedule")


def tolerate_critical_addons_only() -> k8s.Toleration:
    """Run on nodes that are kept for critical add-ons."""
    return k8s.Toleration(key="CriticalAddonsOnly", operator="Exists")
