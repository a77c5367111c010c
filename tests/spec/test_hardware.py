"""The hardware table against data captured from EC2, and what must hold for any row."""

import gzip
import json
from importlib.resources import files
from typing import Any, get_args

import pytest

from spec.findings import SpecError
from spec.hardware import EFA_RESOURCE, HARDWARE, NEURON_RESOURCE, EfaLayout, Hardware, NetworkInterface, hardware

ROWS = tuple(HARDWARE.values())
LAYOUTS: tuple[EfaLayout, ...] = get_args(EfaLayout)
EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=list(HARDWARE))
EVERY_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS)

# What moto 5.2.5 says, by type and fact, where our table says something else on purpose.
DISAGREEMENTS = {
    # 512 GiB per Trainium2 chip would be 8 TiB per server; Neuron's documentation states 1.5 TiB, 96 GiB per chip.
    ("trn2.3xlarge", "device_memory_gib"): 512,
    ("trn2.48xlarge", "device_memory_gib"): 512,
    # DescribeInstanceTypes has no NeuronInfo for trn2u; Neuron's documentation gives the chips of trn2.48xlarge.
    ("trn2u.48xlarge", "neuron_devices"): None,
    ("trn2u.48xlarge", "physical_cores_per_device"): None,
    ("trn2u.48xlarge", "device_memory_gib"): None,
    # The type is given as 200 Gigabit and its only card as 50; EC2's product page says 200.
    ("trn2.3xlarge", "network_gbps"): 50.0,
}


def _resource(path: str) -> Any:
    return json.loads(gzip.decompress(files("moto.ec2").joinpath(f"resources/{path}").read_bytes()))


@pytest.fixture(scope="module")
def described() -> dict[str, dict[str, Any]]:
    return dict(_resource("instance_types.json.gz"))


@pytest.fixture(scope="module")
def offered() -> dict[str, dict[str, set[str]]]:
    """Zone ids by Region by type."""
    offers: dict[str, dict[str, set[str]]] = {name: {} for name in HARDWARE}
    directory = files("moto.ec2").joinpath("resources/instance_type_offerings/availability-zone-id")
    for entry in directory.iterdir():
        region = entry.name.removesuffix(".json.gz")
        for offer in json.loads(gzip.decompress(entry.read_bytes())):
            if offer["InstanceType"] in offers:
                offers[offer["InstanceType"]].setdefault(region, set()).add(offer["Location"])
    return offers


def _facts(type_: dict[str, Any]) -> dict[str, object]:
    network, disks = type_["NetworkInfo"], type_["InstanceStorageInfo"]["Disks"][0]
    cards = network["NetworkCards"]
    neuron = type_.get("NeuronInfo", {"NeuronDevices": [None]})["NeuronDevices"][0]
    per_card = {card["MaximumNetworkInterfaces"] for card in cards}
    assert len(per_card) == 1
    return {
        "vcpus": type_["VCpuInfo"]["DefaultVCpus"],
        "memory_mib": type_["MemoryInfo"]["SizeInMiB"],
        "neuron_devices": neuron and neuron["Count"],
        "physical_cores_per_device": neuron and neuron["CoreInfo"]["Count"],
        "device_memory_gib": neuron and neuron["MemoryInfo"]["SizeInMiB"] // 1024,
        "network_cards": network["MaximumNetworkCards"],
        "interfaces_per_card": per_card.pop(),
        "efa_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "network_gbps": sum(card["PeakBandwidthInGbps"] for card in cards),
        "ipv4_per_interface": network["Ipv4AddressesPerInterface"],
        "local_disks": disks["Count"],
        "local_disk_gb": disks["SizeInGB"],
        "capacity_kinds": frozenset(type_["SupportedUsageClasses"]),
    }


@EVERY_ROW
def test_row_agrees_with_what_ec2_describes(row: Hardware, described: dict[str, dict[str, Any]]) -> None:
    facts = _facts(described[row.instance_type])
    different = {(row.instance_type, name): value for name, value in facts.items() if value != getattr(row, name)}
    assert different == {key: value for key, value in DISAGREEMENTS.items() if key[0] == row.instance_type}


@EVERY_ROW
def test_zones_agree_with_what_ec2_offers(row: Hardware, offered: dict[str, dict[str, set[str]]]) -> None:
    assert {region: set(zones) for region, zones in row.zone_ids.items()} == offered[row.instance_type]


def test_every_trainium_type_has_a_row(described: dict[str, dict[str, Any]]) -> None:
    assert {name for name in described if name.startswith("trn")} == set(HARDWARE)


