"""What of a team runs now, read from its account: one function per service, each by the team's tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from ops.aws import Account
from ops.cost.line import Running
from ops.deployed import deployed_output, instances
from ops.preflight.parts import parts_of
from spec.kubernetes_versions import SUPPORT_WINDOWS
from spec.names import TEAM_TAG, Output, StackName
from spec.prices import (
    EKS_EXTENDED,
    EKS_STANDARD,
    INTERFACE_ENDPOINT,
    NAT_GATEWAY,
    PUBLIC_IPV4,
    lustre_key,
    volume_key,
)
from spec.team import Team

Found = Iterator[Running]


def _by_tag(team: Team, **more: list[str]) -> list[dict[str, Any]]:
    """EC2 filters: the team's tag, and others by name."""
    names = {f"tag:{TEAM_TAG}": [team.name]} | {name.replace("_", "-"): values for name, values in more.items()}
    return [{"Name": name, "Values": values} for name, values in names.items()]


def nodes(account: Account, team: Team, _today: date) -> Found:
    """EC2 instances by type and by how they are paid for; nodes have the tag from their launch templates."""
    found = instances(account, {f"tag:{TEAM_TAG}": [team.name]})
    counted = Counter((each["InstanceType"], *_paid(each)) for each in found)
    for (instance_type, paid, note), count in sorted(counted.items(), key=str):
        yield Running(f"EC2 {instance_type}", count, "instances", instance_type, paid, note)


def _paid(instance: Mapping[str, Any]) -> tuple[str | None, str]:
    """(why it costs nothing further, what else to know). Capacity blocks are paid in advance, reservations are not.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
    """
    reservation, lifecycle = instance.get("CapacityReservationId"), instance.get("InstanceLifecycle")
    if lifecycle == "capacity-block":
        return f"paid already: capacity block {reservation}", ""
    if lifecycle == "spot":
        return None, "Spot, shown at the on-demand price"
    return None, f"in reservation {reservation}" if reservation else ""


def reservation_ids(team: Team) -> list[str]:
    parts = [part.asks.capacity for part in parts_of(team)]
    return sorted({each.reservation_id for each in parts if each.kind == "reservation" and each.reservation_id})


def unused_reservations(account: Account, team: Team, _today: date) -> Found:
    """Places of the team file's reservations in which nothing runs: they cost as much as instances."""
    ids = reservation_ids(team)
    # Asked without one, AWS would tell of every reservation in the account.
    if not ids:
        return
    found = account.client("ec2").describe_capacity_reservations(CapacityReservationIds=ids)["CapacityReservations"]
    for each in found:
        if each["State"] == "active" and (free := each["AvailableInstanceCount"]):
            what, note = f"reservation {each['CapacityReservationId']}, unused", "billed to the account that owns it"
            yield Running(what, free, "instances", each["InstanceType"], note=note)


def volumes(account: Account, team: Team, _today: date) -> Found:
    """EBS storage by volume type."""
    sizes: Counter[str] = Counter()
    for volume in account.pages("ec2", "describe_volumes", "Volumes", Filters=_by_tag(team)):
        sizes[volume["VolumeType"]] += volume["Size"]
    for kind, size in sorted(sizes.items()):
        yield Running(f"EBS {kind}", size, "GB", volume_key(kind))


def nat_gateways(account: Account, team: Team, _today: date) -> Found:
    found = account.pages(
        "ec2", "describe_nat_gateways", "NatGateways", Filters=_by_tag(team, state=["pending", "available"])
    )
    if count := sum(1 for _ in found):
        yield Running("NAT gateway", count, "gateways", NAT_GATEWAY)


def endpoints(account: Account, team: Team, _today: date) -> Found:
    """Interface endpoints, each as often as it has zones; gateway endpoints are free."""
    filters = _by_tag(team, vpc_endpoint_type=["Interface"])
    found = account.pages("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=filters)
    if count := sum(len(endpoint["SubnetIds"]) for endpoint in found):
        yield Running("VPC interface endpoint", count, "zones", INTERFACE_ENDPOINT)


def addresses(account: Account, team: Team, _today: date) -> Found:
    """Public IPv4 addresses, which cost the same in use and idle."""
    found = account.client("ec2").describe_addresses(Filters=_by_tag(team))["Addresses"]
    counted = Counter("in use" if "AssociationId" in address else "idle" for address in found)
    for state, count in sorted(counted.items()):
        yield Running(f"public IPv4, {state}", count, "addresses", PUBLIC_IPV4)


def control_plane(account: Account, team: Team, today: date) -> Found:
    name = deployed_output(account, team, StackName.CLUSTER, Output.CLUSTER_NAME)
    if name is None:
        return
    cluster = account.client("eks").describe_cluster(name=name)["cluster"]
    window = SUPPORT_WINDOWS.get(cluster["version"])
    extended = window is not None and window.on(today) != "standard"
    yield Running(f"EKS {cluster['version']}", 1, "clusters", EKS_EXTENDED if extended else EKS_STANDARD)


def file_systems(account: Account, team: Team, _today: date) -> Found:
    """Storage of Lustre file systems, those of claims among them."""
    tag = {"Key": TEAM_TAG, "Value": team.name}
    for each in account.pages("fsx", "describe_file_systems", "FileSystems"):
        if tag not in each.get("Tags", ()) or each["FileSystemType"] != "LUSTRE" or each["Lifecycle"] == "DELETING":
            continue
        settings = each["LustreConfiguration"]
        deployment, throughput = settings["DeploymentType"], settings.get("PerUnitStorageThroughput")
        what = f"FSx {each['FileSystemId']} {deployment}" + (f" {throughput} MB/s/TiB" if throughput else "")
        yield Running(what, each["StorageCapacity"], "GB", lustre_key(deployment, throughput))


def stored(account: Account, team: Team, _today: date) -> Found:
    """What holds data and costs by use: named, not priced."""
    bucket = deployed_output(account, team, StackName.STORAGE, Output.BUCKET_NAME)
    if bucket is not None:
        yield Running(f"S3 {bucket}", 1, "buckets", None)
        yield Running("ECR", len(team.repositories), "repositories", None)


SERVICES: tuple[tuple[str, Callable[[Account, Team, date], Found]], ...] = (
    ("EC2 instances", nodes),
    ("capacity reservations", unused_reservations),
    ("EBS volumes", volumes),
    ("NAT gateways", nat_gateways),
    ("VPC endpoints", endpoints),
    ("public addresses", addresses),
    ("EKS", control_plane),
    ("FSx", file_systems),
    ("S3 and ECR", stored),
)
