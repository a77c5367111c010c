"""The seven webhooks of the admission program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SERVICE_PORT = 443
"""Of the admission Service, where the API server calls."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """One path of the admission program, and the requests that the API server sends there."""

    webhook: str
    path: str
    group: str
    version: str
    operations: Sequence[str]
    side_effects: str = "NoneOnDryRun"
    by_namespace: bool = True
    """Not for objects in the namespaces of Kubernetes and of Volcano itself."""

    @property
    def mutates(self) -> bool:
        return self.path.endswith("/mutate")

    @property
    def resource(self) -> str:
        return self.path.split("/")[1]


WEBHOOKS = (
    Webhook("mutatejob.volcano.sh", "/jobs/mutate", "batch.volcano.sh", "v1alpha1", ["CREATE"]),
    Webhook("validatejob.volcano.sh", "/jobs/validate", "batch.volcano.sh", "v1alpha1", ["CREATE", "UPDATE"]),
    Webhook("validatepodgroup.volcano.sh", "/podgroups/validate", "scheduling.volcano.sh", "v1beta1", ["CREATE"]),
    Webhook("mutatequeue.volcano.sh", "/queues/mutate", "scheduling.volcano.sh", "v1beta1", ["CREATE"]),
    Webhook(
        "validatequeue.volcano.sh",
        "/queues/validate",
        "scheduling.volcano.sh",
        "v1beta1",
        ["CREATE", "UPDATE", "DELETE"],
    ),
    Webhook(
        "validatehypernodes.volcano.sh",
        "/hypernodes/validate",
        "topology.volcano.sh",
        "v1alpha1",
        ["CREATE", "UPDATE"],
        side_effects="None",
        by_namespace=False,
    ),
    Webhook("validatecronjob.volcano.sh", "/cronjobs/validate", "batch.volcano.sh", "v1alpha1", ["CREATE", "UPDATE"]),
)

ADMISSION_PATHS = tuple(webhook.path for webhook in WEBHOOKS)
"""What the admission program is told to serve: it waits for the configuration of each."""
