"""What the pods of several components have in common."""

from __future__ import annotations

from collections.abc import Sequence

from cdk8s_plus_27 import k8s

from spec.names import NEURON_TAINT, NodeLabel


def image_tag(image: str) -> str:
    """The version in REGISTRY/REPOSITORY:TAG."""
    return image.rpartition(":")[2]


def quantities(**amounts: str) -> dict[str, k8s.Quantity]:
    """Kubernetes quantities by resource: `quantities(cpu="10m", memory="20Mi")`."""
    return {resource: k8s.Quantity.from_string(amount) for resource, amount in amounts.items()}


def host_directory(name: str, path: str, *, type_: str | None = None) -> k8s.Volume:
    """A volume that is a directory of the node."""
    return k8s.Volume(name=name, host_path=k8s.HostPathVolumeSource(path=path, type=type_))


def on_instance_types(instance_types: Sequence[str]) -> k8s.Affinity:
    """Only nodes of these EC2 instance types."""
    return _required(
        k8s.NodeSelectorRequirement(
            key="node.kubernetes.io/instance-type", operator="In", values=sorted(set(instance_types))
        )
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