@EVERY_ROW
@EVERY_LAYOUT
def test_interfaces_follow_the_rules_of_launch_templates(row: Hardware, layout: EfaLayout) -> None:
    interfaces = row.network_interfaces(layout)
    places = [(item.network_card_index, item.device_index) for item in interfaces]
    efa = [item for item in interfaces if item.interface_type != "interface"]

    assert len(set(places)) == len(places)
    assert places.count((0, 0)) == 1
    assert places[0] == (0, 0)
    assert interfaces[0].interface_type != "efa-only"
    assert all(card < row.network_cards and device < row.interfaces_per_card for card, device in places)
    assert len(efa) == row.efa_interfaces
    assert len({item.network_card_index for item in efa}) == len(efa)
    # The host routes by device index: of the interfaces with an address only the primary one has index 0.
    assert [item for item in interfaces if item.interface_type != "efa-only" and item.device_index == 0] == [
        interfaces[0]
    ]


@EVERY_ROW
@EVERY_LAYOUT
def test_interfaces_resources_and_devices_agree(row: Hardware, layout: EfaLayout) -> None:
    efa = sum(item.interface_type != "interface" for item in row.network_interfaces(layout))
    assert efa == row.extended_resources.get(EFA_RESOURCE, 0) == len(row.uverbs_device_paths)
    assert row.extended_resources[NEURON_RESOURCE] == len(row.neuron_device_paths) == row.neuron_devices


@EVERY_ROW
@EVERY_LAYOUT
def test_pods_keep_room_for_training_and_daemons(row: Hardware, layout: EfaLayout) -> None:
    assert 10 < row.max_pods_with(layout) <= row.max_pods


def test_trn1_interfaces() -> None:
    row = HARDWARE["trn1.32xlarge"]
    assert row.network_interfaces("efa") == (
        NetworkInterface(0, 0, "efa"),
        *(NetworkInterface(card, 1, "efa") for card in range(1, 8)),
    )
    assert row.network_interfaces("efa-only") == (
        NetworkInterface(0, 0, "interface"),
        NetworkInterface(0, 1, "efa-only"),
        *(NetworkInterface(card, 0, "efa-only") for card in range(1, 8)),
    )


def test_a_type_without_efa_has_one_plain_interface() -> None:
    row = HARDWARE["trn1.2xlarge"]
    assert {row.network_interfaces(layout) for layout in LAYOUTS} == {(NetworkInterface(0, 0, "interface"),)}
    assert row.extended_resources == {NEURON_RESOURCE: 1}
    assert row.uverbs_device_paths == ()
    assert row.efa_gbps_per_interface == 0


@pytest.mark.parametrize(
    ("instance_type", "cores"),
    [
        ("trn1.2xlarge", 2),
        ("trn1.32xlarge", 32),
        ("trn1n.32xlarge", 32),
        ("trn2.3xlarge", 4),
        ("trn2.48xlarge", 64),
        ("trn2u.48xlarge", 64),
    ],
)
def test_cores_that_the_framework_sees(instance_type: str, cores: int) -> None:
    assert HARDWARE[instance_type].neuron_cores == cores


# trn1, trn1n and trn2.48xlarge without efa-only as the node's own table has them; the others by its formula.
# https://github.com/awslabs/amazon-eks-ami/blob/5e1334f235bf9591aaf1ed9f5cce8ddda15152e7/nodeadm/internal/kubelet/eni-max-pods.txt
@pytest.mark.parametrize(
    ("instance_type", "pods", "pods_efa_only"),
    [
        ("trn1.2xlarge", 58, 58),
        ("trn1.32xlarge", 247, 198),
        ("trn1n.32xlarge", 247, 198),
        ("trn2.3xlarge", 30, 16),
        ("trn2.48xlarge", 100, 51),
        ("trn2u.48xlarge", 100, 51),
    ],
)
def test_pods_that_the_cni_can_address(instance_type: str, pods: int, pods_efa_only: int) -> None:
    row = HARDWARE[instance_type]
    assert (row.max_pods, row.max_pods_with("efa"), row.max_pods_with("efa-only")) == (pods, pods, pods_efa_only)


def test_addresses_and_bandwidth() -> None:
    row = HARDWARE["trn1n.32xlarge"]
    assert (row.ip_addresses("efa"), row.ip_addresses("efa-only")) == (16, 1)
    assert row.efa_gbps_per_interface == 100


def test_zones_in_an_unknown_region() -> None:
    assert HARDWARE["trn1.32xlarge"].zones_in("eu-west-1") == ()


def test_fails_on_an_unknown_type() -> None:
    with pytest.raises(SpecError) as error:
        hardware("trn1.32xlrge")
    assert str(error.value) == (
        "instance type: got trn1.32xlrge, expected one of trn1.2xlarge, trn1.32xlarge, trn1n.32xlarge, "
        "trn2.3xlarge, trn2.48xlarge, trn2u.48xlarge; did you mean trn1.32xlarge?"
    )
