"""etcd: where the workers of a job meet when a team's scripts use torchrun's etcd rendezvous."""

from __future__ import annotations

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import image_tag, resources, service_pod
from spec.names import ETCD_ENDPOINT, ETCD_PORT, ETCD_SERVICE, SYSTEM_NAMESPACE, service_host

PEER_SERVICE = f"{ETCD_SERVICE}-peer"
PEER_PORT = 2380
MEMBER = f"{ETCD_SERVICE}-0"
PEER_URL = f"http://{MEMBER}.{service_host(PEER_SERVICE, SYSTEM_NAMESPACE)}:{PEER_PORT}"
DATA_DIRECTORY = "/var/lib/etcd"
NONROOT = 65532
"""User of the distroless images, on which etcd's is built."""


class Etcd(Component):
    """StatefulSet of one etcd member with the v2 API, and its Services.

    One member and no PodDisruptionBudget: with a budget that one pod would block the drain of its node, and so every
    update of the node group, for ever.
    """

    def __init__(self, scope: Construct, id_: str, *, image: str) -> None:
        super().__init__(scope, id_, name=ETCD_SERVICE, version=image_tag(image))
        k8s.KubeStatefulSet(
            self,
            "StatefulSet",
            metadata=k8s.ObjectMeta(name=ETCD_SERVICE, namespace=SYSTEM_NAMESPACE),
            spec=k8s.StatefulSetSpec(
                replicas=1,
                service_name=PEER_SERVICE,
                selector=k8s.LabelSelector(match_labels=self.selector),
                template=k8s.PodTemplateSpec(
                    metadata=k8s.ObjectMeta(labels=self.labels),
                    spec=service_pod(
                        self._container(image),
                        security_context=k8s.PodSecurityContext(
                            run_as_user=NONROOT,
                            run_as_group=NONROOT,
                            fs_group=NONROOT,
                            seccomp_profile=k8s.SeccompProfile(type="RuntimeDefault"),
                        ),
                        # A rendezvous lives as long as its job, so nothing in here is worth an EBS volume and the
                        # driver for it. A restarted container finds it again; a moved pod starts empty.
                        volumes=[
                            k8s.Volume(
                                name="data",
                                empty_dir=k8s.EmptyDirVolumeSource(size_limit=k8s.Quantity.from_string("2Gi")),
                            )
                        ],
                    ),
                ),
            ),
        )
        self._service("Service", name=ETCD_SERVICE, ports={"client": ETCD_PORT})
        self._service("PeerService", name=PEER_SERVICE, ports={"peer": PEER_PORT}, headless=True)

    def _container(self, image: str) -> k8s.Container:
        health = k8s.HttpGetAction(path="/health", port=k8s.IntOrString.from_string("client"))
        return k8s.Container(
            name="etcd",
            image=image,
            image_pull_policy="IfNotPresent",
            command=["/usr/local/bin/etcd"],
            args=[
                f"--name={MEMBER}",
                # Below the volume's root, which the kubelet makes wider than the 0700 that etcd asks for.
                f"--data-dir={DATA_DIRECTORY}/data",
                # torchrun's etcd backends speak v2 only. https://github.com/pytorch/pytorch/issues/158326
                "--enable-v2=true",
                f"--listen-client-urls=http://0.0.0.0:{ETCD_PORT}",
                # The client in the job moves on to what is advertised here, so it must resolve in every namespace.
                f"--advertise-client-urls=http://{ETCD_ENDPOINT}",
                f"--listen-peer-urls=http://0.0.0.0:{PEER_PORT}",
                f"--initial-advertise-peer-urls={PEER_URL}",
                f"--initial-cluster={MEMBER}={PEER_URL}",
                "--initial-cluster-state=new",
            ],
            ports=[
                k8s.ContainerPort(name="client", container_port=ETCD_PORT),
                k8s.ContainerPort(name="peer", container_port=PEER_PORT),
            ],
            readiness_probe=k8s.Probe(http_get=health, period_seconds=5, timeout_seconds=5),
            liveness_probe=k8s.Probe(
                http_get=health, initial_delay_seconds=10, period_seconds=10, timeout_seconds=10, failure_threshold=6
            ),
            security_context=k8s.SecurityContext(
                allow_privilege_escalation=False, capabilities=k8s.Capabilities(drop=["ALL"])
            ),
            resources=resources(cpu="100m", memory="128Mi", cpu_limit="1", memory_limit="512Mi"),
            volume_mounts=[k8s.VolumeMount(name="data", mount_path=DATA_DIRECTORY)],
        )

    def _service(self, id_: str, *, name: str, ports: dict[str, int], headless: bool = False) -> None:
        k8s.KubeService(
            self,
            id_,
            metadata=k8s.ObjectMeta(name=name, namespace=SYSTEM_NAMESPACE),
            spec=k8s.ServiceSpec(
                cluster_ip="None" if headless else None,
                # A member must find its own name before it can become ready.
                publish_not_ready_addresses=True if headless else None,
                selector=self.selector,
                ports=[
                    k8s.ServicePort(name=port, port=number, target_port=k8s.IntOrString.from_string(port))
                    for port, number in ports.items()
                ],
            ),
        )
