"""Volcano's custom resource definitions, against the facts read from v1.15.1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from k8s_charts.render import Objects
from tests.k8s.structural import breaches, fields
from tests.k8s.volcano.conftest import of_kind

STATUS: dict[str, Any] = {"status": {}}
PARTITION = {"partitionPolicy.minPartitions": 0, "partitionPolicy.networkTopology.mode": "hard"}
JOB = {"maxRetry": 3, "networkTopology.mode": "hard", "queue": "default"} | {
    f"tasks[].{path}": value for path, value in PARTITION.items()
}


def under(prefix: str, defaults: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}.{path}": value for path, value in defaults.items()}


# name: scope, kind, short names, version, subresources, columns as NAME=path(type,priority), defaults, required
FACETS: dict[str, tuple[str, str, str, str, Any, list[str], dict[str, Any], list[str]]] = {
    "jobs.batch.volcano.sh": (
        *("Namespaced", "Job", "vcjob,vj", "v1alpha1", STATUS),
        [
            "STATUS=.status.state.phase(string)",
            "minAvailable=.status.minAvailable(integer)",
            "RUNNINGS=.status.running(integer)",
            "AGE=.metadata.creationTimestamp(date)",
            "QUEUE=.spec.queue(string,p1)",
        ],
        under("spec", JOB),
        [],
    ),
    "cronjobs.batch.volcano.sh": (
        *("Namespaced", "CronJob", "cronvcjob,cronvj", "v1alpha1", STATUS, []),
        under(
            "spec",
            {
                "concurrencyPolicy": "Allow",
                "failedJobsHistoryLimit": 1,
                "successfulJobsHistoryLimit": 3,
                "suspend": False,
            }
            | under("jobTemplate.spec", JOB),
        ),
        [],
    ),
    "commands.bus.volcano.sh": ("Namespaced", "Command", "", "v1alpha1", None, [], {}, []),
    "podgroups.scheduling.volcano.sh": (
        *("Namespaced", "PodGroup", "pg,podgroup-v1beta1", "v1beta1", {}),
        [
            "STATUS=.status.phase(string)",
            "minMember=.spec.minMember(integer)",
            "RUNNINGS=.status.running(integer)",
            "AGE=.metadata.creationTimestamp(date)",
            "QUEUE=.spec.queue(string,p1)",
        ],
        {
            "spec.networkTopology.mode": "hard",
            "spec.queue": "default",
            "spec.subGroupPolicy[].minSubGroups": 0,
            "spec.subGroupPolicy[].networkTopology.mode": "hard",
            "spec.subGroupPolicy[].subGroupSize": 1,
        },
        [],
    ),
    "queues.scheduling.volcano.sh": (
        *("Cluster", "Queue", "q,queue-v1beta1", "v1beta1", STATUS),
        ["PARENT=.spec.parent(string)"],
        {"spec.dequeueStrategy": "traverse", "spec.weight": 1},
        [],
    ),
    "numatopologies.nodeinfo.volcano.sh": ("Cluster", "Numatopology", "numatopo", "v1alpha1", None, [], {}, []),
    "hypernodes.topology.volcano.sh": (
        *("Cluster", "HyperNode", "hn", "v1alpha1", STATUS),
        [
            "Tier=.spec.tier(string)",
            "TierName=.spec.tierName(string)",
            "NodeCount=.status.nodeCount(integer)",
            "Age=.metadata.creationTimestamp(date)",
        ],
        {},
        [],
    ),
    "nodeshards.shard.volcano.sh": (
        *("Cluster", "NodeShard", "nsh", "v1alpha1", STATUS),
        ["AGE=.metadata.creationTimestamp(date)"],
        {},
        ["spec"],
    ),
    "colocationconfigurations.config.volcano.sh": (
        *("Namespaced", "ColocationConfiguration", "", "v1alpha1", STATUS, []),
        {"spec.memoryQos.highRatio": 100, "spec.memoryQos.lowRatio": 0, "spec.memoryQos.minRatio": 0},
        ["spec"],
    ),
    "jobtemplates.flow.volcano.sh": (
        *("Namespaced", "JobTemplate", "jt", "v1alpha1", STATUS, []),
        under("spec", JOB),
        [],
    ),
    "jobflows.flow.volcano.sh": (
        *("Namespaced", "JobFlow", "jf", "v1alpha1", STATUS),
        ["Status=.status.state.phase(string)", "Age=.metadata.creationTimestamp(date)"],
        under("spec.flows[].patch.jobSpec", JOB),
        [],
    ),
}


def column(it: dict[str, Any]) -> str:
    kind = f"{it['type']},p{it['priority']}" if it.get("priority") else it["type"]
    return f"{it['name']}={it['jsonPath']}({kind})"


def schema(it: dict[str, Any]) -> dict[str, Any]:
    (version,) = it["spec"]["versions"]
    return dict(version["schema"]["openAPIV3Schema"])


def test_all_eleven_kinds(crds: Objects) -> None:
    assert of_kind(crds, "CustomResourceDefinition").keys() == FACETS.keys()


@pytest.mark.parametrize("name", FACETS)
def test_facets(name: str, crds: Objects) -> None:
    it = of_kind(crds, "CustomResourceDefinition")[name]
    spec, names = it["spec"], it["spec"]["names"]
    (version,) = spec["versions"]
    plural, _, group = name.partition(".")
    kind = names["kind"]
    assert spec["group"] == group
    assert (names["plural"], names["singular"], names["listKind"]) == (plural, kind.lower(), f"{kind}List")
    assert version["served"] is version["storage"] is True
    assert "conversion" not in spec  # none, by default
    found = (
        spec["scope"],
        kind,
        ",".join(names.get("shortNames", ())),
        version["name"],
        version.get("subresources"),
        [column(each) for each in version.get("additionalPrinterColumns", ())],
        {path: field["default"] for path, field in fields(schema(it)) if "default" in field},
        schema(it).get("required", []),
    )
    assert found == FACETS[name]


@pytest.mark.parametrize("name", FACETS)
def test_size(name: str, crds: Objects) -> None:
    it = of_kind(crds, "CustomResourceDefinition")[name]
    assert len(json.dumps(it)) < 3_000


@pytest.mark.parametrize("name", FACETS)
def test_schema_is_structural(name: str, crds: Objects) -> None:
    assert breaches(schema(of_kind(crds, "CustomResourceDefinition")[name])) == []


@pytest.mark.parametrize("name", FACETS)
def test_nothing_that_volcano_writes_is_pruned(name: str, crds: Objects) -> None:
    for path, field in fields(schema(of_kind(crds, "CustomResourceDefinition")[name])):
        if path and field.get("type") == "object" and "additionalProperties" not in field:
            assert field["x-kubernetes-preserve-unknown-fields"] is True, path


def test_podgroup_has_no_status_subresource(crds: Objects) -> None:
    (version,) = of_kind(crds, "CustomResourceDefinition")["podgroups.scheduling.volcano.sh"]["spec"]["versions"]
    assert version["subresources"] == {}


def test_a_member_of_a_hypernode_is_chosen_by_exactly_one_means(crds: Objects) -> None:
    it = of_kind(crds, "CustomResourceDefinition")["hypernodes.topology.volcano.sh"]
    selector = dict(fields(schema(it)))["spec.members[].selector"]
    rules = [rule["rule"] for rule in selector["x-kubernetes-validations"]]
    assert all(rule["message"] for rule in selector["x-kubernetes-validations"])
    means = ("exactMatch", "regexMatch", "labelMatch")
    for given in range(8):
        chosen = {name: bool(given >> bit & 1) for bit, name in enumerate(means)}
        assert all(holds(rule, chosen) for rule in rules) == (sum(chosen.values()) == 1), chosen


def holds(rule: str, chosen: dict[str, bool]) -> bool:
    """What a CEL rule of has(), &&, || and ! says."""
    for name, there in chosen.items():
        rule = rule.replace(f"has(self.{name})", str(there))
    result = eval(rule.replace("&&", " and ").replace("||", " or ").replace("!", " not "))
    assert isinstance(result, bool)
    return result


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ({"type": "array", "items": {"type": "string"}}, "root: must be an object"),
        ({"type": "object"}, "every field is pruned"),
        ({"type": "object", "properties": {"a": {}}}, "a: no type"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "a list without items"),
        ({"type": "object", "properties": {"a": {"type": "integer", "default": "1"}}}, "a: default: '1' is not"),
        ({"type": "object", "properties": {"a": {"type": "integer", "defualt": 1}}}, "unknown words"),
        ({"type": "object", "properties": {}, "required": ["a"]}, "required ['a'] not declared"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "root: open"),
        ({"type": "object", "properties": {"kind": {"type": "string"}}}, "are the API server's"),
        (
            {"type": "object", "properties": {"a": {"type": "string", "x-kubernetes-int-or-string": True}}},
            "int-or-string with a type",
        ),
        (
            {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
            "exclude each other",
        ),
        (
            {"type": "object", "properties": {}, "x-kubernetes-validations": [{"rule": "has(self.a)"}]},
            "a rule about a field",
        ),
    ],
)
def test_the_checker_sees_a_mistake(mistake: dict[str, Any], said: str) -> None:
    assert any(said in text for text in breaches(mistake)), breaches(mistake)
