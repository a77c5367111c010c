"""The 23 mistakes that cfn-lint, moto and botocore's shapes all let pass in a trial of 47.

Tried with cfn-lint 1.58.0, a deployment to moto 5.2.5, and botocore 1.44.8's input shapes.
"""

from __future__ import annotations

from tests.mutants.mutant import Mutant, gone, merged, plus, to
from tests.rules import batch, efa, eks, iam, interfaces, job_definition, lustre, network, node_group, security_group

NODES, CLUSTER, STORAGE, BATCH = "bert/Nodes", "bert/Cluster", "bert/Storage", "llama2/Batch"
TEMPLATE = "AWS::EC2::LaunchTemplate"
INTERFACES = "LaunchTemplateData.NetworkInterfaces"
FILE_SYSTEM = "AWS::FSx::FileSystem"
GROUP = "AWS::EKS::Nodegroup"
JOB = "AWS::Batch::JobDefinition bert"
CONTAINER = "NodeProperties.NodeRangeProperties.0.Container"
NINTH = {"DeleteOnTermination": True, "DeviceIndex": 2, "Groups": ["sg-1"], "InterfaceType": "efa"}

MISSED: tuple[Mutant, ...] = (
    Mutant(
        "duplicate-network-card-index",
        interfaces.interfaces_have_places_of_their_own,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.2.NetworkCardIndex",
        to(1),
    ),
    Mutant(
        "device-index-0-on-two-cards",
        interfaces.one_interface_routes,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.1.DeviceIndex",
        to(0),
    ),
    Mutant(
        "ninth-efa-on-an-eight-card-type",
        interfaces.every_efa_card_is_used,
        NODES,
        TEMPLATE,
        INTERFACES,
        plus({**NINTH, "NetworkCardIndex": 8}),
    ),
    Mutant(
        "interface-type-misspelt",
        interfaces.interfaces_follow_the_layout,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.3.InterfaceType",
        to("efaa"),
    ),
    Mutant(
        "public-address-with-several-interfaces",
        interfaces.no_public_address,
        NODES,
        TEMPLATE,
        f"{INTERFACES}.0.AssociatePublicIpAddress",
        to(True),
    ),
    Mutant(
        "security-group-ids-beside-interfaces",
        interfaces.groups_in_interfaces_only,
        BATCH,
        TEMPLATE,
        "LaunchTemplateData.SecurityGroupIds",
        to(["sg-1"]),
    ),
    Mutant(
        "lustre-capacity-1300",
        lustre.capacity_is_one_that_fsx_sells,
        STORAGE,
        FILE_SYSTEM,
        "StorageCapacity",
        to(1300),
    ),
    Mutant(
        "lustre-throughput-77",
        lustre.throughput_fits_the_deployment,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.PerUnitStorageThroughput",
        to(77),
    ),
    Mutant(
        "scratch-2-with-throughput",
        lustre.throughput_fits_the_deployment,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.DeploymentType",
        to("SCRATCH_2"),
    ),
    Mutant(
        "persistent-2-with-import-path",
        lustre.linked_by_associations_only,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.ImportPath",
        to("s3://bucket/datasets"),
    ),
    Mutant(
        "two-lustre-subnets",
        network.training_happens_in_one_subnet,
        STORAGE,
        FILE_SYSTEM,
        "SubnetIds",
        plus("subnet-2"),
    ),
    Mutant(
        "instance-type-in-node-group-and-template",
        node_group.node_groups_are_well_formed,
        NODES,
        GROUP,
        "InstanceTypes",
        to(["trn1.32xlarge"]),
    ),
    Mutant(
        "disk-size-beside-launch-template", node_group.node_groups_are_well_formed, NODES, GROUP, "DiskSize", to(100)
    ),
    Mutant(
        "desired-above-max",
        node_group.node_groups_are_well_formed,
        NODES,
        GROUP,
        "ScalingConfig.DesiredSize",
        to(3),
    ),
    Mutant(
        "kubernetes-1-12",
        eks.version_is_one_that_nodes_exist_for,
        CLUSTER,
        "AWS::EKS::Cluster",
        "Version",
        to("1.12"),
    ),
    Mutant(
        "cluster-in-one-subnet",
        eks.control_plane_spans_two_zones,
        CLUSTER,
        "AWS::EKS::Cluster",
        "ResourcesVpcConfig.SubnetIds",
        lambda old: old[:1],
    ),
    Mutant(
        "managed-policy-that-does-not-exist",
        iam.managed_policies_exist,
        CLUSTER,
        "AWS::IAM::Role NodeRole",
        "ManagedPolicyArns.0",
        to("arn:aws:iam::aws:policy/AmazonEKSWorkerNodesPolicy"),
    ),
    Mutant(
        "multinode-without-node-properties",
        job_definition.jobs_span_any_number_of_nodes,
        BATCH,
        JOB,
        "NodeProperties",
        gone,
    ),
    Mutant(
        "target-nodes-beyond-num-nodes",
        job_definition.jobs_span_any_number_of_nodes,
        BATCH,
        JOB,
        "NodeProperties",
        lambda old: {
            **old,
            "NumNodes": 2,
            "NodeRangeProperties": [{**old["NodeRangeProperties"][0], "TargetNodes": "0:9"}],
        },
    ),
    Mutant(
        "no-vcpu-and-memory",
        job_definition.jobs_take_the_whole_machine,
        BATCH,
        JOB,
        f"{CONTAINER}.ResourceRequirements",
        gone,
    ),
    Mutant(
        "image-type-ecs-al2024",
        batch.environment_runs_the_neuron_image,
        BATCH,
        "AWS::Batch::ComputeEnvironment",
        "ComputeResources.Ec2Configuration.0.ImageType",
        to("ECS_AL2024"),
    ),
    Mutant(
        "security-group-port-70000",
        security_group.group_rules_are_well_formed,
        STORAGE,
        "AWS::EC2::SecurityGroupIngress",
        "",
        lambda old: {**old, "Properties": merged(ToPort=70000)(old["Properties"])},
    ),
    Mutant(
        "no-efa-egress-to-itself",
        efa.groups_admit_themselves,
        "bert/Network",
        "AWS::EC2::SecurityGroupEgress",
        "",
        gone,
    ),
)
