"""One hardware row gives launch template, node labels, job definition and compute environment the same numbers.

The numbers of the templates are counted here, not computed as the constructs do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spec.hardware import EFA_RESOURCE, HARDWARE, NEURON_RESOURCE, Hardware
from spec.names import NodeLabel
from tests.conftest import Synthesized
from tests.invariants.matrix import COMBINATIONS, Combination, team_name

PAIRS = [item for item in COMBINATIONS if item.capacity == "on-demand" and not item.refused]
EKS = [item for item in PAIRS if item.path == "eks"]
BATCH = [item for item in PAIRS if item.path == "batch"]


def synthesized_for(combination: Combination, matrix: dict[str, Synthesized]) -> Synthesized:
    return matrix[team_name(combination.row, combination.layout, combination.path)]


def interface_types(synthesized: Synthesized, stack: str) -> Iterator[list[str]]:
    """Interface types of every launch template of a stack that has interfaces."""
    for owner, template in synthesized.of_type("AWS::EC2::LaunchTemplate"):
        data = template["Properties"]["LaunchTemplateData"]
        if owner == stack:
            yield [interface["InterfaceType"] for interface in data["NetworkInterfaces"]]


def efa_interfaces(types: list[str]) -> int:
    return types.count("efa") + types.count("efa-only")


def containers(synthesized: Synthesized) -> list[dict[str, Any]]:
    definitions = [item["Properties"] for _, item in synthesized.of_type("AWS::Batch::JobDefinition")]
    return [item["NodeProperties"]["NodeRangeProperties"][0]["Container"] for item in definitions]


def device_paths(container: dict[str, Any], prefix: str) -> set[str]:
    return {item["HostPath"] for item in container["LinuxParameters"]["Devices"] if item["HostPath"].startswith(prefix)}


@pytest.mark.parametrize("row", HARDWARE.values(), ids=lambda row: row.instance_type)
def test_a_pod_asks_for_what_a_node_has(row: Hardware) -> None:
    assert row.extended_resources.get(EFA_RESOURCE, 0) == len(row.uverbs_device_paths) == row.efa_interfaces
    assert row.extended_resources[NEURON_RESOURCE] == len(row.neuron_device_paths) == row.neuron_devices


@pytest.mark.parametrize("combination", EKS, ids=str)
def test_node_groups(combination: Combination, matrix: dict[str, Synthesized]) -> None:
    synthesized, row = synthesized_for(combination, matrix), combination.row
    groups = [item["Properties"] for stack, item in synthesized.of_type("AWS::EKS::Nodegroup") if stack == "Nodes"]
    found = list(interface_types(synthesized, "Nodes"))
    assert len(found) == len(groups) >= 3
    resource = row.extended_resources.get(EFA_RESOURCE, 0)
    assert {efa_interfaces(types) for types in found} == {row.efa_interfaces} == {resource}
    # The EFA plugin selects nodes by this label, and its process exits on a node without EFA.
    labelled = {NodeLabel.EFA in group["Labels"] for group in groups}
    assert labelled == {resource > 0}


@pytest.mark.parametrize("combination", BATCH, ids=str)
def test_jobs_and_their_compute_environment(combination: Combination, matrix: dict[str, Synthesized]) -> None:
    synthesized, row = synthesized_for(combination, matrix), combination.row
    ((_, environment),) = synthesized.of_type("AWS::Batch::ComputeEnvironment")
    compute = environment["Properties"]["ComputeResources"]
    (types,) = interface_types(synthesized, "Batch")
    jobs = containers(synthesized)
    assert len(jobs) == len(synthesized.team.images)
    for job in jobs:
        uverbs = device_paths(job, "/dev/infiniband/uverbs")
        assert efa_interfaces(types) == len(uverbs) == row.efa_interfaces == row.extended_resources.get(EFA_RESOURCE, 0)
        assert len(device_paths(job, "/dev/neuron")) == row.neuron_devices == row.extended_resources[NEURON_RESOURCE]
        assert compute["InstanceTypes"] == [job["InstanceType"]] == [row.instance_type]
        asked = {item["Type"]: int(item["Value"]) for item in job["ResourceRequirements"]}
        assert asked["VCPU"] == row.vcpus
        assert 0.85 * row.memory_mib < asked["MEMORY"] < 0.97 * row.memory_mib
        assert 0 < job["LinuxParameters"]["SharedMemorySize"] < asked["MEMORY"]
    assert synthesized.team.batch is not None
    assert compute["MaxvCpus"] == synthesized.team.batch.max_nodes * row.vcpus


def test_every_row_is_covered_on_both_paths() -> None:
    assert {item.row.instance_type for item in EKS} == {item.row.instance_type for item in BATCH} == set(HARDWARE)
