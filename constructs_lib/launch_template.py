"""The launch template of Trn instances, shared by EKS node groups and Batch compute environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import CfnResource, aws_ec2 as ec2
from constructs import Construct

from spec.capacity import Capacity
from spec.hardware import EfaLayout, Hardware
from spec.versions import ROOT_DEVICE


class TrnLaunchTemplate(Construct):
    """Launch template with every EFA card of a hardware row, IMDSv2 and an encrypted gp3 root volume.

    Written as a plain CfnResource in CloudFormation's own property names: the L2 has no network interfaces, the typed
    L1 drops a misspelt key of a nested dictionary silently, and one plain property tree costs one jsii call.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        hardware: Hardware,
        efa_layout: EfaLayout,
        security_group_ids: Sequence[str],
        placement: str,
        capacity: Capacity,
        root_volume_gib: int,
        tags: Mapping[str, str],
        with_instance_type: bool,
    ) -> None:
        """`placement`: "create", "none" or the name of a placement group that exists.

        `with_instance_type`: EKS takes the type from here or from the node group; Batch ignores it here.
        """
        super().__init__(scope, id_)
        data = hardened_launch_template_data(root_volume_gib=root_volume_gib, tags=tags)
        data["NetworkInterfaces"] = _network_interfaces(hardware, efa_layout, security_group_ids)
        if with_instance_type:
            data["InstanceType"] = hardware.instance_type
        if (group := self._placement_group_name(placement)) is not None:
            data["Placement"] = {"GroupName": group}
        data |= _capacity(capacity)
        template = CfnResource(
            self, "Resource", type="AWS::EC2::LaunchTemplate", properties={"LaunchTemplateData": data}
        )
        self.launch_template_id = template.ref
        # $Default stays version 1 for ever, since CloudFormation cannot set it, and $Latest hides the change.
        self.version = template.get_att("LatestVersionNumber").to_string()

    def _placement_group_name(self, placement: str) -> str | None:
        if placement == "none":
            return None
        if placement == "create":
            return ec2.CfnPlacementGroup(self, "PlacementGroup", strategy="cluster").attr_group_name
        return placement


def hardened_launch_template_data(*, root_volume_gib: int, tags: Mapping[str, str]) -> dict[str, Any]:
    """Launch template data that every node has: encrypted gp3 root volume, IMDSv2, tags on what an instance brings."""
    return {
        "BlockDeviceMappings": [
            {
                "DeviceName": ROOT_DEVICE,
                "Ebs": {
                    "DeleteOnTermination": True,
                    "Encrypted": True,
                    "VolumeSize": root_volume_gib,
                    "VolumeType": "gp3",
                },
            }
        ],
        # Two hops, so that a pod or container with a network namespace of its own reaches IMDS.
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 2, "HttpTokens": "required"},
        "TagSpecifications": [
            {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
            for kind in ("instance", "volume", "network-interface")
        ],
    }


def _network_interfaces(
    hardware: Hardware, efa_layout: EfaLayout, security_group_ids: Sequence[str]
) -> list[dict[str, Any]]:
    # Every interface carries the groups itself: beside NetworkInterfaces, EC2 refuses them at the template's top level.
    # No interface asks for a public address: EC2 refuses that with more than one interface.
    return [
        {
            "DeleteOnTermination": True,
            "DeviceIndex": interface.device_index,
            "Groups": list(security_group_ids),
            "InterfaceType": interface.interface_type,
            "NetworkCardIndex": interface.network_card_index,
        }
        for interface in hardware.network_interfaces(efa_layout)
    ]


def _capacity(capacity: Capacity) -> dict[str, Any]:
    if capacity.kind == "on-demand":
        return {}
    target = {"CapacityReservationTarget": {"CapacityReservationId": capacity.reservation_id}}
    if capacity.kind == "reservation":
        return {"CapacityReservationSpecification": target}
    return {
        "CapacityReservationSpecification": target,
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
    }
