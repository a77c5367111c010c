"""The Batch stack: compute environment, queue, job definitions, job role."""

from __future__ import annotations

from typing import Any

import pytest

from spec.names import ARTIFACTS_URI_ENV, Output
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.rules.cfn import target

TRN1 = {"instance_type": "trn1.32xlarge", "max_nodes": 4}
TEAMS: dict[str, dict[str, Any]] = {
    "plain": {"batch": TRN1},
    "shared": {"batch": TRN1 | {"shares": {"vision": 1, "language": 0.5}}},
    "small": {"batch": {"instance_type": "trn1.2xlarge", "max_nodes": 1}, "images": ["own"], "image_revision": 3},
    "pinned": {
        "batch": TRN1 | {"ami_id": "ami-0123456789abcdef0", "timeout_hours": 2, "attempts": 1},
        "storage": {"bucket": "datasets-of-the-lab", "on_delete": "delete"},
    },
    "reserved": {"batch": TRN1 | {"capacity": {"reservation": "cr-0123456789abcdef0"}, "placement_group": "lab-group"}},
}


@pytest.fixture(scope="module")
def teams(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    return synthesize_teams([make_team(name, **keys) for name, keys in TEAMS.items()], tmp_path_factory.mktemp("batch"))


def properties(synthesized: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource["Properties"] for stack, resource in synthesized.of_type(kind) if stack == "Batch"]


def compute(synthesized: Synthesized) -> dict[str, Any]:
    (environment,) = properties(synthesized, "AWS::Batch::ComputeEnvironment")
    found: dict[str, Any] = environment["ComputeResources"]
    return found


def containers(synthesized: Synthesized) -> list[dict[str, Any]]:
    definitions = properties(synthesized, "AWS::Batch::JobDefinition")
    return [item["NodeProperties"]["NodeRangeProperties"][0]["Container"] for item in definitions]


def test_the_environment_grows_to_whole_nodes(teams: dict[str, Synthesized]) -> None:
    assert (compute(teams["plain"])["MinvCpus"], compute(teams["plain"])["MaxvCpus"]) == (0, 4 * 128)
    assert (compute(teams["small"])["MinvCpus"], compute(teams["small"])["MaxvCpus"]) == (0, 8)


def test_the_image_is_the_newest_neuron_one_at_deployment(teams: dict[str, Synthesized]) -> None:
    (image,) = compute(teams["plain"])["Ec2Configuration"]
    parameter = teams["plain"].templates["Batch"]["Parameters"][image["ImageIdOverride"]["Ref"]]
    assert parameter["Default"] == "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id"
    assert image["ImageType"] == "ECS_AL2023"


def test_a_pinned_image_leaves_no_parameter(teams: dict[str, Synthesized]) -> None:
    (image,) = compute(teams["pinned"])["Ec2Configuration"]
    assert image == {"ImageType": "ECS_AL2023", "ImageIdOverride": "ami-0123456789abcdef0"}
    assert list(teams["pinned"].templates["Batch"]["Parameters"]) == ["BootstrapVersion"]


def test_an_update_leaves_running_jobs_alone(teams: dict[str, Synthesized]) -> None:
    (environment,) = properties(teams["plain"], "AWS::Batch::ComputeEnvironment")
    assert environment["UpdatePolicy"] == {"JobExecutionTimeoutMinutes": 30, "TerminateJobsOnUpdate": False}
    assert environment["ReplaceComputeEnvironment"] is False
    assert "ServiceRole" not in environment


def test_a_reservation_and_an_existing_placement_group(teams: dict[str, Synthesized]) -> None:
    (template,) = properties(teams["reserved"], "AWS::EC2::LaunchTemplate")
    data = template["LaunchTemplateData"]
    target_ = {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}}
    assert data["CapacityReservationSpecification"] == target_
    assert data["Placement"] == {"GroupName": "lab-group"}


def test_shares_make_a_policy_and_their_absence_none(teams: dict[str, Synthesized]) -> None:
    (policy,) = properties(teams["shared"], "AWS::Batch::SchedulingPolicy")
    assert policy["FairsharePolicy"]["ShareDistribution"] == [
        {"ShareIdentifier": "vision", "WeightFactor": 1},
        {"ShareIdentifier": "language", "WeightFactor": 0.5},
    ]
    assert properties(teams["plain"], "AWS::Batch::SchedulingPolicy") == []


def test_a_type_without_efa_gets_no_verbs_device_and_no_efa_variable(teams: dict[str, Synthesized]) -> None:
    (container,) = containers(teams["small"])
    assert [device["HostPath"] for device in container["LinuxParameters"]["Devices"]] == ["/dev/neuron0"]
    assert [variable["Name"] for variable in container["Environment"]] == [ARTIFACTS_URI_ENV]


def test_devices_of_both_kinds_stand_side_by_side(teams: dict[str, Synthesized]) -> None:
    for container in containers(teams["plain"]):
        paths = [device["HostPath"] for device in container["LinuxParameters"]["Devices"]]
        assert len(set(paths)) == len(paths) == 16 + 8
        assert all(device["ContainerPath"] == device["HostPath"] for device in container["LinuxParameters"]["Devices"])


def test_one_definition_per_image_at_the_team_s_tag(teams: dict[str, Synthesized]) -> None:
    small = teams["small"]
    (container,) = containers(small)
    assert target(small, "Batch", container["Image"]).endswith(":sdk2.28.0-r3")
    assert len(containers(teams["plain"])) == 3


def test_time_limit_and_attempts_are_the_team_s(teams: dict[str, Synthesized]) -> None:
    for definition in properties(teams["pinned"], "AWS::Batch::JobDefinition"):
        assert definition["Timeout"] == {"AttemptDurationSeconds": 7200}
        assert definition["RetryStrategy"]["Attempts"] == 1


def test_jobs_know_where_their_data_is(teams: dict[str, Synthesized]) -> None:
    for container in containers(teams["pinned"]):
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert variables[ARTIFACTS_URI_ENV] == "s3://datasets-of-the-lab"


def test_the_job_role_is_limited_to_an_existing_bucket_too(teams: dict[str, Synthesized]) -> None:
    pinned = teams["pinned"]
    (policy,) = properties(pinned, "AWS::IAM::Policy")
    allowed = {
        target(pinned, "Batch", resource)
        for statement in policy["PolicyDocument"]["Statement"]
        for resource in (statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]])
    }
    bucket = "arn:aws:s3:::datasets-of-the-lab"
    prefixes = ("", "/datasets/*", "/neuron-cache/*", "/checkpoints/*", "/logs/*")
    assert allowed == {f"{bucket}{prefix}" for prefix in prefixes}


def test_job_logs_follow_the_team_s_wish_on_deletion(teams: dict[str, Synthesized]) -> None:
    for name, policy in (("plain", "Retain"), ("pinned", "Delete")):
        (group,) = [item for stack, item in teams[name].of_type("AWS::Logs::LogGroup") if stack == "Batch"]
        assert group["DeletionPolicy"] == policy
        assert group["Properties"]["RetentionInDays"] == 90


def test_the_queue_waits_an_hour_for_capacity(teams: dict[str, Synthesized]) -> None:
    (queue,) = properties(teams["plain"], "AWS::Batch::JobQueue")
    assert {action["MaxTimeSeconds"] for action in queue["JobStateTimeLimitActions"]} == {3600}
    outputs = teams["plain"].templates["Batch"]["Outputs"]
    assert {Output.JOB_QUEUE_ARN, Output.COMPUTE_ENVIRONMENT_ARN, Output.JOB_LOG_GROUP_NAME} <= outputs.keys()
