"""AWS Batch: the multi-node job definition of one training image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_cdk import CfnResource, Stack, aws_iam as iam, aws_logs as logs
from constructs import Construct

from spec.hardware import Hardware
from spec.names import EVERY_NODE

NOFILE_LIMIT = 1048576
"""Open files per container: 32 workers with EFA outgrow the usual 1024.
https://github.com/aws-neuron/aws-neuron-sdk/issues/713"""


class MultiNodeJobDefinition(Construct):
    """Multi-node job definition that gives each node's container all Neuron and EFA devices, unprivileged."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        image: str,
        hardware: Hardware,
        num_nodes: int,
        job_role: iam.IRole,
        log_group: logs.ILogGroup,
        environment: Mapping[str, str],
        attempts: int,
        timeout_seconds: int,
    ) -> None:
        """`num_nodes`: nodes of a job that does not say otherwise when it is submitted.

        `timeout_seconds`: for the whole job, each attempt anew.
        """
        super().__init__(scope, id_)
        devices = [*hardware.neuron_device_paths, *hardware.uverbs_device_paths]
        variables = hardware.efa_environment | dict(environment)
        container: dict[str, Any] = {
            "Image": image,
            "InstanceType": hardware.instance_type,
            "JobRoleArn": job_role.role_arn,
            "Environment": [{"Name": name, "Value": value} for name, value in sorted(variables.items())],
            # Multi-node jobs have their hosts to themselves, so each container takes the whole machine.
            "ResourceRequirements": [
                {"Type": "VCPU", "Value": str(hardware.vcpus)},
                {"Type": "MEMORY", "Value": str(hardware.job_memory_mib)},
            ],
            "LinuxParameters": {
                # Batch has no Neuron or EFA resource type: devices are passed one by one.
                # https://docs.aws.amazon.com/batch/latest/userguide/efa.html
                "Devices": [
                    {"HostPath": path, "ContainerPath": path, "Permissions": ["READ", "WRITE", "MKNOD"]}
                    for path in devices
                ],
                "SharedMemorySize": hardware.shared_memory_mib,
            },
            "Ulimits": [
                # EFA registers memory, which must be locked.
                {"Name": "memlock", "SoftLimit": -1, "HardLimit": -1},
                {"Name": "nofile", "SoftLimit": NOFILE_LIMIT, "HardLimit": NOFILE_LIMIT},
            ],
            "LogConfiguration": {
                "LogDriver": "awslogs",
                "Options": {
                    "awslogs-group": log_group.log_group_name,
                    "awslogs-region": Stack.of(self).region,
                    "awslogs-stream-prefix": "job",
                },
            },
        }
        definition = CfnResource(
            self,
            "Resource",
            type="AWS::Batch::JobDefinition",
            properties={
                "Type": "multinode",
                "NodeProperties": {
                    "MainNode": 0,
                    "NumNodes": num_nodes,
                    "NodeRangeProperties": [{"TargetNodes": EVERY_NODE, "Container": container}],
                },
                "PropagateTags": True,
                "RetryStrategy": {
                    "Attempts": attempts,
                    # A host that dies is retried; what a program returns by itself is not. An exit that matches no
                    # rule would be retried, hence the last one.
                    "EvaluateOnExit": [
                        {"OnStatusReason": "Host EC2*", "Action": "RETRY"},
                        {"OnReason": "*", "Action": "EXIT"},
                    ],
                },
                "Timeout": {"AttemptDurationSeconds": timeout_seconds},
            },
        )
        self.arn = definition.ref
