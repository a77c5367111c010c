"""What runs in a team's cluster, in the order in which it is applied."""

from __future__ import annotations

from collections.abc import Iterator

from k8s_charts.efa_device_plugin import EfaDevicePlugin
from k8s_charts.etcd import Etcd
from k8s_charts.lustre_storage_class import LustreStorageClass
from k8s_charts.lustre_volume import LustreVolume
from k8s_charts.namespaces import QueueNamespace, SystemNamespace
from k8s_charts.neuron_device_plugin import NeuronDevicePlugin
from k8s_charts.neuron_monitor import NeuronMonitor
from k8s_charts.queue import VolcanoQueue
from k8s_charts.queue_admission import QueueAdmission
from k8s_charts.render import Objects, render
from k8s_charts.tensorboard import TensorBoard
from k8s_charts.volcano import VolcanoControllers, VolcanoCrds, VolcanoWebhooks
from spec import components
from spec.efa_plugin_registry import efa_device_plugin_image
from spec.names import (
    SYSTEM_NAMESPACE,
    TEAM_TAG,
    TENSORBOARD_IMAGE,
    Output,
    repository_uri_output,
    researchers_group,
)
from spec.output_values import placeholder
from spec.queue_capability import queue_capability
from spec.team import Eks, Lustre, Queue, Team
from stacks.manifest import Manifest

Phase = tuple[Manifest, ...]


def phases(team: Team, eks: Eks) -> tuple[Phase, ...]:
    """Manifests before the readiness gate of Volcano's webhook; those of one phase may be applied at once.

    The webhook configurations stand behind the webhook, and so go before it when the stack is deleted: what is left of
    them would refuse every later write of a job or queue.
    """
    mirrors = eks.registry_mirrors
    volcano = render(
        VolcanoControllers,
        admission_image=components.VOLCANO_ADMISSION.uri(mirrors),
        controllers_image=components.VOLCANO_CONTROLLERS.uri(mirrors),
        scheduler_image=components.VOLCANO_SCHEDULER.uri(mirrors),
    )
    return (
        (
            Manifest("namespace", render(SystemNamespace)),
            Manifest("volcano-crds", render(VolcanoCrds)),
            *(_queue_namespace(team, eks, queue) for queue in eks.queues),
        ),
        (
            *_daemons(team, eks),
            *_services(team, eks),
            # Before the webhook can admit a job.
            *((Manifest("admission-policy", render(QueueAdmission)),) if eks.queues else ()),
            Manifest("volcano", volcano),
        ),
        (Manifest("volcano-webhooks", render(VolcanoWebhooks)),),
    )


def queues(eks: Eks) -> Phase:
    """The queues, which the webhook must admit.

    Each is a manifest of its own, so that a queue without a line in the team file any more is deleted.
    """
    return tuple(
        Manifest(
            f"queue-{queue.name}",
            render(VolcanoQueue, name=queue.name, weight=queue.weight, capability=_capability(eks, queue)),
        )
        for queue in eks.queues
    )


def _capability(eks: Eks, queue: Queue) -> dict[str, int]:
    return queue_capability(queue.neuron_devices, [group.hardware for group in eks.node_groups])


def _queue_namespace(team: Team, eks: Eks, queue: Queue) -> Manifest:
    """A queue's namespace with all that is in it.

    The claim is here and not with the queue: deleting a claim waits for the pods that use it, which end only with the
    namespace; and what is dropped from a manifest is pruned only in namespaces that the manifest names.
    """
    lustre = team.storage.lustre
    objects = render(QueueNamespace, name=queue.name, capability=_capability(eks, queue))
    return Manifest(f"namespace-{queue.name}", [*objects, *(_claim(queue.name, lustre) if lustre else ())])


def _daemons(team: Team, eks: Eks) -> Iterator[Manifest]:
    """What runs on every training node."""
    instance_types = [group.instance_type for group in eks.node_groups]
    image = components.NEURON_DEVICE_PLUGIN.uri(eks.registry_mirrors)
    objects = render(NeuronDevicePlugin, instance_types=instance_types, image=image)
    yield Manifest("neuron-device-plugin", objects)
    if any(group.hardware.efa_interfaces for group in eks.node_groups):
        image = efa_device_plugin_image(team.region)
        yield Manifest("efa-device-plugin", render(EfaDevicePlugin, image=image))
    if eks.neuron_monitor:
        image = components.NEURON_MONITOR.uri(eks.registry_mirrors)
        objects = render(NeuronMonitor, instance_types=instance_types, image=image)
        yield Manifest("neuron-monitor", objects)


def _services(team: Team, eks: Eks) -> Iterator[Manifest]:
    """What jobs and people talk to."""
    if eks.rendezvous == "etcd":
        yield Manifest("etcd", render(Etcd, image=components.ETCD.uri(eks.registry_mirrors)))
    if eks.dynamic_volumes:
        objects = render(
            LustreStorageClass,
            subnet_id=placeholder(Output.TRAINING_SUBNET_ID),
            security_group_id=placeholder(Output.FILE_SYSTEM_SECURITY_GROUP_ID),
            tags={TEAM_TAG: team.name},
        )
        yield Manifest("storage-class", objects)
    if team.tensorboard and (lustre := team.storage.lustre) is not None:
        repository = placeholder(repository_uri_output(TENSORBOARD_IMAGE))
        objects = render(
            TensorBoard,
            namespace=SYSTEM_NAMESPACE,
            image=f"{repository}:{team.image_tag}",
            viewers=[researchers_group(queue.name) for queue in eks.queues],
        )
        yield Manifest("tensorboard", [*_claim(SYSTEM_NAMESPACE, lustre), *objects])


def _claim(namespace: str, lustre: Lustre) -> Objects:
    """A claim binds in one namespace only, so each has its own volume; all are the same file system."""
    return render(
        LustreVolume,
        namespace=namespace,
        file_system_id=placeholder(Output.FILE_SYSTEM_ID),
        dns_name=placeholder(Output.FILE_SYSTEM_DNS_NAME),
        mount_name=placeholder(Output.FILE_SYSTEM_MOUNT_NAME),
        capacity_gib=lustre.capacity_gib,
    )
