"""One long-running program of Volcano: its identity, rights, Service and Deployment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.volcano import pod
from k8s_charts.volcano.rbac import Rule
from spec.names import Volcano

HEALTHZ_PORT = 11251
"""Default of every program."""

STARTUP_SECONDS = 300
"""How long each program waits for what it needs: the admission for its webhook configurations, the scheduler for an API
server that takes its queues. It would be killed before that if it had to answer sooner."""

PERIOD_SECONDS = 5


@dataclass(frozen=True, kw_only=True)
class Program:
    """What tells the programs apart."""

    component: Literal["admission", "controllers", "scheduler"]
    image: str
    service: Volcano
    service_port: int
    port: k8s.ContainerPort
    args: Sequence[str]
    rules: Sequence[Rule]
    resources: k8s.ResourceRequirements
    alive: k8s.Probe
    ready: k8s.Probe
    volumes: Sequence[k8s.Volume] = ()
    mounts: Sequence[k8s.VolumeMount] = ()
    env: Sequence[k8s.EnvVar] = ()
    recreate: bool
    """Never two at once: without leader election two would both place the same pods."""

    @property
    def name(self) -> str:
        return f"volcano-{self.component}"


def http_healthz() -> k8s.Probe:
    return k8s.Probe(http_get=k8s.HttpGetAction(path="/healthz", port=k8s.IntOrString.from_string("healthz")))


def tcp(port: str) -> k8s.Probe:
    return k8s.Probe(tcp_socket=k8s.TcpSocketAction(port=k8s.IntOrString.from_string(port)))


class ProgramObjects(Construct):
    """A program's objects in the cluster."""

    def __init__(self, chart: Component, program: Program) -> None:
        super().__init__(chart, program.component.capitalize())
        component = {"app.kubernetes.io/component": program.component}
        own = chart.selector | component
        in_namespace = k8s.ObjectMeta(name=program.name, namespace=Volcano.NAMESPACE)
        k8s.KubeServiceAccount(self, "ServiceAccount", metadata=in_namespace)
        self._grant(program)
        k8s.KubeService(
            self,
            "Service",
            metadata=k8s.ObjectMeta(name=program.service, namespace=Volcano.NAMESPACE),
            spec=k8s.ServiceSpec(
                type="ClusterIP",
                selector=own,
                ports=[
                    k8s.ServicePort(
                        name=program.port.name,
                        port=program.service_port,
                        target_port=k8s.IntOrString.from_string(str(program.port.name)),
                    )
                ],
            ),
        )
        k8s.KubeDeployment(
            self,
            "Deployment",
            metadata=in_namespace,
            spec=k8s.DeploymentSpec(
                replicas=1,
                strategy=k8s.DeploymentStrategy(type="Recreate") if program.recreate else None,
                selector=k8s.LabelSelector(match_labels=own),
                template=k8s.PodTemplateSpec(
                    metadata=k8s.ObjectMeta(labels={**chart.labels, **component}), spec=_pod(program)
                ),
            ),
        )

    def _grant(self, program: Program) -> None:
        k8s.KubeClusterRole(
            self,
            "ClusterRole",
            metadata=k8s.ObjectMeta(name=program.name),
            rules=[rule.policy() for rule in program.rules],
        )
        k8s.KubeClusterRoleBinding(
            self,
            "ClusterRoleBinding",
            metadata=k8s.ObjectMeta(name=f"{program.name}-role"),
            role_ref=k8s.RoleRef(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=program.name),
            subjects=[k8s.Subject(kind="ServiceAccount", name=program.name, namespace=Volcano.NAMESPACE)],
        )


def _pod(program: Program) -> k8s.PodSpec:
    healthz = k8s.ContainerPort(name="healthz", container_port=HEALTHZ_PORT)
    return pod.pod_spec(
        service_account=program.name,
        container=pod.container(
            name=program.component,
            image=program.image,
            args=program.args,
            env=program.env,
            ports=[program.port, healthz],
            startup_probe=_every(program.alive, failures=STARTUP_SECONDS // PERIOD_SECONDS),
            liveness_probe=_every(program.alive, failures=6),
            readiness_probe=_every(program.ready, failures=2),
            resources=program.resources,
            mounts=program.mounts,
        ),
        volumes=program.volumes,
    )


def _every(probe: k8s.Probe, *, failures: int) -> k8s.Probe:
    return k8s.Probe(
        http_get=probe.http_get,
        tcp_socket=probe.tcp_socket,
        period_seconds=PERIOD_SECONDS,
        timeout_seconds=3,
        failure_threshold=failures,
    )
