"""Rules about AWS Batch: compute environment, job queue, job definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from spec.hardware import HARDWARE, Hardware
from spec.names import ARTIFACTS_URI_ENV
from spec.team import Batch
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, count, find, resources, target
from tests.rules.training import COMPUTE_ENVIRONMENT, Launch, Rule, of_every_launch

JOB_QUEUE = "AWS::Batch::JobQueue"
JOB_DEFINITION = "AWS::Batch::JobDefinition"
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
LEAST_MEMORY, MOST_MEMORY = 0.85, 0.97
"""Share of the machine: below, the job leaves memory idle that nobody else can use; above, it stays RUNNABLE."""
DEVICE_PERMISSIONS = ["READ", "WRITE", "MKNOD"]
LEAST_OPEN_FILES = 65536
MAX_EXIT_RULES = 5


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


def of_every_definition(check: Callable[[Synthesized, Resource, dict[str, Any]], Iterator[str]]) -> Rule:
    """A rule from a check of one job definition and its container, which also says how many there must be."""

    @wraps(check)
    def rule(synthesized: Synthesized) -> list[str]:
        definitions = resources(synthesized, JOB_DEFINITION)
        team = synthesized.team
        found = count("job definitions", len(definitions), len(team.images) if team.batch else 0)
        for definition in definitions:
            ranges = definition.properties.get("NodeProperties", {}).get("NodeRangeProperties", [])
            if len(ranges) != 1 or "Container" not in ranges[0]:
                found.append(f"{definition.name}: {len(ranges)} node ranges, expected one with a container")
                continue
            texts = check(synthesized, definition, ranges[0]["Container"])
            found += [f"{definition.name}: {text}" for text in texts]
        return found

    return rule


def _hardware(container: dict[str, Any]) -> Hardware | None:
    return HARDWARE.get(str(container.get("InstanceType")))


@of_every_definition
def jobs_span_any_number_of_nodes(synthesized: Synthesized, definition: Resource, _: dict[str, Any]) -> Iterator[str]:
    """Multinode, with one open-ended range, so that a job may be submitted with another number of nodes."""
    properties = definition.properties
    if properties.get("Type") != "multinode" or "ContainerProperties" in properties:
        yield f"type {properties.get('Type')}, expected multinode alone"
    nodes = properties["NodeProperties"]
    number, main = nodes.get("NumNodes"), nodes.get("MainNode")
    given = nodes["NodeRangeProperties"][0].get("TargetNodes")
    if given != "0:":
        yield f"target nodes {given}, expected 0:"
    if main != 0 or not isinstance(number, int) or number < 1:
        yield f"main node {main} of {number}"
    if synthesized.team.batch and number != synthesized.team.batch.max_nodes:
        yield f"{number} nodes, expected {synthesized.team.batch.max_nodes}"


@of_every_definition
def jobs_run_on_the_environment_s_type(
    synthesized: Synthesized, _: Resource, container: dict[str, Any]
) -> Iterator[str]:
    """All nodes of a job are of one type, the one of the compute environment."""
    offered = [
        item.properties["ComputeResources"].get("InstanceTypes") for item in resources(synthesized, COMPUTE_ENVIRONMENT)
    ]
    if offered != [[container.get("InstanceType")]]:
        yield f"instance type {container.get('InstanceType')}, compute environment {offered}"


@of_every_definition
def jobs_take_the_whole_machine(_: Synthesized, __: Resource, container: dict[str, Any]) -> Iterator[str]:
    """Every vCPU, and the memory that is left beside kernel and agent: a multi-node job has its hosts to itself."""
    row = _hardware(container)
    requirements = {item["Type"]: item["Value"] for item in container.get("ResourceRequirements", [])}
    if row is None or requirements.keys() != {"VCPU", "MEMORY"}:
        yield f"resource requirements {requirements} on {container.get('InstanceType')}, expected VCPU and MEMORY"
        return
    if requirements["VCPU"] != str(row.vcpus):
        yield f"{requirements['VCPU']} vCPUs, expected the {row.vcpus} of {row.instance_type}"
    least, most = int(row.memory_mib * LEAST_MEMORY), int(row.memory_mib * MOST_MEMORY)
    if not least <= int(requirements["MEMORY"]) <= most:
        yield f"{requirements['MEMORY']} MiB, expected from {least} to {most}"
    shared = container.get("LinuxParameters", {}).get("SharedMemorySize", 0)
    if not 0 < shared <= row.memory_mib // 2:
        yield f"shared memory {shared} MiB, expected at most half of the machine's"
    for key in ("Vcpus", "Memory"):
        if key in container:
            yield f"{key}, which is deprecated"


@of_every_definition
def jobs_have_every_device(_: Synthesized, __: Resource, container: dict[str, Any]) -> Iterator[str]:
    """Each Neuron device and each EFA interface's verbs device once, under its own path, with every permission."""
    row = _hardware(container)
    devices = container.get("LinuxParameters", {}).get("Devices", [])
    paths = [device["HostPath"] for device in devices]
    expected = [f"/dev/neuron{index}" for index in range(row.neuron_devices if row else 0)]
    expected += [f"/dev/infiniband/uverbs{index}" for index in range(row.efa_interfaces if row else 0)]
    if not expected or sorted(paths) != sorted(expected):
        yield f"devices {paths}, expected {expected}"
    for device in devices:
        if device.get("ContainerPath") != device["HostPath"] or device.get("Permissions") != DEVICE_PERMISSIONS:
            yield f"device {device}"


