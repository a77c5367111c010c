"""Neuron device plugin: makes the Neuron devices of a node known to Kubernetes."""

from __future__ import annotations

from collections.abc import Sequence

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import (
    daemon_set,
    host_directory,
    image_tag,
    on_instance_types,
    resources,
    tolerate_critical_addons_only,
    tolerate_neuron_taint,
)
from spec.names import DAEMON_NAMESPACE

# Not neuron-device-plugin-daemonset: CDK applies an outdated plugin of that name for Trn capacity it adds itself.
# https://github.com/aws/aws-cdk/issues/29131
NAME = "neuron-device-plugin"


class NeuronDevicePlugin(Component):
    """DaemonSet that advertises Trainium devices, with its ServiceAccount and permissions."""

    def __init__(self, scope: Construct, id_: str, *, instance_types: Sequence[str], image: str) -> None:
        """`instance_types`: of the nodes to run on; elsewhere the plugin finds no driver and crash-loops."""
        super().__init__(scope, id_, name=NAME, version=image_tag(image))
        self._permissions()
        daemon_set(
            self,
            NAME,
            k8s.PodSpec(
                service_account_name=NAME,
                automount_service_account_token=True,
                priority_class_name="system-node-critical",
                affinity=on_instance_types(instance_types),
                tolerations=[
                    tolerate_critical_addons_only(),
                    tolerate_neuron_taint(),
                    k8s.Toleration(
                        key="sagemaker.amazonaws.com/node-health-status",
                        operator="Equal",
                        value="Unschedulable",
                        effect="NoSchedule",
                    ),
                ],
                containers=[self._container(image)],
                volumes=[
                    host_directory("device-plugin", "/var/lib/kubelet/device-plugins"),
                    host_directory("run", "/run"),
                    host_directory("aws-config", "/opt/aws"),
                ],
            ),
        )

    def _container(self, image: str) -> k8s.Container:
        return k8s.Container(
            name=NAME,
            image=image,
            image_pull_policy="IfNotPresent",
            env=[
                # As upstream sets it; the file is not mounted, and the plugin then uses its ServiceAccount.
                k8s.EnvVar(name="KUBECONFIG", value="/etc/kubernetes/kubelet.conf"),
                k8s.EnvVar(
                    name="NODE_NAME",
                    value_from=k8s.EnvVarSource(field_ref=k8s.ObjectFieldSelector(field_path="spec.nodeName")),
                ),
            ],
            # Runs as root to create its socket among the kubelet's, with no capability beyond.
            security_context=k8s.SecurityContext(
                allow_privilege_escalation=False, capabilities=k8s.Capabilities(drop=["ALL"])
            ),
            # Upstream states none. Room to spare: a throttled plugin delays the start of every training pod.
            resources=resources(cpu="10m", memory="64Mi", cpu_limit="1", memory_limit="512Mi"),
            volume_mounts=[
                k8s.VolumeMount(name="device-plugin", mount_path="/var/lib/kubelet/device-plugins"),
                k8s.VolumeMount(name="run", mount_path="/run"),
                # Holds neuron/logical_nc_config, by which a Trn2 node says how its cores are joined.
                k8s.VolumeMount(name="aws-config", mount_path="/opt/aws", read_only=True),
            ],
        )

    def _permissions(self) -> None:
        k8s.KubeServiceAccount(self, "ServiceAccount", metadata=k8s.ObjectMeta(name=NAME, namespace=DAEMON_NAMESPACE))
        # The rules of upstream's chart 1.9.0; nodes/proxy is there since the plugin asks the kubelet for its pods.
        k8s.KubeClusterRole(
            self,
            "ClusterRole",
            metadata=k8s.ObjectMeta(name=NAME),
            rules=[
                _core(["nodes"], ["get", "list", "watch"]),
                _core(["events"], ["create", "patch"]),
                _core(["pods"], ["get", "list", "watch", "patch", "update"]),
                _core(["nodes/status"], ["patch", "update"]),
                _core(["nodes/proxy"], ["get", "list"]),
            ],
        )
        k8s.KubeClusterRoleBinding(
            self,
            "ClusterRoleBinding",
            metadata=k8s.ObjectMeta(name=NAME),
            role_ref=k8s.RoleRef(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=NAME),
            subjects=[k8s.Subject(kind="ServiceAccount", name=NAME, namespace=DAEMON_NAMESPACE)],
        )


def _core(resources: Sequence[str], verbs: Sequence[str]) -> k8s.PolicyRule:
    return k8s.PolicyRule(api_groups=[""], resources=list(resources), verbs=list(verbs))
