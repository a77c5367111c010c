"""TensorBoard: shows the curves of jobs from their logs on the shared file system."""

from __future__ import annotations

from collections.abc import Sequence

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import image_tag, resources, service_pod
from spec.names import DATA_PATH, LUSTRE_CLAIM, TENSORBOARD_PORT, TENSORBOARD_SERVICE, Prefix

NAME = TENSORBOARD_SERVICE
NOBODY = 65534
LOG_DIRECTORY = f"{DATA_PATH}/{Prefix.LOGS}".rstrip("/")


class TensorBoard(Component):
    """Deployment and ClusterIP Service, reached by port-forward: TensorBoard itself asks nobody for a password."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        namespace: str,
        image: str,
        viewers: Sequence[str] = (),
    ) -> None:
        """`namespace`: one that has a claim of the shared file system.

        `viewers`: Kubernetes groups that may port-forward to it, beyond those that may in `namespace` already.
        """
        super().__init__(scope, id_, name=NAME, version=image_tag(image))
        self._namespace = namespace
        metadata = k8s.ObjectMeta(name=NAME, namespace=namespace)
        k8s.KubeDeployment(
            self,
            "Deployment",
            metadata=metadata,
            spec=k8s.DeploymentSpec(
                replicas=1,
                selector=k8s.LabelSelector(match_labels=self.selector),
                template=k8s.PodTemplateSpec(
                    metadata=k8s.ObjectMeta(labels=self.labels),
                    spec=service_pod(
                        self._container(image),
                        security_context=k8s.PodSecurityContext(
                            run_as_non_root=True,
                            run_as_user=NOBODY,
                            run_as_group=NOBODY,
                            seccomp_profile=k8s.SeccompProfile(type="RuntimeDefault"),
                        ),
                        volumes=[
                            k8s.Volume(
                                name="data",
                                persistent_volume_claim=k8s.PersistentVolumeClaimVolumeSource(
                                    claim_name=LUSTRE_CLAIM, read_only=True
                                ),
                            ),
                            k8s.Volume(name="tmp", empty_dir=k8s.EmptyDirVolumeSource()),
                        ],
                    ),
                ),
            ),
        )
        k8s.KubeService(
            self,
            "Service",
            metadata=metadata,
            spec=k8s.ServiceSpec(
                type="ClusterIP",
                selector=self.selector,
                ports=[
                    k8s.ServicePort(name="http", port=TENSORBOARD_PORT, target_port=k8s.IntOrString.from_string("http"))
                ],
            ),
        )
        if viewers:
            self._let_view(viewers)

    def _container(self, image: str) -> k8s.Container:
        page = k8s.HttpGetAction(path="/", port=k8s.IntOrString.from_string("http"))
        return k8s.Container(
            name=NAME,
            image=image,
            image_pull_policy="IfNotPresent",
            command=["tensorboard"],
            args=[f"--logdir={LOG_DIRECTORY}", f"--port={TENSORBOARD_PORT}", "--bind_all"],
            env=[k8s.EnvVar(name="HOME", value="/tmp")],  # noqa: S108 - a volume of this pod alone
            ports=[k8s.ContainerPort(name="http", container_port=TENSORBOARD_PORT)],
            # Importing TensorBoard takes half a minute on a small node.
            startup_probe=k8s.Probe(http_get=page, period_seconds=5, failure_threshold=60),
            readiness_probe=k8s.Probe(http_get=page, period_seconds=10, timeout_seconds=5),
            liveness_probe=k8s.Probe(http_get=page, period_seconds=30, timeout_seconds=10, failure_threshold=5),
            security_context=k8s.SecurityContext(
                allow_privilege_escalation=False,
                read_only_root_filesystem=True,
                capabilities=k8s.Capabilities(drop=["ALL"]),
            ),
            # Keeps the points of every curve it has shown in memory.
            resources=resources(cpu="250m", memory="512Mi", cpu_limit="2", memory_limit="3Gi"),
            volume_mounts=[
                k8s.VolumeMount(name="data", mount_path=DATA_PATH, read_only=True),
                k8s.VolumeMount(name="tmp", mount_path="/tmp"),  # noqa: S108
            ],
        )

    def _let_view(self, groups: Sequence[str]) -> None:
        """What `kubectl port-forward service/tensorboard` asks for; nothing narrower reaches a pod by its Service."""
        metadata = k8s.ObjectMeta(name=f"{NAME}-viewer", namespace=self._namespace)
        k8s.KubeRole(
            self,
            "Role",
            metadata=metadata,
            rules=[
                k8s.PolicyRule(api_groups=[""], resources=["services"], resource_names=[NAME], verbs=["get"]),
                k8s.PolicyRule(api_groups=[""], resources=["pods"], verbs=["get", "list"]),
                k8s.PolicyRule(api_groups=[""], resources=["pods/portforward"], verbs=["create", "get"]),
            ],
        )
        k8s.KubeRoleBinding(
            self,
            "RoleBinding",
            metadata=metadata,
            role_ref=k8s.RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name=f"{NAME}-viewer"),
            subjects=[k8s.Subject(kind="Group", name=group, api_group="rbac.authorization.k8s.io") for group in groups],
        )
