"""The Batch stack: compute environment, queue and multi-node job definitions."""

from __future__ import annotations

from aws_cdk import aws_iam as iam, aws_logs as logs
from constructs import Construct

from constructs_lib.batch_compute import TrainingJobQueue, TrnComputeEnvironment
from constructs_lib.job_definition import MultiNodeJobDefinition
from constructs_lib.launch_template import TrnLaunchTemplate
from constructs_lib.task_ports import TaskPorts
from spec.names import ARTIFACTS_URI_ENV, JOB_LOG_RETENTION, Output, job_definition_arn_output
from spec.team import Batch, Team
from stacks.network import NetworkStack
from stacks.storage import StorageStack
from stacks.team_stack import TeamStack, removal_policy, resource_tags


class BatchStack(TeamStack):
    """AWS Batch on Trn instances, one job definition per image of the team."""

    def __init__(
        self, scope: Construct, id_: str, *, team: Team, batch: Batch, network: NetworkStack, storage: StorageStack
    ) -> None:
        super().__init__(scope, id_, team=team, description="AWS Batch on Trainium")
        TaskPorts(self, "TaskPorts", vpc=network.vpc)
        compute_environment = TrnComputeEnvironment(
            self,
            "ComputeEnvironment",
            subnet=network.training_subnet,
            launch_template=TrnLaunchTemplate(
                self,
                "LaunchTemplate",
                hardware=batch.hardware,
                efa_layout=batch.efa_layout,
                security_group_ids=[network.efa_security_group.security_group_id],
                placement=batch.placement,
                capacity=batch.capacity_option,
                root_volume_gib=batch.root_volume_gib,
                tags=resource_tags(team),
                with_instance_type=False,
            ),
            hardware=batch.hardware,
            max_nodes=batch.max_nodes,
            ami_id=batch.ami_id,
            tags=resource_tags(team),
        )
        job_queue = TrainingJobQueue(
            self,
            "JobQueue",
            compute_environment=compute_environment,
            shares=batch.shares,
            max_runnable_seconds=batch.max_runnable_minutes * 60,
        )
        job_role = iam.Role(
            self,
            "JobRole",
            assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"),
            description="Training jobs: the team's prefixes of the artifact bucket",
        )
        storage.bucket.grant_train(job_role)
        log_group = logs.LogGroup(
            self, "JobLogs", retention=logs.RetentionDays[JOB_LOG_RETENTION], removal_policy=removal_policy(team)
        )
        for image in team.images:
            definition = MultiNodeJobDefinition(
                self,
                image,
                image=storage.repositories[image].repository_uri_for_tag(team.image_tag),
                hardware=batch.hardware,
                num_nodes=batch.max_nodes,
                job_role=job_role,
                log_group=log_group,
                environment={ARTIFACTS_URI_ENV: f"s3://{storage.bucket.bucket.bucket_name}"},
                attempts=batch.attempts,
                timeout_seconds=batch.timeout_hours * 3600,
            )
            self.output(job_definition_arn_output(image), definition.arn, f"Job definition of image {image}")

        self.output(Output.COMPUTE_ENVIRONMENT_ARN, compute_environment.arn, "Compute environment")
        self.output(Output.JOB_QUEUE_ARN, job_queue.arn, "Job queue")
        self.output(Output.JOB_LOG_GROUP_NAME, log_group.log_group_name, "Log group of every job")
        self.output(Output.JOB_ROLE_ARN, job_role.role_arn, "Role of every job")
