"""Trainium instance types: the only place where their numbers stand.

Sources of the rows, collected 2026-11-30:
[EC2]    DescribeInstanceTypes and DescribeInstanceTypeOfferings as captured in moto 5.2.5,
         https://github.com/getmoto/moto/tree/5.2.5/moto/ec2/resources
[NEURON] https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/
[LNC]    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-features/logical-neuroncore-config.html
[EFA]    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from spec.findings import SpecError

EfaLayout = Literal["efa", "efa-only"]
InterfaceType = Literal["interface", "efa", "efa-only"]
UsageClass = Literal["on-demand", "spot", "capacity-block"]

# What the device plugins advertise: whole Neuron devices (not `neuroncore`), and EFA interfaces.
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html
NEURON_RESOURCE = "aws.amazon.com/neuron"
EFA_RESOURCE = "vpc.amazonaws.com/efa"

INFINIBAND_DIRECTORY = "/dev/infiniband"
"""Host directory of the verbs devices."""
UVERBS = "uverbs"
"""Name of a verbs device before its number; there is one per EFA interface."""

EFA_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", "FI_EFA_FORK_SAFE": "1"}
)
"""Variables by which libfabric takes EFA, on a node that has it.
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/setup-trn1-multi-node-execution.html"""


@dataclass(frozen=True, slots=True)
class NetworkInterface:
    """One network interface of a launch template."""

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """One EC2 instance type."""

    instance_type: str
    vcpus: int
    memory_mib: int
    neuron_devices: int
    physical_cores_per_device: int
    logical_nc_config: int
    """Physical NeuronCores joined into one that the framework sees (LNC); 1 where the chip has no such setting."""
    device_memory_gib: int
    """High-bandwidth memory of one Neuron device."""
    network_cards: int
    interfaces_per_card: int
    """Limit on network interfaces of each card; DeviceIndex stays below it."""
    efa_interfaces: int
    """Most EFA interfaces the type takes, one per card; 0 = no EFA."""
    network_gbps: float
    """Bandwidth of all network cards together, Gbit/s; a peak on trn1.2xlarge, which bursts."""
    ipv4_per_interface: int
    local_disks: int
    local_disk_gb: int
    """Size of each local NVMe disk in GB (10^9 bytes)."""
    capacity_kinds: frozenset[UsageClass]
    zone_ids: Mapping[str, tuple[str, ...]] = field(hash=False)
    """Availability zone ids that offer the type, by Region: what one account saw, so data with an override."""

    @property
    def neuron_cores(self) -> int:
        """NeuronCores that the framework sees with the default logical core configuration."""
        return self.neuron_devices * self.physical_cores_per_device // self.logical_nc_config

    @property
    def neuron_device_paths(self) -> tuple[str, ...]:
        return tuple(f"/dev/neuron{index}" for index in range(self.neuron_devices))

    @property
    def uverbs_device_paths(self) -> tuple[str, ...]:
        """One InfiniBand verbs device per EFA interface."""
        return tuple(f"{INFINIBAND_DIRECTORY}/{UVERBS}{index}" for index in range(self.efa_interfaces))

    @property
    def extended_resources(self) -> dict[str, int]:
        """Kubernetes resources of a whole node."""
        efa = {EFA_RESOURCE: self.efa_interfaces} if self.efa_interfaces else {}
        return {NEURON_RESOURCE: self.neuron_devices} | efa

    @property
    def job_memory_mib(self) -> int:
        """Memory a Batch job may ask of a whole node, MiB: what is left after the kernel and the ECS agent.

        A request near the machine's total leaves the job RUNNABLE for ever. The share is what the Llama-2 tutorial
        ran with (480,000 of 524,288), not a limit AWS states.
        https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html
        """
        return self.memory_mib * 915 // 1000

    @property
    def pod_memory_mib(self) -> int:
        """Memory a pod may ask of a whole node in a cluster, MiB: what the kubelet and the daemons leave.

        Reserved are 7.5 % for the hypervisor and the kernel, as Karpenter reckons; 255 MiB and 11 MiB a pod for the
        kubelet; 100 MiB before it evicts; 2 GiB for the daemons of this project and EKS.
        https://karpenter.sh/docs/reference/settings/ (vm-memory-overhead-percent)
        https://github.com/awslabs/amazon-eks-ami/blob/v20260714/nodeadm/internal/kubelet/config.go
        """
        return self.memory_mib * 925 // 1000 - (255 + 11 * self.max_pods) - 100 - 2048

    @property
    def shared_memory_mib(self) -> int:
        """Room for /dev/shm, where data loaders pass batches: an eighth of the memory. Docker's default is 64 MiB."""
        return self.memory_mib // 8

    @property
    def efa_environment(self) -> dict[str, str]:
        """Variables of a container on this type; none without EFA."""
        return dict(EFA_ENVIRONMENT) if self.efa_interfaces else {}

    @property
    def efa_gbps_per_interface(self) -> float:
        """Gbit/s of each EFA interface; 0 without EFA."""
        return self.network_gbps / self.network_cards if self.efa_interfaces else 0

    @property
    def max_pods(self) -> int:
        """Pods the VPC CNI can address with no EFA-only interface on card 0."""
        return self._pods(self.interfaces_per_card)

    def max_pods_with(self, layout: EfaLayout) -> int:
        """Pods the VPC CNI can address; an EFA-only interface on card 0 takes the room of one with addresses."""
        efa_only_on_card_0 = any(
            interface.network_card_index == 0 and interface.interface_type == "efa-only"
            for interface in self.network_interfaces(layout)
        )
        return self._pods(self.interfaces_per_card - efa_only_on_card_0)

    def network_interfaces(self, layout: EfaLayout) -> tuple[NetworkInterface, ...]:
        """Every interface of an instance, the primary one first.

        `efa`: one interface per card that carries both EFA and IP. `efa-only`: one plain primary, and on every card
        an EFA interface without an IP address, as the EC2 guide advises today [EFA]. On cards other than 0 an
        interface with an IP address has device index 1, because the host routes by device index and must find exactly
        one device 0.
        """
        if not self.efa_interfaces:
            return (NetworkInterface(0, 0, "interface"),)
        cards = range(1, self.efa_interfaces)
        if layout == "efa":
            return (NetworkInterface(0, 0, "efa"), *(NetworkInterface(card, 1, "efa") for card in cards))
        return (
            NetworkInterface(0, 0, "interface"),
            NetworkInterface(0, 1, "efa-only"),
            *(NetworkInterface(card, 0, "efa-only") for card in cards),
        )

    def ip_addresses(self, layout: EfaLayout) -> int:
        """Subnet addresses that one instance's own interfaces take."""
        return sum(interface.interface_type != "efa-only" for interface in self.network_interfaces(layout))

    @property
    def regions(self) -> tuple[str, ...]:
        return tuple(self.zone_ids)

    def zones_in(self, region: str) -> tuple[str, ...]:
        """Zone ids of a Region that offer the type; empty where none is known."""
        return self.zone_ids.get(region, ())

    def _pods(self, interfaces: int) -> int:
        # Each interface keeps one address for itself; two pods use the host network.
        # https://github.com/awslabs/amazon-eks-ami/blob/5a3ba477934ff767b4a51f2033442ba884656f69/nodeadm/internal/kubelet/maxpods/maxpods.go
        return interfaces * (self.ipv4_per_interface - 1) + 2


