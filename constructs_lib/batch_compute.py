"""AWS Batch: the compute environment of Trn instances and the queue in front of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_cdk import CfnParameter, CfnResource, aws_batch as batch, aws_ec2 as ec2, aws_iam as iam
from constructs import Construct

from constructs_lib.launch_template import TrnLaunchTemplate
from spec.hardware import Hardware
from spec.versions import BATCH_IMAGE_TYPE, ECS_NEURON_AMI_PARAMETER

STUCK_REASONS = (
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
)
"""Why Batch may find the job at the head of a queue impossible to start.
https://docs.aws.amazon.com/batch/latest/APIReference/API_JobStateTimeLimitAction.html"""


class TrnComputeEnvironment(Construct):
    """Managed EC2 compute environment of one Trn instance type in one subnet, from zero to `max_nodes`.

    An L1, because the L2 adds security groups beside the template's network interfaces (Batch refuses both), and
    drops the launch template's version. https://github.com/aws/aws-cdk/issues/21577
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        subnet: ec2.ISubnet,
        launch_template: TrnLaunchTemplate,
        hardware: Hardware,
        max_nodes: int,
        ami_id: str | None,
        tags: Mapping[str, str],
    ) -> None:
        """`ami_id`: AMI to run; None for the newest ECS-optimized Neuron AMI at the time of each deployment."""
        super().__init__(scope, id_)
        role = iam.Role(
            self,
            "InstanceRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            managed_policies=[
                iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AmazonEC2ContainerServiceforEC2Role"),
                iam.ManagedPolicy.from_aws_managed_policy_name("AmazonSSMManagedInstanceCore"),
            ],
        )
        profile = iam.CfnInstanceProfile(self, "InstanceProfile", roles=[role.role_name])
        image_id = ami_id or self._newest_neuron_ami()
        environment = CfnResource(
            self,
            "Resource",
            type="AWS::Batch::ComputeEnvironment",
            properties={
                "Type": "MANAGED",
                "State": "ENABLED",
                "ComputeResources": {
                    # Multi-node jobs run on EC2 capacity only, not on SPOT.
                    "Type": "EC2",
                    # Any strategy but BEST_FIT, which forbids updates in place.
                    "AllocationStrategy": "BEST_FIT_PROGRESSIVE",
                    "InstanceTypes": [hardware.instance_type],
                    "Ec2Configuration": [{"ImageType": BATCH_IMAGE_TYPE, "ImageIdOverride": image_id}],
                    "InstanceRole": profile.attr_arn,
                    "LaunchTemplate": {
                        "LaunchTemplateId": launch_template.launch_template_id,
                        "Version": launch_template.version,
                    },
                    "MinvCpus": 0,
                    "MaxvCpus": max_nodes * hardware.vcpus,
                    # One subnet: EFA and a cluster placement group both end at the zone's border.
                    "Subnets": [subnet.subnet_id],
                    "Tags": dict(tags),
                },
                # No ServiceRole: with the service-linked role Batch updates in place, and deletion needs no order.
                "ReplaceComputeEnvironment": False,
                "UpdatePolicy": {"JobExecutionTimeoutMinutes": 30, "TerminateJobsOnUpdate": False},
            },
        )
        # The role's policies are part of it, but the profile alone does not wait for them.
        environment.node.add_dependency(role)
        self.arn = environment.get_att("ComputeEnvironmentArn").to_string()

    def _newest_neuron_ami(self) -> str:
        return CfnParameter(
            self,
            "NeuronAmi",
            type="AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
            default=ECS_NEURON_AMI_PARAMETER,
            description="ECS-optimized AL2023 AMI with the Neuron driver",
        ).value_as_string


class TrainingJobQueue(Construct):
    """Job queue on one compute environment; fair-share between `shares` where given, first come first served otherwise.

    A job that cannot start is cancelled after `max_runnable_seconds` at the head of the queue instead of blocking it.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        compute_environment: TrnComputeEnvironment,
        shares: Mapping[str, float],
        max_runnable_seconds: int,
    ) -> None:
        """`shares`: share identifier -> weight factor, where a lower weight gets more."""
        super().__init__(scope, id_)
        properties: dict[str, Any] = {
            "Priority": 1,
            "State": "ENABLED",
            "ComputeEnvironmentOrder": [{"Order": 1, "ComputeEnvironment": compute_environment.arn}],
            "JobStateTimeLimitActions": [
                {"State": "RUNNABLE", "Action": "CANCEL", "MaxTimeSeconds": max_runnable_seconds, "Reason": reason}
                for reason in STUCK_REASONS
            ],
        }
        if shares:
            policy = batch.CfnSchedulingPolicy(
                self,
                "SchedulingPolicy",
                fairshare_policy=batch.CfnSchedulingPolicy.FairsharePolicyProperty(
                    share_distribution=[
                        batch.CfnSchedulingPolicy.ShareAttributesProperty(
                            share_identifier=identifier, weight_factor=weight
                        )
                        for identifier, weight in shares.items()
                    ],
                    # Usage of the last day counts, so a team that waited overnight is served first in the morning.
                    share_decay_seconds=86400,
                ),
            )
            properties["SchedulingPolicyArn"] = policy.attr_arn
        # A queue can neither gain nor lose its policy, so the two kinds have ids of their own: one replaces the other.
        kind = "FairShare" if shares else "FirstIn"
        queue = CfnResource(self, kind, type="AWS::Batch::JobQueue", properties=properties)
        self.arn = queue.get_att("JobQueueArn").to_string()
