"""The storage stack: bucket, repositories, Lustre file system."""

from __future__ import annotations

from typing import Any

import pytest

from spec.names import Output, Prefix, repository_uri_output
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.rules.cfn import target

EKS = {"node_groups": [{"name": "a", "instance_type": "trn1.32xlarge"}]}
BATCH = {"instance_type": "trn1.32xlarge", "max_nodes": 2}
STORAGE = {
    "kept": {"lustre": {}},
    "deleted": {"on_delete": "delete", "lustre": {}},
    "existing": {"bucket": "datasets-of-the-lab", "lustre": {}},
    "unlinked": {"lustre": {"s3_link": False}},
    "scratch": {"lustre": {"deployment": "SCRATCH_2", "capacity_gib": 2400}},
    "none": {},
}


@pytest.fixture(scope="module")
def teams(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    made = [make_team(name, storage=storage, eks=EKS, batch=BATCH) for name, storage in STORAGE.items()]
    return synthesize_teams(made, tmp_path_factory.mktemp("storage"))


def resources(synthesized: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource for stack, resource in synthesized.of_type(kind) if stack == "Storage"]


def links(synthesized: Synthesized) -> dict[str, dict[str, Any]]:
    found = [item["Properties"] for item in resources(synthesized, "AWS::FSx::DataRepositoryAssociation")]
    return {item["FileSystemPath"]: item for item in found}


@pytest.mark.parametrize(("name", "policy"), [("kept", "Retain"), ("deleted", "Delete")])
def test_on_delete_decides_over_everything_that_holds_data(
    name: str, policy: str, teams: dict[str, Synthesized]
) -> None:
    kinds = ("AWS::S3::Bucket", "AWS::ECR::Repository", "AWS::FSx::FileSystem")
    holders = [item for kind in kinds for item in resources(teams[name], kind)]
    assert len(holders) == 1 + len(teams[name].team.repositories) + 1
    assert {(item["DeletionPolicy"], item["UpdateReplacePolicy"]) for item in holders} == {(policy, policy)}


def test_what_is_deleted_is_emptied_first(teams: dict[str, Synthesized]) -> None:
    """CloudFormation deletes neither a bucket nor a repository that holds something."""
    for name, emptied in (("deleted", True), ("kept", False)):
        repositories = resources(teams[name], "AWS::ECR::Repository")
        assert {item["Properties"]["EmptyOnDelete"] for item in repositories} == {emptied}
        assert len(resources(teams[name], "Custom::S3AutoDeleteObjects")) == int(emptied)


def test_an_existing_bucket_is_used_and_left_alone(teams: dict[str, Synthesized]) -> None:
    existing = teams["existing"]
    assert resources(existing, "AWS::S3::Bucket") == resources(existing, "AWS::S3::BucketPolicy") == []
    assert existing.templates["Storage"]["Outputs"][Output.BUCKET_NAME]["Value"] == "datasets-of-the-lab"
    paths = [target(existing, "Storage", link["DataRepositoryPath"]) for link in links(existing).values()]
    assert all(path.startswith("s3://datasets-of-the-lab/") for path in paths)
    assert len(paths) == 3


def test_old_versions_expire_where_programs_overwrite(teams: dict[str, Synthesized]) -> None:
    (bucket,) = resources(teams["kept"], "AWS::S3::Bucket")
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    expiring = {
        rule["Prefix"]: rule["NoncurrentVersionExpiration"]["NoncurrentDays"] for rule in rules if "Prefix" in rule
    }
    assert expiring == {Prefix.CHECKPOINTS: 30, Prefix.NEURON_CACHE: 7}
    # A current object is never deleted by a rule: a dataset or the last checkpoint stays until somebody removes it.
    assert not [rule for rule in rules if "ExpirationInDays" in rule or "ExpirationDate" in rule]


def test_one_repository_per_image(teams: dict[str, Synthesized]) -> None:
    kept = teams["kept"]
    assert kept.team.repositories == (*kept.team.images, "tensorboard", "shell")
    assert len(resources(kept, "AWS::ECR::Repository")) == len(kept.team.repositories)
    outputs = kept.templates["Storage"]["Outputs"]
    assert {repository_uri_output(image) for image in kept.team.repositories} <= outputs.keys()


def test_datasets_come_in_and_results_go_out(teams: dict[str, Synthesized]) -> None:
    directions = {path: sorted(link["S3"]) for path, link in links(teams["kept"]).items()}
    assert directions == {
        "/datasets": ["AutoImportPolicy"],
        "/checkpoints": ["AutoExportPolicy"],
        "/logs": ["AutoExportPolicy"],
    }


def test_links_wait_for_the_bucket_s_policy(teams: dict[str, Synthesized]) -> None:
    """FSx adds to it when it links the bucket."""
    waiting = [item["DependsOn"] for item in resources(teams["kept"], "AWS::FSx::DataRepositoryAssociation")]
    assert all(any(name.startswith("ArtifactsPolicy") for name in names) for names in waiting)


def test_the_link_is_optional(teams: dict[str, Synthesized]) -> None:
    assert links(teams["unlinked"]) == {}
    assert len(resources(teams["unlinked"], "AWS::FSx::FileSystem")) == 1


def test_a_scratch_file_system_has_no_throughput_to_choose(teams: dict[str, Synthesized]) -> None:
    (file_system,) = resources(teams["scratch"], "AWS::FSx::FileSystem")
    assert file_system["Properties"]["LustreConfiguration"] == {
        "DataCompressionType": "LZ4",
        "DeploymentType": "SCRATCH_2",
    }


def test_without_lustre_no_group_and_no_port(teams: dict[str, Synthesized]) -> None:
    kinds = {resource["Type"] for resource in teams["none"].templates["Storage"]["Resources"].values()}
    assert kinds == {"AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::ECR::Repository"}


def test_lustre_rules_stand_with_the_file_system(teams: dict[str, Synthesized]) -> None:
    """Five directions on two port ranges, all of them made in the stack that must wait for them."""
    rules = resources(teams["kept"], "AWS::EC2::SecurityGroupIngress")
    ports = sorted({(rule["Properties"]["FromPort"], rule["Properties"]["ToPort"]) for rule in rules})
    assert ports == [(988, 988), (1018, 1023)]
    assert len(rules) == 10
