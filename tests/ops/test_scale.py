"""`trn scale`: what is refused, what is asked, what is sent, and waiting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError

from ops.errors import OpsError, RefusedError
from ops.nodes import scale_wait
from ops.nodes.scale import Group, after_deploy, find_group, refuse, request
from ops.nodes.scale_wait import PATIENCE_SECONDS, PAUSE_SECONDS, State, issues, read, wait
from spec.names import Output, StackName, node_group_name_output
from spec.team import Team
from tests.ops.accounts import BATCH, GROUP, StubbedAccount, TeamMaker, Trn, eks, expired

SIZE = {"minSize": 1, "desiredSize": 2, "maxSize": 4}
NAMES = {"clusterName": "cluster", "nodegroupName": "trn1-abc"}
UPDATE = {"name": "cluster", "nodegroupName": "trn1-abc", "updateId": "u-1"}


@pytest.fixture
def team(team_of: TeamMaker) -> Team:
    return team_of(eks=eks(GROUP | {"min": 1, "desired": 2, "max": 4}))


def group(team: Team, **changes: Any) -> Group:
    assert team.eks is not None
    values: dict[str, Any] = {"minimum": 1, "desired": 2, "maximum": 4, "status": "ACTIVE"} | changes
    return Group(team, team.eks.node_groups[0], 0, "cluster", "trn1-abc", **values)


def is_deployed(stubbed: StubbedAccount, team: Team, **changes: Any) -> None:
    stubbed.deployed(team, StackName.CLUSTER, **{Output.CLUSTER_NAME: "cluster"})
    stubbed.deployed(team, StackName.NODES, **{node_group_name_output("trn1"): "trn1-abc"})
    stubbed.answer(
        "eks", "describe_nodegroup", {"nodegroup": {"scalingConfig": SIZE, "status": "ACTIVE"} | changes}, **NAMES
    )


def is_asked_for(stubbed: StubbedAccount, nodes: int) -> None:
    stubbed.answer(
        "eks",
        "update_nodegroup_config",
        {"update": {"id": "u-1", "status": "InProgress"}},
        scalingConfig={"desiredSize": nodes},
        **NAMES,
    )


def has_got_to(
    stubbed: StubbedAccount, ready: int, *, update: str = "Successful", status: str = "ACTIVE", issue: str = ""
) -> None:
    found = [{"code": "AsgInstanceLaunchFailures", "message": issue}] if issue else []
    stubbed.answer("eks", "describe_update", {"update": {"id": "u-1", "status": update}}, **UPDATE)
    stubbed.answer(
        "eks",
        "describe_nodegroup",
        {
            "nodegroup": {
                "status": status,
                "resources": {"autoScalingGroups": [{"name": "asg"}]},
                "health": {"issues": found},
            }
        },
        **NAMES,
    )
    instances = [_instance(number, "InService") for number in range(ready)] + [_instance(99, "Pending")]
    asg = {
        "AutoScalingGroupName": "asg",
        "MinSize": 0,
        "MaxSize": 9,
        "DesiredCapacity": 3,
        "DefaultCooldown": 0,
        "AvailabilityZones": ["us-west-2d"],
        "HealthCheckType": "EC2",
        "CreatedTime": "2026-11-30T00:00:00Z",
        "Instances": instances,
    }
    stubbed.answer(
        "autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroups": [asg]}, AutoScalingGroupNames=["asg"]
    )


def _instance(number: int, state: str) -> dict[str, Any]:
    return {
        "InstanceId": f"i-{number}",
        "AvailabilityZone": "us-west-2d",
        "LifecycleState": state,
        "HealthStatus": "Healthy",
        "ProtectedFromScaleIn": False,
    }


@pytest.fixture
def ours(stubbed: StubbedAccount, monkeypatch: pytest.MonkeyPatch) -> StubbedAccount:
    monkeypatch.setattr("ops.commands.opened.account_of", lambda _team: stubbed.account)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    return stubbed


# Refusals


def test_an_unknown_group(command: Trn, ours: StubbedAccount, team: Team) -> None:
    code, out, err = command("scale", team.path, "trn", "3")
    assert (code, out) == (2, "")
    assert err == f"trn: {team.path}: node group: got trn, expected one of trn1; did you mean trn1?\n"


def test_a_team_without_a_cluster(command: Trn, ours: StubbedAccount, team_of: TeamMaker) -> None:
    code, _, err = command("scale", team_of(batch=BATCH).path, "trn1", "3")
    assert code == 2
    assert "this command works on a cluster" in err


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ("5", "got 5 nodes, expected at most 4, the deployed max; change eks.node_groups.0.max in"),
        ("0", "got 0 nodes, expected at least 1, the deployed min; change eks.node_groups.0.min in"),
    ],
)
def test_outside_the_deployed_sizes(nodes: str, text: str, command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    code, _, err = command("scale", team.path, "trn1", nodes, "--yes")
    assert code == 2
    assert text in err
    assert err.endswith("and deploy bert/Nodes\n")


def test_a_negative_number(command: Trn, team: Team) -> None:
    assert command("scale", team.path, "trn1", "--", "-1")[0] == 2


def test_the_limits_themselves_are_fine(team: Team) -> None:
    refuse(group(team), 1)
    refuse(group(team), 4)
    refuse(group(team, status="DEGRADED"), 3)
    with pytest.raises(RefusedError):
        refuse(group(team), 5)


def test_a_group_that_is_being_changed(team: Team) -> None:
    with pytest.raises(OpsError, match=r"is UPDATING, expected ACTIVE or DEGRADED; wait .* aws eks describe-nodegroup"):
        refuse(group(team, status="UPDATING"), 3)


def test_a_group_that_is_not_deployed(stubbed: StubbedAccount, team: Team) -> None:
    stubbed.deployed(team, StackName.CLUSTER, **{Output.CLUSTER_NAME: "cluster"})
    stubbed.deployed(team, StackName.NODES)
    with pytest.raises(OpsError, match=r"node group trn1: not deployed; run .*'bert/Nodes'"):
        find_group(stubbed.account, team, "trn1")


# What is sent


def test_up_without_waiting(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    is_asked_for(ours, 3)
    code, out, err = command("scale", team.path, "trn1", "3", "--no-wait")
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "node group trn1: 2 -> 3 nodes",
        f"{team.path} says desired: 2; the next deployment that changes this group sets it back. "
        "To keep 3: eks.node_groups.0.desired: 3",
        "aws eks describe-nodegroup --region us-west-2 --cluster-name cluster --nodegroup-name trn1-abc",
    ]


def test_the_same_size_sends_nothing(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    assert command("scale", team.path, "trn1", "2")[0] == 0


def test_down_without_a_yes_sends_nothing(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    code, _, err = command("scale", team.path, "trn1", "1")
    assert code == 2
    assert "nothing was changed" in err


def test_down_asks_with_how_many_go(
    command: Trn, ours: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def agree(question: str, *, yes: bool) -> bool:
        asked.append(question)
        return not yes

    monkeypatch.setattr("ops.console.confirm", agree)
    is_deployed(ours, team)
    is_asked_for(ours, 1)
    assert command("scale", team.path, "trn1", "1", "--no-wait")[0] == 0
    assert asked == ["node group trn1: 1 of 2 nodes go, and the jobs on them die. Go on?"]


def test_down_with_yes(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    is_asked_for(ours, 1)
    has_got_to(ours, 1)
    code, _, err = command("scale", team.path, "trn1", "1", "--yes")
    assert code == 0
    assert err.splitlines()[-1] == "node group trn1: 1 nodes in service"


def test_a_size_of_the_team_file_needs_no_note(team: Team) -> None:
    assert after_deploy(group(team, desired=4), 2) is None


def test_denied(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    ours.fail("eks", "update_nodegroup_config", "AccessDeniedException", scalingConfig={"desiredSize": 3}, **NAMES)
    code, _, err = command("scale", team.path, "trn1", "3")
    assert code == 1
    assert err.startswith("trn: not allowed: UpdateNodegroupConfig: ")


# Waiting


def run_wait(stubbed: StubbedAccount, team: Team, nodes: int) -> tuple[list[str], list[float]]:
    told: list[str] = []
    slept: list[float] = []
    wait(stubbed.account, group(team), "u-1", nodes, tell=told.append, sleep=slept.append)
    return told, slept


def test_waits_for_the_update_and_the_nodes(stubbed: StubbedAccount, team: Team) -> None:
    has_got_to(stubbed, 2, update="InProgress", status="UPDATING")
    has_got_to(stubbed, 2)
    has_got_to(stubbed, 3)
    assert run_wait(stubbed, team, 3) == ([], [PAUSE_SECONDS, PAUSE_SECONDS])


def test_missing_capacity_is_told_once(stubbed: StubbedAccount, team: Team) -> None:
    for _ in range(2):
        has_got_to(stubbed, 2, status="DEGRADED", issue="We currently do not have sufficient trn1.32xlarge capacity")
    has_got_to(stubbed, 3)
    told, _ = run_wait(stubbed, team, 3)
    assert told == [
        "node group trn1: AsgInstanceLaunchFailures: We currently do not have sufficient trn1.32xlarge capacity"
    ]


def test_an_update_that_fails(stubbed: StubbedAccount, team: Team) -> None:
    errors = [{"errorCode": "AccessDenied", "errorMessage": "the role may not"}]
    stubbed.answer("eks", "describe_update", {"update": {"status": "Failed", "errors": errors}}, **UPDATE)
    with pytest.raises(OpsError, match=r"did not change its size \(Failed\): the role may not"):
        read(stubbed.account, group(team), "u-1")


def states(monkeypatch: pytest.MonkeyPatch, found: Iterable[State]) -> None:
    following = iter(found)
    monkeypatch.setattr(scale_wait, "read", lambda *_: next(following))


def test_patience_ends(stubbed: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale_wait, "PATIENCE_SECONDS", 0)
    states(monkeypatch, [State("Successful", "DEGRADED", 2, ())])
    with pytest.raises(OpsError, match=r"2 of 3 nodes after 0 minutes, status DEGRADED; the scaling goes on"):
        run_wait(stubbed, team, 3)
    assert PATIENCE_SECONDS == 3600


@pytest.mark.parametrize(
    ("error", "expected"), [(KeyboardInterrupt(), 130), (expired("DescribeNodegroup"), 1), (NoCredentialsError(), 1)]
)
def test_what_ends_the_waiting_does_not_end_the_scaling(
    error: BaseException,
    expected: int,
    *,
    command: Trn,
    ours: StubbedAccount,
    team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> State:
        raise error

    is_deployed(ours, team)
    is_asked_for(ours, 3)
    monkeypatch.setattr(scale_wait, "read", interrupted)
    code, _, err = command("scale", team.path, "trn1", "3")
    assert code == expected
    assert (
        "the scaling to 3 nodes goes on without this command. aws eks describe-nodegroup --region us-west-2 "
        "--cluster-name cluster --nodegroup-name trn1-abc\n"
    ) in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("state", "done"),
    [
        (State("Successful", "ACTIVE", 3, ()), True),
        (State("Successful", "DEGRADED", 3, ()), True),
        (State("InProgress", "ACTIVE", 3, ()), False),
        (State("Successful", "UPDATING", 3, ()), False),
        (State("Successful", "ACTIVE", 2, ()), False),
        (State("Successful", "ACTIVE", 4, ()), False),
    ],
)
def test_done(state: State, done: bool) -> None:
    assert state.done(3) == done


def test_a_healthy_group_has_no_issues() -> None:
    assert list(issues({})) == []


def test_the_request_is_the_desired_size_alone(stubbed: StubbedAccount, team: Team) -> None:
    is_asked_for(stubbed, 3)
    assert request(stubbed.account, group(team), 3) == "u-1"


def test_ctrl_c_at_the_question_changes_nothing(
    command: Trn, ours: StubbedAccount, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    is_deployed(ours, team)
    monkeypatch.setattr("ops.console.confirm", interrupted)
    code, out, err = command("scale", team.path, "trn1", "1")
    assert (code, out, err) == (130, "", "trn: interrupted\n")


def test_a_role_that_may_not_scale(command: Trn, ours: StubbedAccount, team: Team) -> None:
    is_deployed(ours, team)
    ours.fail("eks", "update_nodegroup_config", "AccessDeniedException", scalingConfig={"desiredSize": 3}, **NAMES)
    code, out, err = command("scale", team.path, "trn1", "3")
    assert (code, out) == (1, "")
    assert err.startswith("trn: not allowed: UpdateNodegroupConfig: ")


def test_a_cluster_stack_without_outputs(command: Trn, ours: StubbedAccount, team: Team) -> None:
    ours.deployed(team, StackName.CLUSTER)
    code, _, err = command("scale", team.path, "trn1", "3")
    assert code == 1
    assert err == (
        "trn: stack bert-Cluster: is CREATE_COMPLETE and has no output ClusterName; run "
        "`.venv/bin/cdk deploy 'bert/*'` first\n"
    )
