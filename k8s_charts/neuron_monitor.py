"""Neuron monitor: serves the counters of a node's Neuron devices to Prometheus."""

from __future__ import annotations

from collections.abc import Sequence

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import daemon_set, image_tag, on_instance_types, resources, tolerate_neuron_taint
from spec.names import DAEMON_NAMESPACE

NAME = "neuron-monitor"
PORT = 8000
MEMORY_LIMIT_MIB = 256
GO_MEMORY_SHARE = 0.625
"""Of the memory limit, for the collector in Go; the exporter in Python needs the rest."""


class NeuronMonitor(Component):
    """DaemonSet with an HTTP endpoint on every Neuron node, and a headless Service to find them by."""

    def __init__(self, scope: Construct, id_: str, *, instance_types: Sequence[str], image: str) -> None:
        """`instance_types`: of the nodes to run on."""
        super().__init__(scope, id_, name=NAME, version=image_tag(image))
        daemon_set(
            self,
            NAME,
            k8s.PodSpec(
                automount_service_account_token=False,
                affinity=on_instance_types(instance_types),
                tolerations=[tolerate_neuron_taint()],
                containers=[self._container(image)],
            ),
            # For a Prometheus without its operator; one with it selects the Service.
            annotations={
                "prometheus.io/scrape": "true",
                "prometheus.io/port": str(PORT),
                "prometheus.io/path": "/metrics",
            },
        )
        k8s.KubeService(
            self,
            "Service",
            metadata=k8s.ObjectMeta(name=NAME, namespace=DAEMON_NAMESPACE),
            spec=k8s.ServiceSpec(
                cluster_ip="None",
                selector=self.selector,
                ports=[k8s.ServicePort(name="metrics", port=PORT, target_port=k8s.IntOrString.from_string("metrics"))],
            ),
        )

    def _container(self, image: str) -> k8s.Container:
        return k8s.Container(
            name=NAME,
            image=image,
            image_pull_policy="IfNotPresent",
            command=["/opt/bin/entrypoint.sh"],
            args=["--port", str(PORT), "--neuron-monitor-config", "/opt/aws/neuron/bin/neuron-monitor.conf"],
            env=[k8s.EnvVar(name="GOMEMLIMIT", value=f"{int(MEMORY_LIMIT_MIB * GO_MEMORY_SHARE)}MiB")],
            ports=[k8s.ContainerPort(name="metrics", container_port=PORT)],
            readiness_probe=k8s.Probe(
                tcp_socket=k8s.TcpSocketAction(port=k8s.IntOrString.from_string("metrics")), period_seconds=30
            ),
            # Reads every Neuron device of the node, those that the kubelet has given to a job included.
            security_context=k8s.SecurityContext(
                privileged=True, allow_privilege_escalation=True, run_as_non_root=False, run_as_user=0
            ),
            resources=resources(cpu="256m", memory="128Mi", cpu_limit="500m", memory_limit=f"{MEMORY_LIMIT_MIB}Mi"),
        )
