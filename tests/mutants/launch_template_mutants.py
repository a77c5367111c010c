"""Mutants of launch templates."""

from __future__ import annotations

import base64

from tests.mutants.mutant import Mutant, gone, merged, to
from tests.rules import assembly, launch_template, security_group

NODES, RESERVED, BATCH, NETWORK = "bert/Nodes", "research/Nodes", "llama2/Batch", "bert/Network"
TEMPLATE = "AWS::EC2::LaunchTemplate"
SYSTEM_TEMPLATE = "AWS::EC2::LaunchTemplate SystemNodes"
GROUP = "AWS::EKS::Nodegroup"
ENVIRONMENT = "AWS::Batch::ComputeEnvironment"
DATA = "LaunchTemplateData"
SHELL = base64.b64encode(b"#!/bin/bash\necho hello\n").decode()
QUOTED = '"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=="\n\n--==\n\nx\n--==--\n'
INSTALLER = (
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=="\n\n--==\nContent-Type: text/x-shellscript\n\n'
    "#!/bin/bash\nyum update -y\n--==--\n"
)

MUTANTS: tuple[Mutant, ...] = (
    Mutant("node-group-gone", launch_template.one_launch_template_each, NODES, GROUP, "", gone),
    Mutant(
        "orphan-launch-template",
        launch_template.one_launch_template_each,
        NODES,
        GROUP,
        "LaunchTemplate.Id",
        to("lt-0123456789abcdef0"),
    ),
    Mutant(
        "batch-template-at-default-version",
        launch_template.newest_version_by_attribute,
        BATCH,
        ENVIRONMENT,
        "ComputeResources.LaunchTemplate.Version",
        gone,
    ),
    Mutant(
        "batch-template-at-latest-version",
        launch_template.newest_version_by_attribute,
        BATCH,
        ENVIRONMENT,
        "ComputeResources.LaunchTemplate.Version",
        to("$Latest"),
    ),
    Mutant(
        "node-template-at-version-1",
        launch_template.newest_version_by_attribute,
        NODES,
        GROUP,
        "LaunchTemplate.Version",
        to("1"),
    ),
    Mutant(
        "imds-v1",
        launch_template.every_node_is_hardened,
        NODES,
        TEMPLATE,
        f"{DATA}.MetadataOptions.HttpTokens",
        to("optional"),
    ),
    Mutant(
        "imds-out-of-reach-of-pods",
        launch_template.every_node_is_hardened,
        BATCH,
        TEMPLATE,
        f"{DATA}.MetadataOptions.HttpPutResponseHopLimit",
        to(1),
    ),
    Mutant(
        "root-volume-not-encrypted",
        launch_template.every_node_is_hardened,
        "bert/Cluster",
        SYSTEM_TEMPLATE,
        f"{DATA}.BlockDeviceMappings.0.Ebs.Encrypted",
        to(False),
    ),
    Mutant(
        "instances-without-the-team-tag",
        launch_template.every_node_is_hardened,
        NODES,
        TEMPLATE,
        f"{DATA}.TagSpecifications",
        lambda old: old[1:],
    ),
    Mutant("ssh-key", launch_template.every_node_is_hardened, NODES, TEMPLATE, f"{DATA}.KeyName", to("mine")),
    Mutant(
        "root-volume-of-another-size",
        launch_template.root_volume_has_the_size_asked_for,
        NODES,
        TEMPLATE,
        f"{DATA}.BlockDeviceMappings.0.Ebs.VolumeSize",
        to(8),
    ),
    Mutant(
        "instance-profile-in-eks",
        launch_template.nothing_that_the_service_refuses_or_ignores,
        NODES,
        TEMPLATE,
        f"{DATA}.IamInstanceProfile",
        to({"Name": "mine"}),
    ),
    Mutant(
        "instance-type-in-batch",
        launch_template.nothing_that_the_service_refuses_or_ignores,
        BATCH,
        TEMPLATE,
        f"{DATA}.InstanceType",
        to("trn1.32xlarge"),
    ),
    Mutant(
        "ami-in-the-template",
        launch_template.nothing_that_the_service_refuses_or_ignores,
        NODES,
        TEMPLATE,
        f"{DATA}.ImageId",
        to("ami-0123456789abcdef0"),
    ),
    Mutant(
        "spot-nodes",
        launch_template.nothing_that_the_service_refuses_or_ignores,
        NODES,
        TEMPLATE,
        f"{DATA}.InstanceMarketOptions",
        to({"MarketType": "spot"}),
    ),
    Mutant("bare-shell-script", launch_template.user_data_is_mime, BATCH, TEMPLATE, f"{DATA}.UserData", to(SHELL)),
    Mutant(
        "quote-before-the-mime-header",
        launch_template.user_data_is_mime,
        BATCH,
        TEMPLATE,
        f"{DATA}.UserData",
        to({"Fn::Base64": QUOTED}),
    ),
    Mutant(
        "update-at-boot",
        launch_template.user_data_is_mime,
        NODES,
        TEMPLATE,
        f"{DATA}.UserData",
        to({"Fn::Base64": INSTALLER}),
    ),
    Mutant(
        "no-placement-group",
        launch_template.placement_is_what_the_team_asks_for,
        BATCH,
        TEMPLATE,
        f"{DATA}.Placement",
        gone,
    ),
    Mutant(
        "placement-group-with-a-reservation",
        launch_template.placement_is_what_the_team_asks_for,
        RESERVED,
        TEMPLATE,
        f"{DATA}.Placement",
        to({"GroupName": "mine"}),
    ),
    Mutant(
        "spread-placement",
        launch_template.placement_is_what_the_team_asks_for,
        NODES,
        "AWS::EC2::PlacementGroup",
        "Strategy",
        to("spread"),
    ),
    Mutant(
        "placement-group-that-nobody-uses",
        launch_template.one_placement_group_each,
        NODES,
        TEMPLATE,
        f"{DATA}.Placement.GroupName",
        to("mine"),
    ),
    Mutant(
        "reservation-forgotten",
        launch_template.capacity_is_complete,
        RESERVED,
        TEMPLATE,
        f"{DATA}.CapacityReservationSpecification",
        gone,
    ),
    Mutant(
        "capacity-type-without-a-block",
        launch_template.capacity_is_complete,
        NODES,
        GROUP,
        "CapacityType",
        to("CAPACITY_BLOCK"),
    ),
    Mutant(
        "market-options-without-a-block",
        launch_template.capacity_is_complete,
        RESERVED,
        TEMPLATE,
        f"{DATA}.InstanceMarketOptions",
        to({"MarketType": "capacity-block"}),
    ),
    Mutant(
        "ports-with-all-protocols",
        security_group.group_rules_are_well_formed,
        NETWORK,
        "AWS::EC2::SecurityGroupEgress",
        "ToPort",
        to(65536),
    ),
    Mutant(
        "launch-template-with-a-name-of-its-own",
        assembly.nothing_has_a_physical_name,
        NODES,
        TEMPLATE,
        "LaunchTemplateName",
        to("trn1"),
    ),
    Mutant(
        "mime-archive-without-its-end",
        launch_template.user_data_is_mime,
        NODES,
        TEMPLATE,
        f"{DATA}.UserData",
        to({"Fn::Base64": 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=="\n\n--==\n\nx\n'}),
    ),
    Mutant(
        "user-data-above-its-limit",
        launch_template.user_data_is_mime,
        NODES,
        TEMPLATE,
        f"{DATA}.UserData",
        to({"Fn::Base64": INSTALLER.replace("yum update -y", "#" * 16384)}),
    ),
    Mutant(
        "placement-group-of-another-name",
        launch_template.placement_is_what_the_team_asks_for,
        "special/Batch",
        TEMPLATE,
        f"{DATA}.Placement.GroupName",
        to("other"),
    ),
    Mutant(
        "capacity-block-without-market-options",
        launch_template.capacity_is_complete,
        "special/Nodes",
        TEMPLATE,
        f"{DATA}.InstanceMarketOptions",
        gone,
    ),
    Mutant(
        "capacity-block-without-its-id",
        launch_template.capacity_is_complete,
        "special/Nodes",
        TEMPLATE,
        f"{DATA}.CapacityReservationSpecification",
        gone,
    ),
    Mutant(
        "capacity-block-without-its-capacity-type",
        launch_template.capacity_is_complete,
        "special/Nodes",
        GROUP,
        "CapacityType",
        gone,
    ),
    Mutant(
        "capacity-block-bought-on-demand",
        launch_template.capacity_is_complete,
        "special/Nodes",
        GROUP,
        "",
        lambda old: {**old, "Properties": merged(CapacityType="ON_DEMAND")(old["Properties"])},
    ),
)
