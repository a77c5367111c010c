"""What the pods of all of Volcano's programs have in common."""

from __future__ import annotations

from collections.abc import Sequence

from cdk8s_plus_27 import k8s

from k8s_charts.pods import off_trainium_nodes

USER_ID = 1000
"""Upstream's; not root."""


def pod_spec(
    *,
    service_account: str,
    container: k8s.Container,
    volumes: Sequence[k8s.Volume],
    restart_policy: str | None = None,
) -> k8s.PodSpec:
    return k8s.PodSpec(
        service_account_name=service_account,
        automount_service_account_token=True,
        restart_policy=restart_policy,
        # Without them no job starts, so nothing may push them off a node.
        priority_class_name="system-cluster-critical",
        affinity=off_trainium_nodes(),
        security_context=k8s.PodSecurityContext(
            run_as_non_root=True,
            run_as_user=USER_ID,
            seccomp_profile=k8s.SeccompProfile(type="RuntimeDefault"),
            se_linux_options=k8s.SeLinuxOptions(level="s0:c123,c456"),
        ),
        containers=[container],
        volumes=[*volumes] or None,
    )


def container(
    *,
    name: str,
    image: str,
    resources: k8s.ResourceRequirements,
    mounts: Sequence[k8s.VolumeMount],
    args: Sequence[str],
    env: Sequence[k8s.EnvVar] = (),
    command: Sequence[str] | None = None,
    ports: Sequence[k8s.ContainerPort] | None = None,
    startup_probe: k8s.Probe | None = None,
    liveness_probe: k8s.Probe | None = None,
    readiness_probe: k8s.Probe | None = None,
) -> k8s.Container:
    return k8s.Container(
        name=name,
        image=image,
        # The tag is pinned; upstream's Always asks Docker Hub at every start and meets its limit on pulls.
        image_pull_policy="IfNotPresent",
        command=command,
        args=[*args],
        env=[*env] or None,
        ports=ports,
        startup_probe=startup_probe,
        liveness_probe=liveness_probe,
        readiness_probe=readiness_probe,
        resources=resources,
        security_context=k8s.SecurityContext(
            allow_privilege_escalation=False,
            privileged=False,
            read_only_root_filesystem=True,
            run_as_non_root=True,
            run_as_user=USER_ID,
            # Upstream adds DAC_OVERRIDE back, which a process that is not root never gets; without it the pods pass
            # the restricted Pod Security level.
            capabilities=k8s.Capabilities(drop=["ALL"]),
        ),
        volume_mounts=[*mounts] or None,
    )
