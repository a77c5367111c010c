"""Kubernetes objects as resources of a stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Duration, aws_eks_v2 as eks
from constructs import IConstruct

from constructs_lib.cluster import TrainingCluster


def apply(
    cluster: TrainingCluster, id_: str, objects: Sequence[Mapping[str, Any]], *, after: Sequence[IConstruct]
) -> eks.KubernetesManifest:
    """Apply Kubernetes objects once `after` is there; on deletion they go before it."""
    manifest = eks.KubernetesManifest(
        cluster,
        id_,
        cluster=cluster.cluster,  # type: ignore[arg-type]  # its stub lacks a member
        manifest=objects,
        # Apply, not create: a deployment that failed half-way is repeated over what it left.
        overwrite=True,
    )
    for dependency in after:
        manifest.node.add_dependency(dependency)
    return manifest


def wait_for_rollout(
    cluster: TrainingCluster, id_: str, *, deployment: str, namespace: str, after: Sequence[IConstruct]
) -> eks.KubernetesObjectValue:
    """Hold the stack until a Deployment has rolled its newest pods out.

    Not until a replica is available: while an upgrade starts, that is one of the old pods.
    """
    gate = eks.KubernetesObjectValue(
        cluster,
        id_,
        cluster=cluster.cluster,  # type: ignore[arg-type]  # as above
        object_type="deployment",
        object_name=deployment,
        object_namespace=namespace,
        # Empty until the Progressing condition has this reason.
        json_path='.status.conditions[?(@.reason=="NewReplicaSetAvailable")].status',
        timeout=Duration.minutes(10),
    )
    for dependency in after:
        gate.node.add_dependency(dependency)
    return gate
