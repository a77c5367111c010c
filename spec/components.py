"""Software that runs in a cluster: pinned images, each with the page its tag came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PUBLIC_REGISTRIES = ("docker.io", "public.ecr.aws", "quay.io")
"""Registries that the images below come from."""


@dataclass(frozen=True, slots=True)
class ContainerImage:
    """An image in a public registry."""

    registry: str
    repository: str
    tag: str

    def uri(self, mirrors: Mapping[str, str]) -> str:
        """`REGISTRY/REPOSITORY:TAG`; `mirrors` replaces a registry, such as docker.io, by a prefix that mirrors it."""
        return f"{mirrors.get(self.registry, self.registry)}/{self.repository}:{self.tag}"


NEURON_DEVICE_PLUGIN = ContainerImage("public.ecr.aws", "neuron/neuron-device-plugin", "2.31.0.0")
"""https://github.com/aws-neuron/neuron-helm-charts (chart 1.9.0)"""

NEURON_MONITOR = ContainerImage("public.ecr.aws", "neuron/neuron-monitor", "1.3.0")
"""https://github.com/aws-neuron/aws-neuron-sdk/blob/v2.32.0/src/k8/k8s-neuron-monitor-daemonset.yml"""

VOLCANO_VERSION = "v1.15.1"
"""https://github.com/volcano-sh/volcano/releases/tag/v1.15.1 (2026-07-30); for Kubernetes up to 1.35"""
VOLCANO_ADMISSION = ContainerImage("docker.io", "volcanosh/vc-webhook-manager", VOLCANO_VERSION)
VOLCANO_CONTROLLERS = ContainerImage("docker.io", "volcanosh/vc-controller-manager", VOLCANO_VERSION)
VOLCANO_SCHEDULER = ContainerImage("docker.io", "volcanosh/vc-scheduler", VOLCANO_VERSION)

ETCD = ContainerImage("quay.io", "coreos/etcd", "v3.5.33")
"""3.5 is the last version with the v2 API, which torchrun's etcd rendezvous speaks.
https://github.com/etcd-io/etcd/releases/tag/v3.5.33"""

EFA_DEVICE_PLUGIN_REPOSITORY = "eks/aws-efa-k8s-device-plugin"
EFA_DEVICE_PLUGIN_TAG = "v0.5.20"
"""https://github.com/aws/eks-charts, stable/aws-efa-k8s-device-plugin (chart v0.5.30, 2026-07-21)"""
