"""Volcano queue: the share of the cluster that the jobs of one group use."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from k8s_charts.component import Component
from spec.components import VOLCANO_VERSION


class VolcanoQueue(Component):
    """Queue object. Creating, changing and deleting one calls Volcano's admission webhook, which must be up."""

    def __init__(self, scope: Construct, id_: str, *, name: str, weight: int, capability: Mapping[str, int]) -> None:
        """`capability`: extended resources that its jobs use together; Volcano leaves the others unlimited."""
        super().__init__(scope, id_, name="volcano-queue", version=VOLCANO_VERSION)
        self.custom(
            "Queue",
            api_version="scheduling.volcano.sh/v1beta1",
            kind="Queue",
            name=name,
            spec={
                "weight": weight,
                # Whatever a queue leaves idle another may use; the owner gets it back.
                "reclaimable": True,
                # Text, as Volcano writes quantities back: a GitOps tool sees no difference.
                "capability": {resource: str(amount) for resource, amount in capability.items()},
            },
        )