_ROWS = (
    Hardware(
        instance_type="trn1.2xlarge",
        vcpus=8,  # [EC2]
        memory_mib=32768,  # [EC2]
        neuron_devices=1,  # [EC2]
        physical_cores_per_device=2,  # NeuronCore-v2 [EC2]
        logical_nc_config=1,  # NeuronCore-v2 has no LNC setting [LNC]
        device_memory_gib=32,  # [EC2]
        network_cards=1,  # [EC2]
        interfaces_per_card=4,  # [EC2]
        efa_interfaces=0,  # EfaSupported is false [EC2]
        network_gbps=12.5,  # "Up to 12.5 Gigabit" [EC2]
        ipv4_per_interface=15,  # [EC2]
        local_disks=1,  # [EC2]
        local_disk_gb=474,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "spot"}),  # no capacity blocks [EC2]
        zone_ids=MappingProxyType(  # [EC2]
            {
                "us-east-1": ("use1-az5", "use1-az6"),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az1", "usw2-az4"),
            }
        ),
    ),
    Hardware(
        instance_type="trn1.32xlarge",
        vcpus=128,  # [EC2]
        memory_mib=524288,  # [EC2]
        neuron_devices=16,  # [EC2]
        physical_cores_per_device=2,  # NeuronCore-v2 [EC2]
        logical_nc_config=1,  # NeuronCore-v2 has no LNC setting [LNC]
        device_memory_gib=32,  # [EC2]
        network_cards=8,  # [EC2]
        interfaces_per_card=5,  # [EC2]
        efa_interfaces=8,  # [EC2]
        network_gbps=800,  # 8 x 100 [EC2]
        ipv4_per_interface=50,  # [EC2]
        local_disks=4,  # [EC2]
        local_disk_gb=1900,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "spot", "capacity-block"}),  # [EC2]
        zone_ids=MappingProxyType(  # [EC2]
            {
                "ap-south-1": ("aps1-az2",),
                "ap-southeast-2": ("apse2-az1", "apse2-az2"),
                "ap-southeast-4": ("apse4-az1",),
                "us-east-1": ("use1-az4", "use1-az5", "use1-az6"),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az1", "usw2-az4"),
            }
        ),
    ),
    Hardware(
        instance_type="trn1n.32xlarge",
        vcpus=128,  # [EC2]
        memory_mib=524288,  # [EC2]
        neuron_devices=16,  # [EC2]
        physical_cores_per_device=2,  # NeuronCore-v2 [EC2]
        logical_nc_config=1,  # NeuronCore-v2 has no LNC setting [LNC]
        device_memory_gib=32,  # [EC2]
        network_cards=16,  # [EC2]
        interfaces_per_card=5,  # [EC2]
        efa_interfaces=16,  # [EC2]
        network_gbps=1600,  # 16 x 100 [EC2]
        ipv4_per_interface=50,  # [EC2]
        local_disks=4,  # [EC2]
        local_disk_gb=1900,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "spot"}),  # no capacity blocks, unlike trn1.32xlarge [EC2]
        zone_ids=MappingProxyType(  # [EC2]
            {
                "us-east-1": ("use1-az6",),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az4",),
            }
        ),
    ),
    Hardware(
        instance_type="trn2.3xlarge",
        vcpus=12,  # [EC2]
        memory_mib=131072,  # [EC2]
        neuron_devices=1,  # [EC2]
        physical_cores_per_device=8,  # NeuronCore-v3 [EC2]
        logical_nc_config=2,  # the default on Trainium2; 1 is the other choice [LNC]
        device_memory_gib=96,  # [NEURON]; EC2 says 512 GiB, five times what the chip has
        network_cards=1,  # [EC2]
        interfaces_per_card=2,  # [EC2]
        efa_interfaces=1,  # [EC2]
        network_gbps=200,  # [EC2]
        ipv4_per_interface=15,  # [EC2]
        local_disks=1,  # [EC2]
        local_disk_gb=470,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "spot", "capacity-block"}),  # [EC2]
        zone_ids=MappingProxyType(  # [EC2]
            {
                "ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3"),
                "ap-southeast-4": ("apse4-az3",),
                "sa-east-1": ("sae1-az1", "sae1-az2", "sae1-az3"),
            }
        ),
    ),
    Hardware(
        instance_type="trn2.48xlarge",
        vcpus=192,  # [EC2]
        memory_mib=2097152,  # [EC2]
        neuron_devices=16,  # [EC2]
        physical_cores_per_device=8,  # NeuronCore-v3 [EC2]
        logical_nc_config=2,  # the default on Trainium2; 1 is the other choice [LNC]
        device_memory_gib=96,  # [NEURON]; EC2 says 512 GiB, five times what the chip has
        network_cards=16,  # [EC2]
        interfaces_per_card=2,  # [EC2]
        efa_interfaces=16,  # [EC2]
        network_gbps=3200,  # 16 x 200 [EC2]
        ipv4_per_interface=50,  # [EC2]
        local_disks=4,  # [EC2]
        local_disk_gb=1900,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "spot", "capacity-block"}),  # [EC2]
        zone_ids=MappingProxyType(  # [EC2]
            {
                "ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3"),
                "us-east-2": ("use2-az1", "use2-az2", "use2-az3"),
            }
        ),
    ),
    Hardware(
        instance_type="trn2u.48xlarge",
        vcpus=192,  # [EC2]
        memory_mib=2097152,  # [EC2]
        neuron_devices=16,  # [NEURON]; EC2 has no Neuron data for this type
        physical_cores_per_device=8,  # NeuronCore-v3 [NEURON]
        logical_nc_config=2,  # the default on Trainium2; 1 is the other choice [LNC]
        device_memory_gib=96,  # [NEURON]
        network_cards=16,  # [EC2]
        interfaces_per_card=2,  # [EC2]
        efa_interfaces=16,  # [EC2]
        network_gbps=3200,  # 16 x 200 [EC2]
        ipv4_per_interface=50,  # [EC2]
        local_disks=4,  # [EC2]
        local_disk_gb=1900,  # [EC2]
        capacity_kinds=frozenset({"on-demand", "capacity-block"}),  # no spot [EC2]
        zone_ids=MappingProxyType({"ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3")}),  # [EC2]
    ),
)

HARDWARE: Mapping[str, Hardware] = MappingProxyType({row.instance_type: row for row in _ROWS})
"""Every Trainium type that EC2 launches; Trainium3 is described by Neuron's documentation but has no EC2 type yet."""

DEVICE_MEMORY_OTHER_IN_EC2 = frozenset({"trn2.3xlarge", "trn2.48xlarge"})
"""Types whose rows differ from DescribeInstanceTypes in the memory of a Neuron device, and in nothing else."""


def hardware(instance_type: str) -> Hardware:
    """The row of an instance type; SpecError names the allowed types."""
    if instance_type in HARDWARE:
        return HARDWARE[instance_type]
    close = difflib.get_close_matches(instance_type, HARDWARE, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise SpecError(f"instance type: got {instance_type}, expected one of {', '.join(HARDWARE)}{hint}")