@of_every_definition
def jobs_have_the_limits_they_need(_: Synthesized, __: Resource, container: dict[str, Any]) -> Iterator[str]:
    """Unlimited locked memory, which EFA registers, and enough open files for every worker."""
    limits = {item["Name"]: (item["SoftLimit"], item["HardLimit"]) for item in container.get("Ulimits", [])}
    if limits.get("memlock") != (-1, -1):
        yield f"memlock {limits.get('memlock')}, expected unlimited"
    if min(limits.get("nofile", (0,))) < LEAST_OPEN_FILES:
        yield f"nofile {limits.get('nofile')}, expected at least {LEAST_OPEN_FILES}"


@of_every_definition
def jobs_are_not_privileged(_: Synthesized, __: Resource, container: dict[str, Any]) -> Iterator[str]:
    """Devices are passed one by one, so no container needs the host."""
    if container.get("Privileged", False) is not False:
        yield "privileged"
    for key in ("Volumes", "MountPoints", "NetworkConfiguration", "User"):
        if key in container:
            yield key


@of_every_definition
def jobs_are_retried_for_host_faults_only(
    synthesized: Synthesized, definition: Resource, _: dict[str, Any]
) -> Iterator[str]:
    """A host that dies is retried, anything else ends the job; and the job ends at its time limit."""
    strategy = definition.properties.get("RetryStrategy", {})
    rules = strategy.get("EvaluateOnExit", [])
    if not 1 <= len(rules) <= MAX_EXIT_RULES:
        yield f"{len(rules)} exit rules"
    elif rules[-1] != {"OnReason": "*", "Action": "EXIT"}:
        yield f"last exit rule {rules[-1]}: what matches no rule is retried"
    if [rule for rule in rules if rule["Action"] == "RETRY"] != [{"OnStatusReason": "Host EC2*", "Action": "RETRY"}]:
        yield f"exit rules {rules}, expected a retry for host faults alone"
    batch = synthesized.team.batch
    if batch and strategy.get("Attempts") != batch.attempts:
        yield f"{strategy.get('Attempts')} attempts, expected {batch.attempts}"
    seconds = definition.properties.get("Timeout", {}).get("AttemptDurationSeconds", 0)
    if seconds < 60 or (batch and seconds != batch.timeout_hours * 3600):
        yield f"time limit {seconds} s"


@of_every_definition
def jobs_log_to_a_group_that_forgets(
    synthesized: Synthesized, definition: Resource, container: dict[str, Any]
) -> Iterator[str]:
    """A log group of the team with a retention time, instead of the account's common one that keeps all for ever."""
    logging = container.get("LogConfiguration", {})
    name = logging.get("Options", {}).get("awslogs-group")
    group = find(synthesized, definition.stack, name)
    if logging.get("LogDriver") != "awslogs" or group is None or not group.properties.get("RetentionInDays"):
        yield f"logs to {name}, expected a log group with a retention time"


@of_every_definition
def jobs_run_the_team_s_images(
    synthesized: Synthesized, definition: Resource, container: dict[str, Any]
) -> Iterator[str]:
    """An image of the team's own registry at the team's immutable tag."""
    image = target(synthesized, definition.stack, container.get("Image"))
    repositories = [item.name for item in resources(synthesized, "AWS::ECR::Repository")]
    if sum(name in image for name in repositories) != 1 or not image.endswith(f":{synthesized.team.image_tag}"):
        yield f"image {image}"


@of_every_definition
def jobs_find_data_and_fabric(_: Synthesized, __: Resource, container: dict[str, Any]) -> Iterator[str]:
    """The bucket's address; the EFA provider where there is EFA; nothing of Batch's own, no local communicator."""
    row = _hardware(container)
    variables = {item["Name"]: item["Value"] for item in container.get("Environment", [])}
    if ARTIFACTS_URI_ENV not in variables:
        yield f"no {ARTIFACTS_URI_ENV}"
    provider = "efa" if row and row.efa_interfaces else None
    if variables.get("FI_PROVIDER") != provider:
        yield f"FI_PROVIDER {variables.get('FI_PROVIDER')}, expected {provider}"
    for name, value in variables.items():
        if name.startswith("AWS_BATCH"):
            yield f"{name}, which Batch refuses"
        if name == "NEURON_RT_ROOT_COMM_ID" and str(value).startswith(("localhost", "127.")):
            yield f"{name} {value}: ranks on other hosts are not found"
