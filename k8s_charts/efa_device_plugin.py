"""EFA device plugin: makes the EFA interfaces of a node known to Kubernetes."""

from __future__ import annotations

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import (
    daemon_set,
    host_directory,
    image_tag,
    resources,
    tolerate_critical_addons_only,
    tolerate_neuron_taint,
)
from spec.hardware import INFINIBAND_DIRECTORY
from spec.names import NodeLabel

NAME = "aws-efa-k8s-device-plugin"


class EfaDevicePlugin(Component):
    """DaemonSet that advertises EFA interfaces on the nodes whose node group has EFA interfaces.

    Selected by label: the plugin exits on a node of an EFA-capable type that carries no EFA interface.
    https://github.com/aws/eks-charts/issues/1239
    """

    def __init__(self, scope: Construct, id_: str, *, image: str) -> None:
        super().__init__(scope, id_, name=NAME, version=image_tag(image))
        daemon_set(
            self,
            NAME,
            k8s.PodSpec(
                # Talks to the kubelet's socket only, never to the API server.
                automount_service_account_token=False,
                host_network=True,
                priority_class_name="system-node-critical",
                node_selector={NodeLabel.EFA: "true"},
                tolerations=[tolerate_critical_addons_only(), tolerate_neuron_taint()],
                containers=[self._container(image)],
                volumes=[
                    host_directory("device-plugin", "/var/lib/kubelet/device-plugins"),
                    host_directory("infiniband", INFINIBAND_DIRECTORY),
                    host_directory("neuron-topology", "/opt/aws/neuron", type_="DirectoryOrCreate"),
                ],
            ),
        )

    def _container(self, image: str) -> k8s.Container:
        return k8s.Container(
            name=NAME,
            image=image,
            image_pull_policy="IfNotPresent",
            # Root and privileged since upstream reads which EFA interface lies next to which Neuron device.
            # https://github.com/aws/eks-charts/pull/1245
            security_context=k8s.SecurityContext(
                privileged=True, allow_privilege_escalation=True, run_as_non_root=False, run_as_user=0
            ),
            resources=resources(cpu="10m", memory="20Mi", cpu_limit="1", memory_limit="256Mi"),
            volume_mounts=[
                k8s.VolumeMount(name="device-plugin", mount_path="/var/lib/kubelet/device-plugins"),
                k8s.VolumeMount(name="infiniband", mount_path=INFINIBAND_DIRECTORY),
                k8s.VolumeMount(name="neuron-topology", mount_path="/opt/aws/neuron"),
            ],
        )
