"""The policy that keeps a job in the queue of its namespace: what it looks at, what it refuses, with which words."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from k8s_charts.render import render
from k8s_charts.volcano import VolcanoCrds
from tests.k8s.catalogue import CHARTS, objects, only
from tests.k8s.cel import MissingFieldError, evaluate
from tests.k8s.volcano.test_custom_resources import JOB

NAME = "queue-admission"
QUEUE = "research"
assert JOB["metadata"]["namespace"] == JOB["spec"]["queue"] == QUEUE

TASK = ("spec", "tasks", 0)
POD = (*TASK, "template", "spec")


def policy() -> dict[str, Any]:
    spec: dict[str, Any] = only(NAME, "ValidatingAdmissionPolicy")["spec"]
    return spec


class Null:
    """A null that somebody wrote; None stands for a field that is not there."""

    def __str__(self) -> str:
        return "null"


NULL = Null()


def with_field(job: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """A copy with one field set, to null if `value` is NULL, or removed if it is None."""
    copy = deepcopy(job)
    holder: Any = copy
    for step in path[:-1]:
        holder = holder[step]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = None if value is NULL else value
    return copy


def refusals(new: dict[str, Any], *, old: dict[str, Any] | None = None) -> list[str]:
    """What a write of a job is told; empty if it is admitted."""
    names: dict[str, Any] = {
        "object": new,
        "oldObject": old,
        "request": {"operation": "UPDATE" if old else "CREATE", "namespace": QUEUE},
        "variables": {},
    }
    if not all(evaluate(condition["expression"], names) for condition in policy()["matchConditions"]):
        return []
    for variable in policy()["variables"]:
        names["variables"] |= {variable["name"]: evaluate(variable["expression"], names)}
    return [
        evaluate(rule["messageExpression"], names)
        for rule in policy()["validations"]
        if evaluate(rule["expression"], names) is not True
    ]


def test_it_binds_whoever_writes_a_job_in_a_queue_s_namespace() -> None:
    constraints = policy()["matchConstraints"]
    (rule,) = constraints["resourceRules"]
    definitions = {it["spec"]["group"]: it for it in render(VolcanoCrds) if it["metadata"]["name"].startswith("jobs.")}
    assert rule["apiGroups"] == [*definitions]
    assert rule["apiVersions"] == [version["name"] for it in definitions.values() for version in it["spec"]["versions"]]
    assert (rule["operations"], rule["resources"]) == (["CREATE", "UPDATE"], ["jobs"])
    assert policy()["failurePolicy"] == "Fail"
    binding = only(NAME, "ValidatingAdmissionPolicyBinding")["spec"]
    assert binding == {
        "policyName": only(NAME, "ValidatingAdmissionPolicy")["metadata"]["name"],
        "validationActions": ["Deny"],
    }


def test_it_selects_the_namespaces_of_queues_and_no_other() -> None:
    selector = policy()["matchConstraints"]["namespaceSelector"]
    assert list(selector) == ["matchLabels"]
    namespaces = [it for name in CHARTS for it in objects(name) if it["kind"] == "Namespace"]
    namespaces += [it for it in render(VolcanoCrds) if it["kind"] == "Namespace"]
    selected = [
        it["metadata"]["name"]
        for it in namespaces
        if selector["matchLabels"].items() <= it["metadata"]["labels"].items()
    ]
    assert selected == ["a", "a-queue-with-the-longest-name-32"]
    assert len(namespaces) > len(selected)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "schedulerName"), "volcano"),
        (("spec", "schedulerName"), None),
        ((*POD, "schedulerName"), "volcano"),
        ((*POD, "nodeSelector"), {"trn-training/node-group": "trn1"}),
        (POD, None),
        ((*TASK, "template"), None),
        (("spec", "tasks"), None),
        (("spec", "tasks"), []),
        # What templating tools leave where nobody chose anything.
        ((*POD, "schedulerName"), ""),
        ((*POD, "nodeName"), ""),
        ((*POD, "nodeName"), NULL),
    ],
    ids=str,
)
def test_a_job_of_the_queue_is_admitted(path: tuple[str | int, ...], value: Any) -> None:
    assert refusals(with_field(JOB, path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ("spec", "queue"),
            "vision",
            "spec.queue: got vision, expected research, the queue of this namespace "
            "(a job that names none gets default)",
        ),
        (("spec", "queue"), "default", "spec.queue: got default, expected research"),
        (("spec", "queue"), "", "spec.queue: got , expected research"),
        (("spec", "queue"), None, "spec.queue: got default, expected research"),
        (
            ("spec", "schedulerName"),
            "default-scheduler",
            "spec.schedulerName: got default-scheduler, expected volcano or none: another scheduler knows no queues",
        ),
        (
            (*POD, "schedulerName"),
            "default-scheduler",
            "spec.tasks[].template.spec.schedulerName: got default-scheduler, expected volcano or none: "
            "another scheduler knows no queues",
        ),
        (
            (*POD, "nodeName"),
            "ip-10-40-0-1.ec2.internal",
            "spec.tasks[].template.spec.nodeName: got ip-10-40-0-1.ec2.internal, expected none: "
            "a pod that names its node evades its queue; write a nodeSelector",
        ),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_a_job_that_evades_its_queue_is_told_how_not_to(path: tuple[str | int, ...], value: Any, said: str) -> None:
    (message,) = refusals(with_field(JOB, path, value))
    assert message.startswith(said)


def test_any_task_may_be_the_one_that_evades() -> None:
    for index in range(len(JOB["spec"]["tasks"])):
        path = ("spec", "tasks", index, "template", "spec", "schedulerName")
        assert len(refusals(with_field(JOB, path, "default-scheduler"))) == 1


def test_a_job_without_a_spec_is_refused() -> None:
    assert len(refusals(with_field(JOB, ("spec",), None))) == 1


def test_a_job_cannot_leave_the_queue_later() -> None:
    assert len(refusals(with_field(JOB, ("spec", "queue"), "vision"), old=JOB)) == 1
    assert refusals(with_field(JOB, ("spec", "minAvailable"), 1), old=JOB) == []


def test_a_job_from_before_the_policy_can_be_labelled_and_deleted() -> None:
    """Removing a finalizer is an update: refused, it would keep the job for ever."""
    old = with_field(JOB, ("spec", "queue"), "default")
    assert refusals(with_field(old, ("metadata", "finalizers"), []), old=old) == []
    assert len(refusals(with_field(old, ("spec", "minAvailable"), 1), old=old)) == 1


def test_messages_are_one_line() -> None:
    rules = policy()["validations"]
    assert len(rules) == 4
    assert not [rule for rule in rules if "\n" in rule["messageExpression"] or len(rule["messageExpression"]) > 300]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("has(a.b) && a.b == 'x'", True),
        ("!has(a.c) || a.c == 'y'", True),
        ("has(a.c) ? a.c : 'none'", "none"),
        ("dyn(a.items).filter(i, has(i.n)).map(i, i.n)", [1, 2]),
        ("a.items.filter(i, has(i.n) && i.n != 1).map(i, i.n) == [2]", True),
        ("'!x && y: ' + a.b + string(a.items[0].n)", "!x && y: x1"),
        ("a.b != 'y' && !(a.b == 'y')", True),
    ],
)
def test_expressions_are_understood(expression: str, value: Any) -> None:
    assert evaluate(expression, {"a": {"b": "x", "items": [{"n": 1}, {"n": 2}, {}]}}) == value


def test_a_field_that_is_not_there_is_not_guessed() -> None:
    for expression in ("a.c == 'x'", "has(a.c.d)", "a.b == 'y' || a.c == 'x'"):
        with pytest.raises(MissingFieldError):
            evaluate(expression, {"a": {"b": "x"}})
