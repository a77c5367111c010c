"""Rules about launch templates: network interfaces, hardening, placement, capacity."""

from __future__ import annotations

import base64
import email
from collections.abc import Iterator
from typing import Any

from spec.names import TEAM_TAG
from tests.conftest import Synthesized
from tests.rules.cfn import count, find, resources, target
from tests.rules.training import (
    COMPUTE_ENVIRONMENT,
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    Launch,
    launch_template_version,
    of_every_launch,
    template_id,
)

IGNORED_BY_BATCH = {"InstanceType", "IamInstanceProfile", "InstanceMarketOptions", "DisableApiTermination"}
"""https://docs.aws.amazon.com/batch/latest/userguide/launch-templates.html"""
REFUSED_BY_EKS = {"IamInstanceProfile", "HibernationOptions", "InstanceInitiatedShutdownBehavior"}
"""https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html"""
BOOT_TIME_INSTALLS = ("yum update", "dnf update", "aws-neuronx-dkms", "efa-installer-latest", "bootstrap.sh")
MAX_USER_DATA_BYTES = 16384


def one_launch_template_each(synthesized: Synthesized) -> list[str]:
    """Every node group and compute environment has a launch template of its own, and no other template exists."""
    team = synthesized.team
    users = resources(synthesized, NODE_GROUP, COMPUTE_ENVIRONMENT)
    used = {target(synthesized, user.stack, template_id(user)) for user in users}
    # One more in the cluster: the system nodes.
    expected = (len(team.eks.node_groups) + 1 if team.eks else 0) + bool(team.batch)
    templates = {template.name for template in resources(synthesized, LAUNCH_TEMPLATE)}
    found = count("launch templates", len(templates), expected)
    found += count("node groups and compute environments", len(users), expected)
    return found + [f"{name}: not a launch template in use" for name in sorted(templates ^ used)]


def newest_version_by_attribute(synthesized: Synthesized) -> list[str]:
    """Each user asks for the version that CloudFormation has just made: $Default stays 1, $Latest hides a change."""
    users = resources(synthesized, NODE_GROUP, COMPUTE_ENVIRONMENT)
    if not users:
        return ["no node group and no compute environment"]
    found = []
    for user in users:
        version = launch_template_version(user)
        template = target(synthesized, user.stack, template_id(user))
        if target(synthesized, user.stack, version) != f"{template}.LatestVersionNumber":
            found.append(f"{user.name}: launch template version {version}, expected {template}.LatestVersionNumber")
    return found


def every_node_is_hardened(synthesized: Synthesized) -> list[str]:
    """IMDSv2 within two hops, an encrypted gp3 root volume, the team's tag on what an instance brings."""
    templates = resources(synthesized, LAUNCH_TEMPLATE)
    found = [] if templates else ["no launch template"]
    for template in templates:
        data = template.properties["LaunchTemplateData"]
        options = data.get("MetadataOptions", {})
        if (options.get("HttpTokens"), options.get("HttpPutResponseHopLimit")) != ("required", 2):
            found.append(f"{template.name}: metadata options {options}")
        volumes = [mapping["Ebs"] for mapping in data.get("BlockDeviceMappings", [])]
        if [(volume.get("Encrypted"), volume.get("VolumeType")) for volume in volumes] != [(True, "gp3")]:
            found.append(f"{template.name}: volumes {volumes}, expected one encrypted gp3 root volume")
        tagged = {
            item["ResourceType"]
            for item in data.get("TagSpecifications", [])
            if {"Key": TEAM_TAG, "Value": synthesized.team.name} in item["Tags"]
        }
        if tagged != {"instance", "volume", "network-interface"}:
            found.append(f"{template.name}: the team's tag is on {sorted(tagged)}")
        if "KeyName" in data:
            found.append(f"{template.name}: an SSH key; Session Manager reaches nodes without one")
    return found


@of_every_launch
def root_volume_has_the_size_asked_for(_: Synthesized, launch: Launch) -> Iterator[str]:
    sizes = [mapping["Ebs"].get("VolumeSize") for mapping in launch.data["BlockDeviceMappings"]]
    if sizes != [launch.part.root_volume_gib]:
        yield f"volume sizes {sizes}, expected {launch.part.root_volume_gib} GiB"


