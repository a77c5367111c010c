"""Rules about the job definitions of AWS Batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from spec.hardware import HARDWARE, Hardware
from spec.names import ARTIFACTS_URI_ENV
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, count, find, resources, target
from tests.rules.training import COMPUTE_ENVIRONMENT, Rule

JOB_DEFINITION = "AWS::Batch::JobDefinition"
LEAST_MEMORY = 0.85
MOST_MEMORY = 0.97
"""Share of the machine: below, the job leaves memory idle that nobody else can use; above, it stays RUNNABLE."""
DEVICE_PERMISSIONS = ["READ", "WRITE", "MKNOD"]
LEAST_OPEN_FILES = 65536
MAX_EXIT_RULES = 5


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
