"""Volcano's webhook configurations, against the facts read from v1.15.1."""

from __future__ import annotations

import pytest

from k8s_charts.render import Objects
from tests.k8s.volcano.conftest import of_kind

# kind | webhook | path | group/version resource | operations
TABLE = {
    "volcano-admission-service-queues-mutate": "Mutating | mutatequeue.volcano.sh | /queues/mutate | "
    "scheduling.volcano.sh/v1beta1 queues | CREATE",
    "volcano-admission-service-jobs-mutate": "Mutating | mutatejob.volcano.sh | /jobs/mutate | "
    "batch.volcano.sh/v1alpha1 jobs | CREATE",
    "volcano-admission-service-jobs-validate": "Validating | validatejob.volcano.sh | /jobs/validate | "
    "batch.volcano.sh/v1alpha1 jobs | CREATE, UPDATE",
    "volcano-admission-service-queues-validate": "Validating | validatequeue.volcano.sh | /queues/validate | "
    "scheduling.volcano.sh/v1beta1 queues | CREATE, UPDATE, DELETE",
    "volcano-admission-service-podgroups-validate": "Validating | validatepodgroup.volcano.sh | /podgroups/validate | "
    "scheduling.volcano.sh/v1beta1 podgroups | CREATE",
    "volcano-admission-service-hypernodes-validate": "Validating | validatehypernodes.volcano.sh | "
    "/hypernodes/validate | topology.volcano.sh/v1alpha1 hypernodes | CREATE, UPDATE",
    "volcano-admission-service-cronjobs-validate": "Validating | validatecronjob.volcano.sh | /cronjobs/validate | "
    "batch.volcano.sh/v1alpha1 cronjobs | CREATE, UPDATE",
}
HYPERNODES = "volcano-admission-service-hypernodes-validate"


def test_names_paths_and_rules(webhooks: Objects) -> None:
    found = {}
    for it in webhooks:
        (webhook,) = it["webhooks"]
        (rule,) = webhook["rules"]
        service = webhook["clientConfig"]["service"]
        (group,), (version,), (resource,) = rule["apiGroups"], rule["apiVersions"], rule["resources"]
        kind = it["kind"].removesuffix("WebhookConfiguration")
        cells = (kind, webhook["name"], service["path"], f"{group}/{version} {resource}", ", ".join(rule["operations"]))
        found[it["metadata"]["name"]] = " | ".join(cells)
    assert found == TABLE


@pytest.mark.parametrize("name", TABLE)
def test_shared_fields(name: str, webhooks: Objects) -> None:
    objects = of_kind(webhooks, "MutatingWebhookConfiguration") | of_kind(webhooks, "ValidatingWebhookConfiguration")
    (webhook,) = objects[name]["webhooks"]
    service = webhook["clientConfig"]["service"]
    assert {key: service[key] for key in ("name", "namespace", "port")} == {
        "name": "volcano-admission-service",
        "namespace": "volcano-system",
        "port": 443,
    }
    assert webhook["failurePolicy"] == "Fail"
    assert webhook["matchPolicy"] == "Equivalent"
    assert webhook["timeoutSeconds"] == 10
    assert webhook["admissionReviewVersions"] == ["v1"]
    assert webhook["sideEffects"] == ("None" if name == HYPERNODES else "NoneOnDryRun")
    if name == HYPERNODES:
        assert not {"namespaceSelector", "objectSelector"} & webhook.keys()
    else:
        exempt = {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["volcano-system", "kube-system"],
        }
        assert webhook["namespaceSelector"] == {"matchExpressions": [exempt]}
        assert webhook["objectSelector"] == {}


def test_the_authority_is_left_to_the_admission_program(webhooks: Objects) -> None:
    assert "caBundle" not in str(webhooks)


def test_the_service_and_the_programs_paths(webhooks: Objects, controllers: Objects) -> None:
    (enabled,) = (
        arg.partition("=")[2].split(",")
        for arg in of_kind(controllers, "Deployment")["volcano-admission"]["spec"]["template"]["spec"]["containers"][0][
            "args"
        ]
        if arg.startswith("--enabled-admission=")
    )
    assert sorted(enabled) == sorted(it["webhooks"][0]["clientConfig"]["service"]["path"] for it in webhooks)
    service = webhooks[0]["webhooks"][0]["clientConfig"]["service"]
    assert service["port"] in [
        port["port"] for port in of_kind(controllers, "Service")[service["name"]]["spec"]["ports"]
    ]


def test_no_webhook_stands_in_the_way_of_pods(webhooks: Objects) -> None:
    """https://github.com/volcano-sh/volcano/issues/4044"""
    groups = {group for it in webhooks for rule in it["webhooks"][0]["rules"] for group in rule["apiGroups"]}
    assert all(group.endswith(".volcano.sh") for group in groups)
