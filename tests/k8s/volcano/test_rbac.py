"""What Volcano's programs may do, compared both ways with the rules of v1.15.1."""

from __future__ import annotations

from typing import Any

import pytest

from k8s_charts.render import Objects
from tests.k8s.volcano.conftest import of_kind

# apiGroups | resources | verbs, "" being the core group
RULES = {
    "volcano-admission": """
"" | configmaps | get, list, watch
admissionregistration.k8s.io | mutatingwebhookconfigurations, validatingwebhookconfigurations | get, list, watch, create, update
certificates.k8s.io | certificatesigningrequests | get, list, create, delete
certificates.k8s.io | certificatesigningrequests/approval | create, update
scheduling.incubator.k8s.io, scheduling.volcano.sh | queues | get, list, watch
"" | services | get
scheduling.incubator.k8s.io, scheduling.volcano.sh | podgroups | get, list, watch
""",  # noqa: E501
    "volcano-admission-init": """
"" | secrets | create, patch, get
""",
    "volcano-controllers": """
apiextensions.k8s.io | customresourcedefinitions | create, get, list, watch, delete
batch.volcano.sh | jobs | create, get, list, watch, update, delete
batch.volcano.sh | jobs/status, jobs/finalizers | update, patch
batch.volcano.sh | cronjobs | create, get, list, watch, update, delete
batch.volcano.sh | cronjobs/status, cronjobs/finalizers | update, patch
bus.volcano.sh | commands | get, list, watch, delete
"" | events | create, list, watch, update, patch
"" | pods | create, get, list, watch, delete, patch, update
"" | pods/finalizers | update, patch
"" | persistentvolumeclaims | get, list, watch, create
"" | services | get, list, watch, create, delete
"" | configmaps | get, list, watch, create, delete, update
"" | secrets | get, create, delete, update
scheduling.incubator.k8s.io, scheduling.volcano.sh | podgroups, queues, queues/status | get, list, watch, create, delete, update, patch
flow.volcano.sh | jobflows, jobtemplates | get, list, watch, create, delete, update
flow.volcano.sh | jobflows/status, jobs/finalizers, jobtemplates/status, jobtemplates/finalizers | update, patch
scheduling.k8s.io | priorityclasses | get, list, watch, create, delete
networking.k8s.io | networkpolicies | get, create, delete
apps | daemonsets | get
apps | replicasets, statefulsets | get, list, watch
batch | jobs | get
coordination.k8s.io | leases | get, create, update, watch
topology.volcano.sh | hypernodes, hypernodes/status | list, watch, get, create, delete, update, patch
"" | nodes | list, watch
shard.volcano.sh | nodeshards, nodeshards/status | list, watch, get, create, delete, update, patch
config.volcano.sh | colocationconfigurations | get, list, watch
""",  # noqa: E501
    "volcano-scheduler": """
apiextensions.k8s.io | customresourcedefinitions | create, get, list, watch, delete
batch.volcano.sh | jobs | get, list, watch, update, delete
batch.volcano.sh | jobs/status | update, patch
"" | events | create, list, watch, update, patch
"" | pods | get, list, watch, patch, delete
"" | pods/status | update
"" | pods/binding | create
"" | persistentvolumeclaims | list, watch, update
"" | persistentvolumes | list, watch, update
"" | namespaces, services, replicationcontrollers | list, watch, get
"" | resourcequotas | list, watch
"" | nodes | get, list, watch, update, patch
storage.k8s.io | storageclasses, csinodes, csidrivers, csistoragecapacities, volumeattachments | list, watch
policy | poddisruptionbudgets | list, watch
scheduling.k8s.io | priorityclasses | get, list, watch
scheduling.incubator.k8s.io, scheduling.volcano.sh | queues | get, list, watch, create, delete, update
scheduling.incubator.k8s.io, scheduling.volcano.sh | queues/status | update
scheduling.incubator.k8s.io, scheduling.volcano.sh | podgroups | list, watch, update
nodeinfo.volcano.sh | numatopologies | get, list, watch, delete
topology.volcano.sh | hypernodes, hypernodes/status | get, list, watch
"" | configmaps | get, list, watch, create, delete, update
apps | daemonsets, replicasets, statefulsets | list, watch, get
coordination.k8s.io | leases | get, create, update, watch
resource.k8s.io | resourceclaims | get, list, watch, create, update, patch
resource.k8s.io | resourceclaims/status | update
resource.k8s.io | resourceclaims/binding | update, patch
resource.k8s.io | deviceclasses, resourceslices | get, list, watch, create
resource.k8s.io | devicetaintrules | get, list, watch
shard.volcano.sh | nodeshards | list, watch, get
shard.volcano.sh | nodeshards/status | update
""",
}

DIFFERENCES: dict[tuple[str, str, str, str], str] = {}
"""(role, group, resource, verb) that only one side has, with the reason."""

Grant = tuple[str, str, str, str]


def granted(role: str, rules: list[dict[str, Any]]) -> set[Grant]:
    return {
        (role, group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def stated(role: str) -> set[Grant]:
    lines = [[cell.strip().split(", ") for cell in line.split("|")] for line in RULES[role].strip().splitlines()]
    rules = [
        {"apiGroups": ["" if group == '""' else group for group in groups], "resources": resources, "verbs": verbs}
        for groups, resources, verbs in lines
    ]
    return granted(role, rules)


def roles(objects: Objects) -> dict[str, dict[str, Any]]:
    return of_kind(objects, "ClusterRole") | of_kind(objects, "Role")


def test_every_role_is_stated(controllers: Objects) -> None:
    assert roles(controllers).keys() == RULES.keys()
    assert of_kind(controllers, "Role").keys() == {"volcano-admission-init"}


@pytest.mark.parametrize("role", RULES)
def test_rules_both_ways(role: str, controllers: Objects) -> None:
    ours = granted(role, roles(controllers)[role]["rules"])
    assert ours - stated(role) - DIFFERENCES.keys() == set()
    assert stated(role) - ours - DIFFERENCES.keys() == set()
    assert len(stated(role)) >= 3


@pytest.mark.parametrize("role", RULES)
def test_no_rule_is_wider_than_its_words(role: str, controllers: Objects) -> None:
    for rule in roles(controllers)[role]["rules"]:
        assert rule.keys() == {"apiGroups", "resources", "verbs"}
        assert "*" not in (*rule["apiGroups"], *rule["resources"], *rule["verbs"])


def test_every_account_is_bound_to_its_own_role(controllers: Objects) -> None:
    accounts = of_kind(controllers, "ServiceAccount")
    bindings = of_kind(controllers, "ClusterRoleBinding") | of_kind(controllers, "RoleBinding")
    assert {name.removesuffix("-role") for name in bindings} == accounts.keys() == roles(controllers).keys()
    for name, binding in bindings.items():
        role = name.removesuffix("-role")
        kind = roles(controllers)[role]["kind"]
        assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role}
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": role, "namespace": "volcano-system"}]
