"""Checks of what else must be there: bootstrap, roles, versions, images, bucket."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from ops.aws import Account
from ops.preflight import batch_image, bootstrap, bucket, images, kubernetes, node_image, roles
from ops.preflight.finding import PreflightFinding, Severity
from spec.account import BOOTSTRAP_PARAMETER, BOOTSTRAP_VERSION
from spec.names import StackName
from spec.node_images import driver_in, eks_image_name, eks_image_parameter
from spec.versions import ECS_NEURON_AMI_PARAMETER
from tests.conftest import Synthesized
from tests.ops.accounts import BATCH, StubbedAccount, TeamMaker, eks

RELEASE = "1.35.6-20260625"
AMI = "ami-0123456789abcdef0"


def only(findings: Any) -> PreflightFinding:
    (finding,) = findings
    assert isinstance(finding, PreflightFinding)
    return finding


# Bootstrap


@pytest.mark.parametrize(
    ("version", "severity"), [(None, "ERROR"), ("7", "ERROR"), ("8", "OK"), ("30", "OK"), ("new", "ERROR")]
)
def test_bootstrap(version: str | None, severity: str, team_of: TeamMaker) -> None:
    finding = bootstrap.judge(version, team_of(account="111122223333", batch=BATCH))
    assert finding.severity == severity
    assert ("cdk bootstrap aws://111122223333/us-west-2" in finding.expected) == (severity == "ERROR")


def test_an_account_without_bootstrap(moto_account: Account, team_of: TeamMaker) -> None:
    assert only(bootstrap.check(moto_account, team_of(batch=BATCH))).got == "not bootstrapped"
    boto3.client("ssm", moto_account.region).put_parameter(Name=BOOTSTRAP_PARAMETER, Value="9", Type="String")
    assert only(bootstrap.check(moto_account, team_of(batch=BATCH))).severity == Severity.OK


def test_the_bootstrap_version_is_what_the_assembly_asks_for(sample: Synthesized) -> None:
    asked = list(_values(sample.manifest, "requiresBootstrapStackVersion"))
    assert max(asked) == BOOTSTRAP_VERSION
    assert set(_values(sample.manifest, "bootstrapStackVersionSsmParameter")) == {BOOTSTRAP_PARAMETER}


def _values(node: Any, key: str) -> Any:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and key in node:
        yield node[key]
    for child in children:
        yield from _values(child, key)


# Service-linked roles


def test_roles_follow_the_services_in_use(team_of: TeamMaker) -> None:
    names = [role.name for role in roles.roles_of(team_of(batch=BATCH))]
    assert names == ["AWSServiceRoleForBatch"]
    names = [role.name for role in roles.roles_of(team_of(eks=eks(), storage={"lustre": {}}))]
    assert names == [
        "AWSServiceRoleForAmazonEKS",
        "AWSServiceRoleForAmazonEKSNodegroup",
        "AWSServiceRoleForAutoScaling",
        "AWSServiceRoleForAmazonFSx",
    ]


def test_a_missing_role_is_a_warning_that_says_how_to_make_it(moto_account: Account, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH)
    finding = only(roles.check(moto_account, team))
    assert finding.severity == Severity.WARNING
    assert finding.expected.endswith("aws iam create-service-linked-role --aws-service-name batch.amazonaws.com")
    boto3.client("iam").create_role(RoleName="AWSServiceRoleForBatch", AssumeRolePolicyDocument="{}")
    assert only(roles.check(moto_account, team)).severity == Severity.OK


# Kubernetes version


@pytest.mark.parametrize(
    ("found", "severity"),
    [
        ([], "ERROR"),
        ([{"clusterVersion": "1.35", "versionStatus": "UNSUPPORTED"}], "ERROR"),
        ([{"clusterVersion": "1.35", "versionStatus": "EXTENDED_SUPPORT"}], "WARNING"),
        ([{"clusterVersion": "1.35", "versionStatus": "STANDARD_SUPPORT"}], "OK"),
    ],
)
def test_kubernetes_version(
    found: list[dict[str, str]], severity: str, stubbed: StubbedAccount, team_of: TeamMaker
) -> None:
    stubbed.answer("eks", "describe_cluster_versions", {"clusterVersions": found}, clusterVersions=["1.35"])
    assert only(kubernetes.check(stubbed.account, team_of(eks=eks()))).severity == severity


def test_the_end_of_extended_support_is_told(team_of: TeamMaker) -> None:
    team = team_of(eks=eks())
    assert team.eks is not None
    end = datetime(2027, 12, 2, tzinfo=UTC)
    found = {"versionStatus": "EXTENDED_SUPPORT", "endOfExtendedSupportDate": end}
    assert kubernetes.judge(found, team.eks).got == "in extended support until 2027-12-02"


# Node image


def test_names_of_a_node_image() -> None:
    assert eks_image_name(RELEASE) == "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625"
    assert eks_image_parameter(RELEASE) == (
        "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/neuron/"
        "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625/image_id"
    )


def test_a_node_image_by_parameter(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    parameter = {"Parameter": {"Name": "x", "Value": AMI}}
    stubbed.answer("ssm", "get_parameter", parameter, Name=eks_image_parameter(RELEASE))
    driver, image = node_image.check(stubbed.account, team_of(eks=eks()))
    assert (driver.severity, driver.got) == (Severity.OK, "2.28")
    assert (image.severity, image.got) == (Severity.OK, AMI)


@pytest.mark.parametrize(("found", "severity"), [([{"ImageId": AMI}], "OK"), ([], "ERROR")])
def test_a_node_image_by_name(
    found: list[dict[str, str]], severity: str, stubbed: StubbedAccount, team_of: TeamMaker
) -> None:
    stubbed.fail("ssm", "get_parameter", "ParameterNotFound", Name=eks_image_parameter(RELEASE))
    filters = [{"Name": "name", "Values": [eks_image_name(RELEASE)]}]
    stubbed.answer("ec2", "describe_images", {"Images": found}, Owners=["amazon"], Filters=filters)
    _, image = node_image.check(stubbed.account, team_of(eks=eks()))
    assert image.severity == severity


@pytest.mark.parametrize(
    ("release", "sdk", "severity"),
    [
        ("1.35.6-20260625", "2.28.0", "OK"),
        ("1.35.6-20260714", "2.28.0", "ERROR"),
        ("1.35.6-20260714", "2.32.0", "OK"),
        ("1.35.9-20261101", "2.32.0", "WARNING"),
    ],
)
def test_the_driver_of_a_release(release: str, sdk: str, severity: str) -> None:
    assert node_image.driver_fits(release, sdk).severity == severity


# Batch image


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("aws-neuronx-dkms 2.28.0.0", (2, 28)),
        ("Neuron driver: 2.29", (2, 29)),
        ("aws-neuronx-dkms-2.26.10.0", (2, 26)),
        ("al2023-ami-ecs-neuron-hvm-2023.0.20260922-kernel-6.1-x86_64", None),
        ("", None),
    ],
)
def test_a_driver_is_read_from_words_about_it_only(text: str, driver: tuple[int, int] | None) -> None:
    assert driver_in(text) == driver


@pytest.mark.parametrize(
    ("image", "severities"),
    [
        (None, ["ERROR"]),
        ({"State": "pending", "Name": "x"}, ["ERROR", "WARNING"]),
        ({"State": "available", "Name": "x"}, ["OK", "WARNING"]),
        ({"State": "available", "Name": "x", "Description": "Neuron driver 2.28.1"}, ["OK", "OK"]),
        ({"State": "available", "Name": "x", "Description": "Neuron driver 2.29.0"}, ["OK", "ERROR"]),
    ],
)
def test_a_batch_image(image: dict[str, str] | None, severities: list[str]) -> None:
    assert [finding.severity for finding in batch_image.judge(AMI, image, sdk="2.28.0")] == severities


def test_the_image_of_the_team_file_is_looked_at(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.fail("ec2", "describe_images", "InvalidAMIID.NotFound", ImageIds=[AMI])
    assert only(batch_image.check(stubbed.account, team_of(batch=BATCH | {"ami_id": AMI}))).severity == Severity.ERROR


def test_without_one_the_current_image_is_looked_at(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.answer("ssm", "get_parameter", {"Parameter": {"Name": "x", "Value": AMI}}, Name=ECS_NEURON_AMI_PARAMETER)
    found = {"Images": [{"ImageId": AMI, "State": "available", "Name": "ecs-neuron"}]}
    stubbed.answer("ec2", "describe_images", found, ImageIds=[AMI])
    _, driver = batch_image.check(stubbed.account, team_of(batch=BATCH))
    assert (driver.severity, driver.got) == (Severity.WARNING, "not told by ecs-neuron")


# Container images


def test_images_that_are_pushed_and_images_that_are_not(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH, images=["bert", "llama2", "new", "gone"])
    uri = "1.dkr.ecr.us-west-2.amazonaws.com/team/"
    stubbed.answer("ecr", "get_authorization_token", {"authorizationData": [{"proxyEndpoint": "https://ecr"}]})
    stubbed.deployed(
        team,
        StackName.STORAGE,
        RepositoryUriBert=f"{uri}bert",
        RepositoryUriLlama2=f"{uri}llama2",
        RepositoryUriGone=f"{uri}gone",
    )
    tag = {"imageIds": [{"imageTag": "sdk2.28.0-r1"}]}
    stubbed.answer("ecr", "describe_images", {"imageDetails": [{}]}, repositoryName="team/bert", **tag)
    stubbed.fail("ecr", "describe_images", "ImageNotFoundException", repositoryName="team/llama2", **tag)
    stubbed.fail("ecr", "describe_images", "RepositoryNotFoundException", repositoryName="team/gone", **tag)
    found = {finding.subject: finding for finding in images.check(stubbed.account, team)}
    assert {subject: finding.severity for subject, finding in found.items()} == {
        "ECR": "OK",
        "bert": "OK",
        "llama2": "WARNING",
        "new": "WARNING",
        "gone": "ERROR",
    }
    assert found["llama2"].expected.startswith("`trn images push bert llama2`")


def test_before_a_deployment_ecr_alone_is_asked(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH)
    stubbed.answer("ecr", "get_authorization_token", {"authorizationData": [{"proxyEndpoint": "https://ecr"}]})
    stubbed.not_deployed(team, StackName.STORAGE)
    assert {finding.severity for finding in images.check(stubbed.account, team)} == {Severity.OK}


# Bucket


def test_an_existing_bucket(moto_account: Account, team_of: TeamMaker) -> None:
    team = team_of(batch=BATCH, storage={"bucket": "our-artifacts"})
    assert only(bucket.check(moto_account, team)).severity == Severity.ERROR
    place = {"LocationConstraint": "us-west-2"}
    boto3.client("s3", "us-west-2").create_bucket(Bucket="our-artifacts", CreateBucketConfiguration=place)
    assert only(bucket.check(moto_account, team)).severity == Severity.OK


@pytest.mark.parametrize(("code", "severity"), [("404", "ERROR"), ("403", "WARNING")])
def test_a_bucket_that_does_not_answer(code: str, severity: str, stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    stubbed.fail("s3", "head_bucket", code, Bucket="our-artifacts")
    team = team_of(batch=BATCH, storage={"bucket": "our-artifacts"})
    assert only(bucket.check(stubbed.account, team)).severity == severity


def test_a_bucket_of_another_region() -> None:
    assert bucket.judge("b", "us-east-1", "us-west-2").severity == Severity.ERROR
    assert bucket.judge("b", None, "us-west-2").severity == Severity.WARNING


def test_a_bucket_that_the_team_gets_is_not_looked_for(stubbed: StubbedAccount, team_of: TeamMaker) -> None:
    assert list(bucket.check(stubbed.account, team_of(batch=BATCH))) == []