@of_every_launch
def nothing_that_the_service_refuses_or_ignores(_: Synthesized, launch: Launch) -> Iterator[str]:
    """A launch template may hold more than EKS accepts, and Batch drops a part of it without a word."""
    for key in sorted((REFUSED_BY_EKS if launch.in_eks else IGNORED_BY_BATCH) & launch.data.keys()):
        yield f"{key} is {'refused by EKS' if launch.in_eks else 'ignored by Batch'}"
    if launch.data.get("InstanceMarketOptions", {}).get("MarketType") == "spot":
        yield "a spot request"
    if "ImageId" in launch.data:
        yield "ImageId: the node group's AmiType and the compute environment's image say it"


@of_every_launch
def user_data_is_mime(_: Synthesized, launch: Launch) -> Iterator[str]:
    """No user data, or a MIME archive that installs nothing: EKS and Batch merge it with their own part."""
    if "UserData" not in launch.data:
        return
    encoded = launch.data["UserData"]
    text = encoded["Fn::Base64"] if isinstance(encoded, dict) else base64.b64decode(encoded).decode()
    if not isinstance(text, str):
        yield "user data that only the deployment puts together"
        return
    message = email.message_from_string(text)
    if not text.startswith(("MIME-Version:", "Content-Type:")) or not message.is_multipart():
        yield "user data is no MIME archive with its header on the first byte"
    elif message.defects:
        yield f"user data is a broken MIME archive: {message.defects}"
    if len(text.encode()) > MAX_USER_DATA_BYTES:
        yield f"user data above {MAX_USER_DATA_BYTES} bytes"
    for words in BOOT_TIME_INSTALLS:
        if words in text:
            yield f"user data contains {words}; the AMI brings driver and EFA"


@of_every_launch
def placement_is_what_the_team_asks_for(synthesized: Synthesized, launch: Launch) -> Iterator[str]:
    """`create`: a cluster placement group of its own; NAME: that one; `none`: no placement at all."""
    wanted = launch.part.placement
    placement = launch.data.get("Placement")
    if wanted == "none":
        if placement is not None:
            yield f"placement {placement}, expected none"
        return
    if placement is None or placement.keys() != {"GroupName"}:
        yield f"placement {placement}, expected a group name alone"
        return
    group = find(synthesized, launch.template.stack, placement["GroupName"])
    if wanted != "create":
        if placement["GroupName"] != wanted:
            yield f"placement group {placement['GroupName']}, expected {wanted}"
    elif group is None or group.kind != "AWS::EC2::PlacementGroup" or group.properties.get("Strategy") != "cluster":
        yield f"placement {placement}, expected a placement group of this team with strategy cluster"


def one_placement_group_each(synthesized: Synthesized) -> list[str]:
    """As many placement groups as parts that ask for one: a shared group finds capacity for both or for none."""
    team = synthesized.team
    parts = [*(team.eks.node_groups if team.eks else ()), *([team.batch] if team.batch else [])]
    expected = sum(part.placement == "create" for part in parts)
    used = {
        target(synthesized, template.stack, template.properties["LaunchTemplateData"]["Placement"]["GroupName"])
        for template in resources(synthesized, LAUNCH_TEMPLATE)
        if isinstance(template.properties["LaunchTemplateData"].get("Placement", {}).get("GroupName"), dict)
    }
    groups = resources(synthesized, "AWS::EC2::PlacementGroup")
    return count("placement groups", len(groups), expected) + count("placement groups in use", len(used), expected)


@of_every_launch
def capacity_is_complete(_: Synthesized, launch: Launch) -> Iterator[str]:
    """The settings of a reservation and of a capacity block go together, and none of them stands without one."""
    capacity = launch.part.capacity
    reservation: dict[str, Any] = {
        "CapacityReservationTarget": {"CapacityReservationId": capacity.reservation_id},
    }
    block = capacity.kind == "capacity-block"
    expected = {
        "CapacityReservationSpecification": None if capacity.kind == "on-demand" else reservation,
        "InstanceMarketOptions": {"MarketType": "capacity-block"} if block else None,
    }
    for key, value in expected.items():
        if launch.data.get(key) != value:
            yield f"{key} {launch.data.get(key)}, expected {value} with capacity {capacity}"
    if launch.in_eks:
        wanted = "CAPACITY_BLOCK" if block else None
        if launch.user.properties.get("CapacityType") != wanted:
            yield f"CapacityType {launch.user.properties.get('CapacityType')}, expected {wanted}"
    if block and "InstanceType" not in launch.data:
        yield "no InstanceType, which a capacity block wants in the launch template"
