"""Namespaces: one for what jobs talk to, one per queue with everything its researchers need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import quantities
from spec.names import PART_OF, SYSTEM_NAMESPACE, TRAINING_SERVICE_ACCOUNT, researchers_group

POD_SECURITY = {"pod-security.kubernetes.io/enforce": "baseline"}
"""Whoever may submit a job may define its pods: without a level, root on the node's own file system too.
https://kubernetes.io/docs/concepts/security/pod-security-standards/"""

WAITING_JOBS = 10
"""Jobs of a queue's whole size that may exist at once, one of them running."""

RESEARCHER = "researcher"
QUEUE_NAMESPACE = "queue-namespace"
"""Name in the labels of a queue's namespace, by which it is told from every other namespace."""


class SystemNamespace(Component):
    """Namespace of etcd and TensorBoard."""

    def __init__(self, scope: Construct, id_: str) -> None:
        # A namespace holds no software: the version is that of its API.
        super().__init__(scope, id_, name=SYSTEM_NAMESPACE, version="v1")
        k8s.KubeNamespace(self, "Namespace", metadata=k8s.ObjectMeta(name=SYSTEM_NAMESPACE, labels=POD_SECURITY))


class QueueNamespace(Component):
    """Namespace of one queue, named as the queue: quota, ServiceAccount of job pods, permissions of researchers.

    No object in it needs Volcano to run.
    """

    def __init__(self, scope: Construct, id_: str, *, name: str, capability: Mapping[str, int]) -> None:
        """`capability`: extended resources that jobs of the queue use together."""
        super().__init__(scope, id_, name=QUEUE_NAMESPACE, version="v1")
        self._queue = name
        k8s.KubeNamespace(self, "Namespace", metadata=k8s.ObjectMeta(name=name, labels=POD_SECURITY))
        # No LimitRange: what a job needs of a machine is in its job file; a default would be wrong on every type.
        k8s.KubeResourceQuota(
            self,
            "ResourceQuota",
            metadata=k8s.ObjectMeta(name="training", namespace=name),
            spec=k8s.ResourceQuotaSpec(hard=_quota(capability)),
        )
        k8s.KubeServiceAccount(
            self,
            "ServiceAccount",
            metadata=k8s.ObjectMeta(name=TRAINING_SERVICE_ACCOUNT, namespace=name),
            automount_service_account_token=False,
        )
        self._let_researchers_run_jobs()
        self._let_researchers_read_the_queue()

    def _let_researchers_run_jobs(self) -> None:
        k8s.KubeRole(
            self,
            "Role",
            metadata=k8s.ObjectMeta(name=RESEARCHER, namespace=self._queue),
            rules=[
                # Submit, watch, cancel. Cancelling is deleting; no update, as Volcano takes almost none of a job.
                _rule("batch.volcano.sh", ["jobs"], ["create", "delete", "get", "list", "watch"]),
                # TorchX reads a job's state here.
                _rule("batch.volcano.sh", ["jobs/status"], ["get"]),
                # No write access: Volcano makes the pods of a job, and a pod by hand would evade the queue.
                _rule("", ["pods"], ["get", "list", "watch"]),
                _rule("", ["pods/log"], ["get"]),
                # neuron-top and a shell beside a hung worker. Over WebSockets these requests are a `get`, and since
                # Kubernetes 1.35 need `create` as well. https://github.com/kubernetes/kubernetes/issues/133515
                _rule("", ["pods/exec", "pods/portforward"], ["create", "get"]),
                # Why a job waits.
                _rule("scheduling.volcano.sh", ["podgroups"], ["get", "list", "watch"]),
                _rule("", ["events", "persistentvolumeclaims", "resourcequotas"], ["get", "list", "watch"]),
            ],
        )
        k8s.KubeRoleBinding(
            self,
            "RoleBinding",
            metadata=k8s.ObjectMeta(name=RESEARCHER, namespace=self._queue),
            role_ref=_role("Role", RESEARCHER),
            subjects=[self._researchers()],
        )

    def _let_researchers_read_the_queue(self) -> None:
        """Its size tells whether a job can ever run. Queues are cluster-scoped, so a Role cannot grant this."""
        name = f"{PART_OF}-queue-{self._queue}"
        k8s.KubeClusterRole(
            self,
            "ClusterRole",
            metadata=k8s.ObjectMeta(name=name),
            rules=[_rule("scheduling.volcano.sh", ["queues"], ["get"], names=[self._queue])],
        )
        k8s.KubeClusterRoleBinding(
            self,
            "ClusterRoleBinding",
            metadata=k8s.ObjectMeta(name=name),
            role_ref=_role("ClusterRole", name),
            subjects=[self._researchers()],
        )

    def _researchers(self) -> k8s.Subject:
        return k8s.Subject(kind="Group", name=researchers_group(self._queue), api_group="rbac.authorization.k8s.io")


def _quota(capability: Mapping[str, int]) -> dict[str, k8s.Quantity]:
    """Bounds what waits. What runs is the Queue's to bound.

    A quota counts requests, which the API server fills in from limits when it stores a pod; so it counts pods that
    wait, too. Volcano makes the pods of a waiting job at once, and ends the job after 15 refusals: a quota of the
    queue's size would fail every job that has to wait.
    https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/controllers/job/job_controller.go
    """
    return quantities(**{f"requests.{resource}": str(amount * WAITING_JOBS) for resource, amount in capability.items()})


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str], names: Sequence[str] = ()) -> k8s.PolicyRule:
    return k8s.PolicyRule(
        api_groups=[group], resources=list(resources), verbs=list(verbs), resource_names=list(names) or None
    )


def _role(kind: str, name: str) -> k8s.RoleRef:
    return k8s.RoleRef(api_group="rbac.authorization.k8s.io", kind=kind, name=name)
