"""Rules about AWS Batch: compute environment, job queue, job definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spec.team import Batch
from tests.conftest import Synthesized
from tests.rules.cfn import count, find, resources, target
from tests.rules.training import COMPUTE_ENVIRONMENT, Launch, of_every_launch

JOB_QUEUE = "AWS::Batch::JobQueue"
IMAGE_TYPES = ("ECS_AL2023",)
"""Of the four types that Batch knows the one for x86-64 without NVIDIA that may still be created.
https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html"""
STRATEGIES = ("BEST_FIT_PROGRESSIVE", "BEST_FIT_PROGRESSIVE_ORDERED")
NEURON_AMI_PATH = "amazon-linux-2023/neuron"
STUCK_REASONS = {
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
}
SHARE_ID = re.compile(r"[A-Za-z0-9]{1,255}\*?")


def _environment(launch: Launch) -> dict[str, Any]:
    resources_: dict[str, Any] = launch.user.properties["ComputeResources"]
    return resources_


@of_every_launch
def environment_runs_multi_node_jobs(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Managed EC2 capacity; multi-node jobs run neither on SPOT nor on unmanaged or Fargate capacity."""
    if launch.in_eks:
        return
    kinds = (launch.user.properties.get("Type"), _environment(launch).get("Type"))
    if kinds != ("MANAGED", "EC2"):
        yield f"types {kinds}, expected MANAGED and EC2"
    if launch.user.properties.get("State", "ENABLED") != "ENABLED":
        yield "not enabled"


@of_every_launch
def environment_names_no_groups(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Batch refuses groups of its own beside the launch template's interfaces, and an empty list counts."""
    if not launch.in_eks and "SecurityGroupIds" in _environment(launch):
        yield "SecurityGroupIds of the compute environment beside the launch template's interfaces"


@of_every_launch
def environment_can_be_updated(_: Synthesized, launch: Launch) -> Iterator[str]:
    """Updates happen in place: no BEST_FIT, no role of its own, no replacement, an update policy.

    Without a role of its own it can also be deleted in any order.
    """
    if launch.in_eks:
        return
    strategy = _environment(launch).get("AllocationStrategy")
    if strategy not in STRATEGIES:
        yield f"allocation strategy {strategy}, expected one of {', '.join(STRATEGIES)}"
    if launch.user.properties.get("ReplaceComputeEnvironment") is not False:
        yield "updates replace the compute environment"
    if "ServiceRole" in launch.user.properties:
        yield "a service role of its own"
    if launch.user.properties.get("UpdatePolicy", {}).get("TerminateJobsOnUpdate") is not False:
        yield "updates end running jobs"


@of_every_launch
def environment_scales_from_zero_to_max_nodes(_: Synthesized, launch: Launch) -> Iterator[str]:
    """From nothing to whole nodes, as many as the team asks for; the number at a time is Batch's own."""
    if not isinstance(launch.part, Batch):
        return
    given = _environment(launch)
    expected = launch.part.max_nodes * launch.hardware.vcpus
    if (given.get("MinvCpus"), given.get("MaxvCpus")) != (0, expected):
        yield f"vCPUs from {given.get('MinvCpus')} to {given.get('MaxvCpus')}, expected from 0 to {expected}"
    if "DesiredvCpus" in given:
        yield "DesiredvCpus, which an update cannot lower"


@of_every_launch
def environment_runs_the_neuron_image(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """A type that Batch knows, and as its image the Neuron AMI by public parameter, or the team's pinned one."""
    if not isinstance(launch.part, Batch):
        return
    images = _environment(launch).get("Ec2Configuration", [])
    if len(images) != 1:
        yield f"{len(images)} image configurations, expected 1"
    for image in images:
        if image.get("ImageType") not in IMAGE_TYPES:
            yield f"image type {image.get('ImageType')}, expected one of {', '.join(IMAGE_TYPES)}"
        override = image.get("ImageIdOverride")
        if launch.part.ami_id is not None:
            if override != launch.part.ami_id:
                yield f"image {override}, expected {launch.part.ami_id}"
            continue
        name = override.get("Ref") if isinstance(override, dict) else None
        parameter = synthesized.templates[launch.user.stack].get("Parameters", {}).get(name, {})
        if (
            parameter.get("Type") != "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>"
            or NEURON_AMI_PATH not in parameter["Default"]
        ):
            yield f"image {override} from {parameter}, expected a parameter below {NEURON_AMI_PATH}"
    if "ImageId" in _environment(launch):
        yield "ImageId, which is deprecated"


def queue_gives_up_on_stuck_jobs(synthesized: Synthesized) -> list[str]:
    """One queue on the compute environment by reference, which cancels a job that can never start."""
    queues = resources(synthesized, JOB_QUEUE)
    batch = synthesized.team.batch
    found = count("job queues", len(queues), int(batch is not None))
    for queue in queues:
        order = queue.properties.get("ComputeEnvironmentOrder", [])
        environments = [find(synthesized, queue.stack, item["ComputeEnvironment"]) for item in order]
        if [item.kind for item in environments if item] != [COMPUTE_ENVIRONMENT]:
            found.append(f"{queue.name}: compute environments {order}, expected one by reference")
        actions = queue.properties.get("JobStateTimeLimitActions", [])
        if {item["Reason"] for item in actions} != STUCK_REASONS:
            found.append(f"{queue.name}: gives up for {[item['Reason'] for item in actions]}")
        for item in actions:
            if (item["State"], item["Action"]) != ("RUNNABLE", "CANCEL") or not 600 <= item["MaxTimeSeconds"] <= 86400:
                found.append(f"{queue.name}: {item}")
            if batch and item["MaxTimeSeconds"] != batch.max_runnable_minutes * 60:
                found.append(f"{queue.name}: waits {item['MaxTimeSeconds']} s")
    return found


def queue_shares_what_the_team_says(synthesized: Synthesized) -> list[str]:
    """A fair-share policy with the team's identifiers and weights if it has any; else first in, first out."""
    shares = dict(synthesized.team.batch.shares) if synthesized.team.batch else {}
    policies = resources(synthesized, "AWS::Batch::SchedulingPolicy")
    queues = resources(synthesized, JOB_QUEUE)
    found = count("scheduling policies", len(policies), int(bool(shares)))
    used = [
        target(synthesized, queue.stack, queue.properties["SchedulingPolicyArn"]).partition(".")[0]
        for queue in queues
        if "SchedulingPolicyArn" in queue.properties
    ]
    if used != [policy.name for policy in policies]:
        found.append(f"queues use the policies {used}, expected {[policy.name for policy in policies]}")
    for policy in policies:
        fair = policy.properties.get("FairsharePolicy", {})
        given = {item["ShareIdentifier"]: item["WeightFactor"] for item in fair.get("ShareDistribution", [])}
        if given != shares:
            found.append(f"{policy.name}: shares {given}, expected {shares}")
        found += [f"{policy.name}: share identifier {name}" for name in given if not SHARE_ID.fullmatch(name)]
    return found
