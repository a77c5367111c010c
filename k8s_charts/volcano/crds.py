"""The first of Volcano's manifests: namespaces and custom resource definitions."""

from __future__ import annotations

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.volcano.kinds import KINDS
from spec.components import VOLCANO_VERSION
from spec.names import Volcano


class VolcanoCrds(Component):
    """Volcano's namespaces and kinds. Deleting it deletes every job and queue in the cluster."""

    def __init__(self, scope: Construct, id_: str) -> None:
        super().__init__(scope, id_, name="volcano", version=VOLCANO_VERSION)
        k8s.KubeNamespace(
            self,
            "Namespace",
            metadata=k8s.ObjectMeta(
                name=Volcano.NAMESPACE,
                # Volcano's own pods need nothing that this level refuses; nothing else belongs here.
                labels={"pod-security.kubernetes.io/enforce": "restricted"},
            ),
        )
        # Upstream's dashboards and alerts expect it. No level: what collects from nodes needs more than any allows.
        k8s.KubeNamespace(self, "Monitoring", metadata=k8s.ObjectMeta(name="volcano-monitoring"))
        for kind in KINDS:
            self.custom(
                kind.kind,
                api_version="apiextensions.k8s.io/v1",
                kind="CustomResourceDefinition",
                name=kind.name,
                spec=kind.definition(),
            )
