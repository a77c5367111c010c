"""What Volcano's programs may do: v1.15.1's own rules, one per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdk8s_plus_27 import k8s


@dataclass(frozen=True, slots=True)
class Rule:
    """`verbs` on `resources` of `groups`, each a list of words; the core group is called core."""

    groups: str
    resources: str
    verbs: str

    def policy(self) -> k8s.PolicyRule:
        groups = ["" if group == "core" else group for group in self.groups.split()]
        return k8s.PolicyRule(api_groups=groups, resources=self.resources.split(), verbs=self.verbs.split())


SCHEDULING = "scheduling.incubator.k8s.io scheduling.volcano.sh"
READ = "get list watch"
CUSTOM_RESOURCE_DEFINITIONS = Rule("apiextensions.k8s.io", "customresourcedefinitions", "create get list watch delete")
EVENTS = Rule("core", "events", "create list watch update patch")
LEASES = Rule("coordination.k8s.io", "leases", "create get update watch")

ADMISSION: Sequence[Rule] = (
    Rule("core", "configmaps", READ),
    Rule("core", "services", "get"),
    # update: it writes the certificate authority into its own configurations.
    Rule(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        f"{READ} create update",
    ),
    Rule("certificates.k8s.io", "certificatesigningrequests", "get list create delete"),
    Rule("certificates.k8s.io", "certificatesigningrequests/approval", "create update"),
    Rule(SCHEDULING, "queues", READ),
    Rule(SCHEDULING, "podgroups", READ),
)

CERTIFICATE_JOB: Sequence[Rule] = (Rule("core", "secrets", "create patch get"),)

CONTROLLERS: Sequence[Rule] = (
    CUSTOM_RESOURCE_DEFINITIONS,
    Rule("batch.volcano.sh", "jobs cronjobs", f"{READ} create update delete"),
    Rule("batch.volcano.sh", "jobs/status jobs/finalizers cronjobs/status cronjobs/finalizers", "update patch"),
    Rule("bus.volcano.sh", "commands", f"{READ} delete"),
    EVENTS,
    Rule("core", "pods", f"{READ} create delete patch update"),
    Rule("core", "pods/finalizers", "update patch"),
    Rule("core", "persistentvolumeclaims", f"{READ} create"),
    Rule("core", "services", f"{READ} create delete"),
    Rule("core", "configmaps", f"{READ} create delete update"),
    Rule("core", "secrets", "get create delete update"),
    Rule("core", "nodes", "list watch"),
    Rule(SCHEDULING, "podgroups queues queues/status", f"{READ} create delete update patch"),
    Rule("flow.volcano.sh", "jobflows jobtemplates", f"{READ} create delete update"),
    Rule(
        "flow.volcano.sh",
        "jobflows/status jobs/finalizers jobtemplates/status jobtemplates/finalizers",
        "update patch",
    ),
    Rule("scheduling.k8s.io", "priorityclasses", f"{READ} create delete"),
    Rule("networking.k8s.io", "networkpolicies", "get create delete"),
    Rule("apps", "daemonsets", "get"),
    Rule("apps", "replicasets statefulsets", READ),
    Rule("batch", "jobs", "get"),
    LEASES,
    Rule("topology.volcano.sh", "hypernodes hypernodes/status", f"{READ} create delete update patch"),
    Rule("shard.volcano.sh", "nodeshards nodeshards/status", f"{READ} create delete update patch"),
    Rule("config.volcano.sh", "colocationconfigurations", READ),
)

SCHEDULER: Sequence[Rule] = (
    CUSTOM_RESOURCE_DEFINITIONS,
    Rule("batch.volcano.sh", "jobs", f"{READ} update delete"),
    Rule("batch.volcano.sh", "jobs/status", "update patch"),
    EVENTS,
    Rule("core", "pods", f"{READ} patch delete"),
    Rule("core", "pods/status", "update"),
    Rule("core", "pods/binding", "create"),
    Rule("core", "persistentvolumeclaims persistentvolumes", "list watch update"),
    Rule("core", "namespaces services replicationcontrollers", READ),
    Rule("core", "resourcequotas", "list watch"),
    Rule("core", "nodes", f"{READ} update patch"),
    Rule("core", "configmaps", f"{READ} create delete update"),
    Rule(
        "storage.k8s.io",
        "storageclasses csinodes csidrivers csistoragecapacities volumeattachments",
        "list watch",
    ),
    Rule("policy", "poddisruptionbudgets", "list watch"),
    Rule("scheduling.k8s.io", "priorityclasses", READ),
    Rule(SCHEDULING, "queues", f"{READ} create delete update"),
    Rule(SCHEDULING, "queues/status", "update"),
    Rule(SCHEDULING, "podgroups", "list watch update"),
    Rule("nodeinfo.volcano.sh", "numatopologies", f"{READ} delete"),
    Rule("topology.volcano.sh", "hypernodes hypernodes/status", READ),
    Rule("apps", "daemonsets replicasets statefulsets", READ),
    LEASES,
    Rule("resource.k8s.io", "resourceclaims", f"{READ} create update patch"),
    Rule("resource.k8s.io", "resourceclaims/status", "update"),
    Rule("resource.k8s.io", "resourceclaims/binding", "update patch"),
    Rule("resource.k8s.io", "deviceclasses resourceslices", f"{READ} create"),
    Rule("resource.k8s.io", "devicetaintrules", READ),
    Rule("shard.volcano.sh", "nodeshards", READ),
    Rule("shard.volcano.sh", "nodeshards/status", "update"),
)
