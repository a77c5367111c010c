"""The last of Volcano's manifests: what makes the API server ask the admission program."""

from __future__ import annotations

from typing import Any

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.volcano.webhook import SERVICE_PORT, WEBHOOKS, Webhook
from spec.components import VOLCANO_VERSION
from spec.names import Volcano

EXEMPT_NAMESPACES = [Volcano.NAMESPACE.value, "kube-system"]


class VolcanoWebhooks(Component):
    """Volcano's webhook configurations, created after the admission Deployment and deleted before it.

    They refuse what they cannot ask about, so one that outlives its webhook blocks every write of a job or queue. The
    admission program finds them by name and writes its own certificate authority into them when it starts; the field
    is never written here, so that applying them again leaves it alone.
    """

    def __init__(self, scope: Construct, id_: str) -> None:
        super().__init__(scope, id_, name="volcano", version=VOLCANO_VERSION)
        for webhook in WEBHOOKS:
            name = f"{Volcano.ADMISSION_SERVICE}{webhook.path.replace('/', '-')}"
            metadata = k8s.ObjectMeta(name=name)
            if webhook.mutates:
                k8s.KubeMutatingWebhookConfiguration(
                    self, name, metadata=metadata, webhooks=[k8s.MutatingWebhook(**_fields(webhook))]
                )
            else:
                k8s.KubeValidatingWebhookConfiguration(
                    self, name, metadata=metadata, webhooks=[k8s.ValidatingWebhook(**_fields(webhook))]
                )


def _fields(webhook: Webhook) -> dict[str, Any]:
    others = k8s.LabelSelectorRequirement(key="kubernetes.io/metadata.name", operator="NotIn", values=EXEMPT_NAMESPACES)
    selectors = {
        "namespace_selector": k8s.LabelSelector(match_expressions=[others]),
        "object_selector": k8s.LabelSelector(),
    }
    return {
        "name": webhook.webhook,
        "admission_review_versions": ["v1"],
        "client_config": k8s.WebhookClientConfig(
            service=k8s.ServiceReference(
                name=Volcano.ADMISSION_SERVICE, namespace=Volcano.NAMESPACE, path=webhook.path, port=SERVICE_PORT
            )
        ),
        "failure_policy": "Fail",
        "match_policy": "Equivalent",
        "timeout_seconds": 10,
        "side_effects": webhook.side_effects,
        "rules": [
            k8s.RuleWithOperations(
                api_groups=[webhook.group],
                api_versions=[webhook.version],
                operations=[*webhook.operations],
                resources=[webhook.resource],
            )
        ],
        **(selectors if webhook.by_namespace else {}),
    }
