"""The Job that makes the webhook's certificate."""

from __future__ import annotations

import hashlib

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import resources
from k8s_charts.volcano import pod
from k8s_charts.volcano.programs import ADMISSION_SECRET
from k8s_charts.volcano.rbac import CERTIFICATE_JOB
from spec.components import VOLCANO_ADMISSION, VOLCANO_VERSION
from spec.names import Volcano

NAME = "volcano-admission-init"


class CertificateJob(Construct):
    """Writes a certificate authority and a certificate, good for ten years, into the admission program's Secret."""

    def __init__(self, chart: Component, id_: str, *, image: str) -> None:
        super().__init__(chart, id_)
        metadata = k8s.ObjectMeta(name=NAME, namespace=Volcano.NAMESPACE)
        k8s.KubeServiceAccount(self, "ServiceAccount", metadata=metadata)
        k8s.KubeRole(self, "Role", metadata=metadata, rules=[rule.policy() for rule in CERTIFICATE_JOB])
        k8s.KubeRoleBinding(
            self,
            "RoleBinding",
            metadata=k8s.ObjectMeta(name=f"{NAME}-role", namespace=Volcano.NAMESPACE),
            role_ref=k8s.RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name=NAME),
            subjects=[k8s.Subject(kind="ServiceAccount", name=NAME, namespace=Volcano.NAMESPACE)],
        )
        k8s.KubeJob(
            self,
            "Job",
            metadata=k8s.ObjectMeta(name=job_name(image), namespace=Volcano.NAMESPACE),
            spec=k8s.JobSpec(
                backoff_limit=3,
                # No time to live: a Job that went away would run again with the next apply and change the certificate.
                template=k8s.PodTemplateSpec(
                    metadata=k8s.ObjectMeta(labels={**chart.labels, "app.kubernetes.io/component": "admission-init"}),
                    spec=_pod(image),
                ),
            ),
        )


def job_name(image: str) -> str:
    """A Job cannot be changed, only replaced by one of another name: a new version is another Job.

    So is an image from a mirror, or whoever meets Docker Hub's limit at the first deployment could not repair it with a
    mirror.
    """
    name = f"{NAME}-{VOLCANO_VERSION.replace('.', '-')}"
    if image == VOLCANO_ADMISSION.uri({}):
        return name
    return f"{name}-{hashlib.sha256(image.encode()).hexdigest()[:6]}"


def _pod(image: str) -> k8s.PodSpec:
    scratch = "/tmp"  # noqa: S108  in the pod
    return pod.pod_spec(
        service_account=NAME,
        restart_policy="Never",
        container=pod.container(
            name="certificate",
            image=image,
            command=["./gen-admission-secret.sh"],
            args=[
                *("--service", Volcano.ADMISSION_SERVICE),
                *("--namespace", Volcano.NAMESPACE),
                *("--secret", ADMISSION_SECRET),
            ],
            # The script writes its files to /tmp, its tools theirs to the home folder.
            env=[k8s.EnvVar(name="HOME", value=scratch)],
            # openssl and kubectl, for seconds.
            resources=resources(cpu="50m", memory="64Mi", cpu_limit="1", memory_limit="256Mi"),
            mounts=[k8s.VolumeMount(name="scratch", mount_path=scratch)],
        ),
        volumes=[k8s.Volume(name="scratch", empty_dir=k8s.EmptyDirVolumeSource())],
    )
