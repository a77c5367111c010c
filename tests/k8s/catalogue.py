"""Every chart but Volcano's own, with as little and as much as can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from cdk8s import App, Testing

from k8s_charts.component import Component
from k8s_charts.efa_device_plugin import EfaDevicePlugin
from k8s_charts.etcd import Etcd
from k8s_charts.lustre_storage_class import LustreStorageClass
from k8s_charts.lustre_volume import LustreVolume
from k8s_charts.namespaces import QueueNamespace, SystemNamespace
from k8s_charts.neuron_device_plugin import NeuronDevicePlugin
from k8s_charts.neuron_monitor import NeuronMonitor
from k8s_charts.queue import VolcanoQueue
from k8s_charts.queue_admission import QueueAdmission
from k8s_charts.tensorboard import TensorBoard
from spec.components import ETCD, NEURON_DEVICE_PLUGIN, NEURON_MONITOR
from spec.efa_plugin_registry import efa_device_plugin_image
from spec.hardware import HARDWARE
from spec.names import SYSTEM_NAMESPACE, researchers_group
from spec.queue_capability import queue_capability

Objects = list[dict[str, Any]]

ONE_TYPE = ("trn1.32xlarge",)
MIRROR = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror"
TEAM_IMAGE = "111122223333.dkr.ecr.us-west-2.amazonaws.com/bert:sdk2.29.0-r1"
FILE_SYSTEM = {
    "file_system_id": "fs-0123456789abcdef0",
    "dns_name": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
    "mount_name": "abcdefgh",
}
SMALL_QUEUE = queue_capability(1, [HARDWARE["trn1.2xlarge"]])
LARGE_QUEUE = queue_capability(64, HARDWARE.values())

CHARTS: Mapping[str, Callable[[App], Component]] = MappingProxyType(
    {
        "neuron-device-plugin.minimal": lambda app: NeuronDevicePlugin(
            app, "chart", instance_types=ONE_TYPE, image=NEURON_DEVICE_PLUGIN.uri({})
        ),
        "neuron-device-plugin.maximal": lambda app: NeuronDevicePlugin(
            app, "chart", instance_types=tuple(HARDWARE), image=NEURON_DEVICE_PLUGIN.uri({"public.ecr.aws": MIRROR})
        ),
        "efa-device-plugin.minimal": lambda app: EfaDevicePlugin(
            app, "chart", image=efa_device_plugin_image("us-west-2")
        ),
        "efa-device-plugin.maximal": lambda app: EfaDevicePlugin(
            app, "chart", image=efa_device_plugin_image("ap-southeast-4")
        ),
        "neuron-monitor.minimal": lambda app: NeuronMonitor(
            app, "chart", instance_types=ONE_TYPE, image=NEURON_MONITOR.uri({})
        ),
        "neuron-monitor.maximal": lambda app: NeuronMonitor(
            app, "chart", instance_types=tuple(HARDWARE), image=NEURON_MONITOR.uri({"public.ecr.aws": MIRROR})
        ),
        "system-namespace": lambda app: SystemNamespace(app, "chart"),
        "queue-namespace.minimal": lambda app: QueueNamespace(app, "chart", name="a", capability=SMALL_QUEUE),
        "queue-namespace.maximal": lambda app: QueueNamespace(
            app, "chart", name="a-queue-with-the-longest-name-32", capability=LARGE_QUEUE
        ),
        "volcano-queue.minimal": lambda app: VolcanoQueue(app, "chart", name="a", weight=1, capability=SMALL_QUEUE),
        "volcano-queue.maximal": lambda app: VolcanoQueue(
            app, "chart", name="a-queue-with-the-longest-name-32", weight=1000000, capability=LARGE_QUEUE
        ),
        "queue-admission": lambda app: QueueAdmission(app, "chart"),
        "etcd.minimal": lambda app: Etcd(app, "chart", image=ETCD.uri({})),
        "etcd.maximal": lambda app: Etcd(app, "chart", image=ETCD.uri({"quay.io": MIRROR})),
        "lustre-volume.minimal": lambda app: LustreVolume(
            app, "chart", namespace="default", capacity_gib=1200, **FILE_SYSTEM
        ),
        "lustre-volume.maximal": lambda app: LustreVolume(
            app, "chart", namespace="a-queue-with-the-longest-name-32", capacity_gib=4800, **FILE_SYSTEM
        ),
        "lustre-storage-class.minimal": lambda app: LustreStorageClass(
            app,
            "chart",
            subnet_id="subnet-0123456789abcdef0",
            security_group_id="sg-0123456789abcdef0",
            tags={"trn-training:team": "bert"},
        ),
        "lustre-storage-class.maximal": lambda app: LustreStorageClass(
            app,
            "chart",
            subnet_id="subnet-0123456789abcdef0",
            security_group_id="sg-0123456789abcdef0",
            tags={"trn-training:team": "bert", "cost-centre": "42"},
        ),
        "tensorboard.minimal": lambda app: TensorBoard(app, "chart", namespace="default", image=TEAM_IMAGE),
        "tensorboard.maximal": lambda app: TensorBoard(
            app,
            "chart",
            namespace=SYSTEM_NAMESPACE,
            image=TEAM_IMAGE,
            viewers=[researchers_group("vision"), researchers_group("language")],
        ),
    }
)
"""By the name of its snapshot."""


def synthesized(chart: Component) -> Objects:
    """The Kubernetes objects of a chart."""
    found: Objects = Testing.synth(chart)
    return found


@cache
def objects(name: str) -> Objects:
    """The Kubernetes objects of a chart in the catalogue."""
    return synthesized(CHARTS[name](App()))


def only(name: str, kind: str) -> dict[str, Any]:
    """The one object of a kind in a chart."""
    (found,) = [item for item in objects(name) if item["kind"] == kind]
    return found


def pod_spec(name: str) -> dict[str, Any]:
    """The pod template's spec of the one workload in a chart."""
    (found,) = [item["spec"]["template"]["spec"] for item in objects(name) if "template" in item.get("spec", {})]
    return dict(found)


def container(name: str) -> dict[str, Any]:
    """The one container of the one workload in a chart."""
    (found,) = pod_spec(name)["containers"]
    return dict(found)
