"""An operator's world: an AWS account that moto plays, with the stacks of a team, and its cluster's API on loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import botocore.loaders
import pytest
from botocore.loaders import create_loader
from moto import mock_aws
from moto.batch.models import batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.eks.models import eks_backends

from ops.aws import Account
from ops.cli import run
from spec.names import TEAM_TAG, JobLabel, Output, StackName, stack_name
from spec.team import Team
from spec.team_file import load_team
from tests.account.kubernetes_api import KubernetesApi, Object, serve
from tests.ops.accounts import command, moto_account, stubbed, team_of

__all__ = ["command", "moto_account", "stubbed", "team_of"]

REGION = "us-west-2"
VOLCANO = "/apis/batch.volcano.sh/v1alpha1"
SCHEDULING = "/apis/scheduling.volcano.sh/v1beta1"
CORE = "/api/v1"

NETWORK = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
BOTH = {
    "region": REGION,
    "network": NETWORK,
    "storage": {"lustre": {}},
    "eks": {
        "admins": ["arn:aws:iam::111122223333:role/Admin"],
        "node_groups": [{"name": "trn1", "instance_type": "trn1.32xlarge"}],
        "queues": [{"name": "bert", "neuron_devices": 32}, {"name": "vision", "neuron_devices": 16}],
    },
    "batch": {"instance_type": "trn1.32xlarge", "max_nodes": 4},
}
EKS_ONLY = {key: value for key, value in BOTH.items() if key != "batch"}
BATCH_ONLY = {"region": REGION, "network": NETWORK, "batch": BOTH["batch"]}


@pytest.fixture(autouse=True, scope="session")
def _one_loader() -> Iterator[None]:
    """Every session reads botocore's service models once: EC2's alone takes half a second."""
    loader = create_loader()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.session.create_loader", lambda _: loader)
        yield


@pytest.fixture(autouse=True, scope="session")
def models_are_read_once() -> Iterator[None]:
    """boto3 sessions share what they read of botocore's service models, which is most of the time of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        shared = botocore.loaders.create_loader()
        patch.setattr("botocore.session.create_loader", lambda *_: shared)
        yield


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that open nothing, and nobody's own settings."""
    for name in (
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ENDPOINT_URL",
        "AWS_SESSION_TOKEN",
        "TEAMS_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
        ("AWS_CONFIG_FILE", "/nowhere"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/nowhere"),
    ):
        monkeypatch.setenv(name, value)


@pytest.fixture
def kubernetes() -> Iterator[KubernetesApi]:
    with serve() as api:
        yield api


TeamWriter = Callable[..., Team]


@pytest.fixture
def write_team(tmp_path: Path) -> TeamWriter:
    """Write a team file of these keys and load it."""

    def write(keys: Mapping[str, Any], name: str = "ours") -> Team:
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps(keys))
        return load_team(path)

    return write


