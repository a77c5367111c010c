"""Whether the built-in hardware table says what EC2 says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, Reporter
from ops.preflight.parts import parts_of
from spec.hardware import DEVICE_MEMORY_OTHER_IN_EC2, Hardware
from spec.team import Team

REPORT = Reporter("hardware table")
MIB_PER_GIB = 2**10


def check(account: Account, team: Team) -> Findings:
    for row in {part.asks.instance_type: part.asks.hardware for part in parts_of(team)}.values():
        try:
            found = account.client("ec2").describe_instance_types(InstanceTypes=[row.instance_type])
        except ClientError as error:
            if error.response["Error"]["Code"] != "InvalidInstanceType":
                raise
            yield REPORT.error(row.instance_type, f"no such type in {team.region}", "a type of this Region")
            continue
        deviations = list(deviations_of(row, found["InstanceTypes"][0]))
        for fact, got, expected in deviations:
            yield REPORT.error(
                f"{row.instance_type} {fact}", str(got), f"{expected}, as in spec/hardware.py: correct one of them"
            )
        if not deviations:
            yield REPORT.ok(row.instance_type, "as in spec/hardware.py", "as in spec/hardware.py")


def deviations_of(row: Hardware, described: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """(fact, what EC2 says, what the table says) wherever they differ. EC2 gives no Neuron data for some types."""
    network = described["NetworkInfo"]
    facts = {
        "vCPUs": (described["VCpuInfo"]["DefaultVCpus"], row.vcpus),
        "memory in MiB": (described["MemoryInfo"]["SizeInMiB"], row.memory_mib),
        "network cards": (network["MaximumNetworkCards"], row.network_cards),
        "EFA interfaces": (network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0), row.efa_interfaces),
        "IPv4 addresses per interface": (network["Ipv4AddressesPerInterface"], row.ipv4_per_interface),
    }
    neuron = described.get("NeuronInfo", {}).get("NeuronDevices", ())
    if neuron:
        device = neuron[0]
        facts["Neuron devices"] = (sum(each["Count"] for each in neuron), row.neuron_devices)
        facts["cores per Neuron device"] = (device["CoreInfo"]["Count"], row.physical_cores_per_device)
        if row.instance_type not in DEVICE_MEMORY_OTHER_IN_EC2:
            memory = device["MemoryInfo"]["SizeInMiB"] // MIB_PER_GIB
            facts["GiB per Neuron device"] = (memory, row.device_memory_gib)
    yield from ((fact, got, expected) for fact, (got, expected) in facts.items() if got != expected)
