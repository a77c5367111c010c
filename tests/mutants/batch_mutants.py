"""Mutants of the Batch stack."""

from __future__ import annotations

from tests.mutants.mutant import Mutant, gone, to, without_last
from tests.rules import batch, iam

BATCH, SHARED = "llama2/Batch", "research/Batch"
ENVIRONMENT, QUEUE = "AWS::Batch::ComputeEnvironment", "AWS::Batch::JobQueue"
COMPUTE = "ComputeResources"
SHARES = "FairsharePolicy.ShareDistribution"

MUTANTS: tuple[Mutant, ...] = (
    Mutant("no-environment", batch.environment_runs_multi_node_jobs, BATCH, ENVIRONMENT, "", gone),
    Mutant(
        "spot-environment", batch.environment_runs_multi_node_jobs, BATCH, ENVIRONMENT, f"{COMPUTE}.Type", to("SPOT")
    ),
    Mutant("unmanaged", batch.environment_runs_multi_node_jobs, BATCH, ENVIRONMENT, "Type", to("UNMANAGED")),
    Mutant("switched-off", batch.environment_runs_multi_node_jobs, BATCH, ENVIRONMENT, "State", to("DISABLED")),
    Mutant(
        "groups-beside-interfaces",
        batch.environment_names_no_groups,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.SecurityGroupIds",
        to(["sg-1"]),
    ),
    Mutant(
        "empty-groups-beside-interfaces",
        batch.environment_names_no_groups,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.SecurityGroupIds",
        to([]),
    ),
    Mutant(
        "best-fit",
        batch.environment_can_be_updated,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.AllocationStrategy",
        to("BEST_FIT"),
    ),
    Mutant(
        "best-fit-by-default",
        batch.environment_can_be_updated,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.AllocationStrategy",
        gone,
    ),
    Mutant(
        "replaced-by-default", batch.environment_can_be_updated, BATCH, ENVIRONMENT, "ReplaceComputeEnvironment", gone
    ),
    Mutant("service-role", batch.environment_can_be_updated, BATCH, ENVIRONMENT, "ServiceRole", to("batch-role")),
    Mutant("no-update-policy", batch.environment_can_be_updated, BATCH, ENVIRONMENT, "UpdatePolicy", gone),
    Mutant(
        "sixteen-nodes-and-a-bit",
        batch.environment_scales_from_zero_to_max_nodes,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.MaxvCpus",
        to(2088),
    ),
    Mutant(
        "nodes-that-never-leave",
        batch.environment_scales_from_zero_to_max_nodes,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.MinvCpus",
        to(128),
    ),
    Mutant(
        "desired-vcpus",
        batch.environment_scales_from_zero_to_max_nodes,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.DesiredvCpus",
        to(0),
    ),
    Mutant(
        "plain-image",
        batch.environment_runs_the_neuron_image,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.Ec2Configuration.0.ImageIdOverride",
        gone,
    ),
    Mutant(
        "image-of-another-parameter",
        batch.environment_runs_the_neuron_image,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.Ec2Configuration.0.ImageIdOverride",
        to({"Ref": "BootstrapVersion"}),
    ),
    Mutant(
        "no-image", batch.environment_runs_the_neuron_image, BATCH, ENVIRONMENT, f"{COMPUTE}.Ec2Configuration", to([])
    ),
    Mutant("no-queue", batch.queue_gives_up_on_stuck_jobs, BATCH, QUEUE, "", gone),
    Mutant("queue-on-nothing", batch.queue_gives_up_on_stuck_jobs, BATCH, QUEUE, "ComputeEnvironmentOrder", to([])),
    Mutant("jobs-stuck-for-ever", batch.queue_gives_up_on_stuck_jobs, BATCH, QUEUE, "JobStateTimeLimitActions", gone),
    Mutant(
        "one-reason-forgotten",
        batch.queue_gives_up_on_stuck_jobs,
        BATCH,
        QUEUE,
        "JobStateTimeLimitActions",
        without_last,
    ),
    Mutant(
        "gives-up-too-soon",
        batch.queue_gives_up_on_stuck_jobs,
        BATCH,
        QUEUE,
        "JobStateTimeLimitActions.0.MaxTimeSeconds",
        to(60),
    ),
    Mutant("policy-not-used", batch.queue_shares_what_the_team_says, SHARED, QUEUE, "SchedulingPolicyArn", gone),
    Mutant(
        "shares-nobody-asked-for", batch.queue_shares_what_the_team_says, BATCH, QUEUE, "SchedulingPolicyArn", to("arn")
    ),
    Mutant(
        "share-of-another-weight",
        batch.queue_shares_what_the_team_says,
        SHARED,
        "AWS::Batch::SchedulingPolicy",
        f"{SHARES}.0.WeightFactor",
        to(2),
    ),
    Mutant(
        "share-with-a-hyphen",
        batch.queue_shares_what_the_team_says,
        SHARED,
        "AWS::Batch::SchedulingPolicy",
        f"{SHARES}.0.ShareIdentifier",
        to("team-a"),
    ),
    Mutant(
        "pinned-image-replaced",
        batch.environment_runs_the_neuron_image,
        "special/Batch",
        ENVIRONMENT,
        f"{COMPUTE}.Ec2Configuration.0.ImageIdOverride",
        to("ami-0000000000000000f"),
    ),
    Mutant(
        "deprecated-image",
        batch.environment_runs_the_neuron_image,
        BATCH,
        ENVIRONMENT,
        f"{COMPUTE}.ImageId",
        to("ami-1"),
    ),
    Mutant(
        "hosts-that-do-not-serve-ecs",
        iam.hosts_may_do_their_work,
        BATCH,
        "AWS::IAM::Role ComputeEnvironmentInstanceRole",
        "ManagedPolicyArns.0",
        gone,
    ),
    Mutant("hosts-without-a-role", iam.hosts_may_do_their_work, BATCH, ENVIRONMENT, f"{COMPUTE}.InstanceRole", gone),
)