@dataclass
class World:
    """A team whose stacks are deployed."""

    team: Team
    account: Account
    kubernetes: KubernetesApi
    values: dict[str, str] = field(default_factory=dict)
    """Output values that tests refer to."""

    def deploy(self, stack: StackName, outputs: Mapping[str, str]) -> None:
        """A stack that holds nothing, with these outputs."""
        template = {
            "Resources": {"Nothing": {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": f"stack-{stack}"}}},
            "Outputs": {key: {"Value": value} for key, value in outputs.items()},
        }
        self.account.client("cloudformation").create_stack(
            StackName=stack_name(self.team.name, stack),
            TemplateBody=json.dumps(template),
            Tags=[{"Key": TEAM_TAG, "Value": self.team.name}],
        )
        self.values |= outputs

    def volcano_job(self, name: str, queue: str = "bert", *, state: str = "Running", **more: Any) -> Object:
        """A Volcano job as the launcher submits it, with its pods."""
        job = self.kubernetes.put(
            VOLCANO,
            "jobs",
            {
                "metadata": {
                    "name": name,
                    "namespace": queue,
                    "creationTimestamp": more.get("created", "2026-11-30T10:00:00Z"),
                    "labels": {
                        JobLabel.JOB: more.get("job", "bert"),
                        JobLabel.PHASE: more.get("phase", "training"),
                        JobLabel.CACHE: "bert-cache",
                    },
                },
                "spec": {"queue": queue, "tasks": [{"name": f"worker-{n}", "replicas": 1} for n in range(2)]},
                "status": {"state": {"phase": state, "message": more.get("message", "")}},
            },
        )
        for node in range(2):
            self.kubernetes.put(CORE, "pods", pod(name, node, queue, job))
        return job

    def batch_job(self, name: str, *, status: str = "RUNNING", **tags: str) -> str:
        """A Batch job; moto runs none without docker, so its status is put there."""
        batch = self.account.client("batch")
        job_id: str = batch.submit_job(
            jobName=name,
            jobQueue=self.values[Output.JOB_QUEUE_ARN],
            jobDefinition="train",
            tags={JobLabel.JOB: name, JobLabel.PHASE: "training", TEAM_TAG: self.team.name} | tags,
        )["jobId"]
        job = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs[job_id]
        job.status = status
        job.job_stopped = status in ("SUCCEEDED", "FAILED")
        return job_id


def pod(run: str, node: int, queue: str, owner: Object | None = None, phase: str = "Running") -> Object:
    metadata: Object = {
        "name": f"{run}-worker-{node}-0",
        "namespace": queue,
        "labels": {"volcano.sh/job-name": run, JobLabel.JOB: "bert"},
    }
    if owner is not None:
        metadata["ownerReferences"] = [{"uid": owner["metadata"]["uid"], "kind": "Job", "name": run}]
    return {
        "metadata": metadata,
        "spec": {"containers": [{"name": f"worker-{node}"}]},
        "status": {"phase": phase},
    }


@pytest.fixture
def aws() -> Iterator[None]:
    with mock_aws(config={"batch": {"use_docker": False}}):
        yield


WorldMaker = Callable[..., World]


@pytest.fixture
def make_world(aws: None, kubernetes: KubernetesApi, write_team: TeamWriter) -> WorldMaker:
    """Deploy a team: `make_world(BOTH)`."""

    def make(keys: Mapping[str, Any] = BOTH) -> World:
        team = write_team(keys)
        world = World(team, Account(REGION), kubernetes)
        if team.eks is not None:
            _deploy_cluster(world)
        if team.batch is not None:
            _deploy_batch(world)
        return world

    return make


@pytest.fixture
def world(make_world: WorldMaker) -> World:
    return make_world()


def _deploy_cluster(world: World) -> None:
    eks = world.account.client("eks")
    eks.create_cluster(
        name="ours-cluster",
        roleArn="arn:aws:iam::123456789012:role/r",
        resourcesVpcConfig={"subnetIds": ["subnet-1"], "endpointPublicAccess": True},
    )
    cluster = eks_backends[DEFAULT_ACCOUNT_ID][REGION].clusters["ours-cluster"]
    cluster.endpoint = world.kubernetes.url
    cluster.certificate_authority = {"data": base64.b64encode(b"no TLS on loopback").decode()}
    world.deploy(StackName.CLUSTER, {Output.CLUSTER_NAME: "ours-cluster", Output.CLUSTER_ENDPOINT: cluster.endpoint})


def _deploy_batch(world: World) -> None:
    batch = world.account.client("batch")
    role = world.account.client("iam").create_role(RoleName="service", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    environment = batch.create_compute_environment(
        computeEnvironmentName="environment", type="UNMANAGED", state="ENABLED", serviceRole=role
    )["computeEnvironmentArn"]
    queue = batch.create_job_queue(
        jobQueueName="ours-queue",
        state="ENABLED",
        priority=1,
        computeEnvironmentOrder=[{"order": 1, "computeEnvironment": environment}],
    )["jobQueueArn"]
    batch.register_job_definition(
        jobDefinitionName="train",
        type="multinode",
        nodeProperties={
            "numNodes": 2,
            "mainNode": 0,
            "nodeRangeProperties": [
                {"targetNodes": "0:1", "container": {"image": "i", "vcpus": 1, "memory": 1024}},
            ],
        },
    )
    world.account.client("logs").create_log_group(logGroupName="ours-jobs")
    world.deploy(StackName.BATCH, {Output.JOB_QUEUE_ARN: queue, Output.JOB_LOG_GROUP_NAME: "ours-jobs"})


@dataclass
class Told:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Trn = Callable[..., Told]


@pytest.fixture
def trn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Trn:
    """Run a command line as the installed command does: `trn("status", "ours")`."""

    def invoke(*arguments: str) -> Told:
        capsys.readouterr()
        code = run([*arguments, "--teams-dir", str(tmp_path)])
        return Told(code, *capsys.readouterr())

    return invoke


def no_pause(_: float) -> None:
    """Wait for nothing."""
