"""What of a team runs now, read from its account: one function per service, each by the team's tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from ops.aws import Account
from ops.cost.line import Running
from ops.preflight.parts import deployed
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


def instances(account: Account, team: Team, _today: date) -> Found:
    """EC2 instances by type and by how they are paid for; nodes have the tag from their launch templates."""
    filters = _by_tag(team, instance_state_name=["pending", "running"])
    found = account.pages("ec2", "describe_instances", "Reservations", Filters=filters)
    counted = Counter((each["InstanceType"], _paid(each)) for group in found for each in group["Instances"])
    for (instance_type, paid), count in sorted(counted.items(), key=str):
        yield Running(f"EC2 {instance_type}", count, "instances", instance_type, paid)


def _paid(instance: Mapping[str, Any]) -> str | None:
    reservation = instance.get("CapacityReservationId")
    if instance.get("InstanceLifecycle") == "capacity-block":
        return f"paid already: capacity block {reservation}"
    return f"paid already: reservation {reservation} costs as much, used or not" if reservation else None


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
    outputs = deployed(account, team, StackName.CLUSTER)
    if outputs is None:
        return
    cluster = account.client("eks").describe_cluster(name=outputs[Output.CLUSTER_NAME])["cluster"]
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
    outputs = deployed(account, team, StackName.STORAGE)
    if outputs is not None:
        yield Running(f"S3 {outputs[Output.BUCKET_NAME]}", 1, "buckets", None)
        yield Running("ECR", len(team.repositories), "repositories", None)


SERVICES: tuple[tuple[str, Callable[[Account, Team, date], Found]], ...] = (
    ("EC2 instances", instances),
    ("EBS volumes", volumes),
    ("NAT gateways", nat_gateways),
    ("VPC endpoints", endpoints),
    ("public addresses", addresses),
    ("EKS", control_plane),
    ("FSx", file_systems),
    ("S3 and ECR", stored),
)
