"""Mutants of buckets, repositories and file systems."""

from __future__ import annotations

from tests.mutants.mutant import Mutant, gone, plus, to, without_last
from tests.rules import assembly, lustre, storage

STORAGE = "bert/Storage"
FILE_SYSTEM = "AWS::FSx::FileSystem"
LINK = "AWS::FSx::DataRepositoryAssociation Lustre"
BUCKET, REPOSITORY = "AWS::S3::Bucket", "AWS::ECR::Repository"
RULE = "AWS::EC2::SecurityGroupIngress Lustre"
LINKED = {"FileSystemId": "fs-1", "FileSystemPath": "/datasets", "DataRepositoryPath": "s3://bucket/datasets/"}

MUTANTS: tuple[Mutant, ...] = (
    Mutant("no-file-system", lustre.capacity_is_one_that_fsx_sells, STORAGE, FILE_SYSTEM, "", gone),
    Mutant(
        "capacity-of-another-team",
        lustre.capacity_is_one_that_fsx_sells,
        STORAGE,
        FILE_SYSTEM,
        "StorageCapacity",
        to(2400),
    ),
    Mutant("lustre-on-disks", lustre.capacity_is_one_that_fsx_sells, STORAGE, FILE_SYSTEM, "StorageType", to("HDD")),
    Mutant(
        "deployment-that-does-not-exist",
        lustre.throughput_fits_the_deployment,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.DeploymentType",
        to("PERSISTENT_3"),
    ),
    Mutant(
        "lustre-2-12", lustre.server_is_as_new_as_its_clients, STORAGE, FILE_SYSTEM, "FileSystemTypeVersion", to("2.12")
    ),
    Mutant(
        "lustre-of-the-default-version",
        lustre.server_is_as_new_as_its_clients,
        STORAGE,
        FILE_SYSTEM,
        "FileSystemTypeVersion",
        gone,
    ),
    Mutant("link-to-a-relative-path", lustre.linked_by_associations_only, STORAGE, LINK, "FileSystemPath", to("data")),
    Mutant("link-over-another", lustre.linked_by_associations_only, STORAGE, LINK, "FileSystemPath", to("/")),
    Mutant(
        "link-to-the-whole-bucket",
        lustre.linked_by_associations_only,
        STORAGE,
        LINK,
        "DataRepositoryPath",
        to("s3://bucket"),
    ),
    Mutant("links-at-once", lustre.linked_by_associations_only, STORAGE, f"{LINK}Logs", "^.DependsOn", gone),
    Mutant(
        "backups-of-a-linked-file-system",
        lustre.backups_only_where_allowed,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.AutomaticBackupRetentionDays",
        to(7),
    ),
    Mutant(
        "lustre-on-port-988-alone", lustre.ports_are_open_both_ways, STORAGE, f"{RULE}TrainingToServer1018", "", gone
    ),
    Mutant("servers-apart", lustre.ports_are_open_both_ways, STORAGE, f"{RULE}SelfToServer988", "", gone),
    Mutant("clients-closed-to-servers", lustre.ports_are_open_both_ways, STORAGE, f"{RULE}ServerToTraining", "", gone),
    Mutant(
        "system-nodes-without-lustre",
        lustre.ports_are_open_both_ways,
        "bert/Cluster",
        "AWS::EC2::LaunchTemplate SystemNodes",
        "LaunchTemplateData.SecurityGroupIds",
        without_last,
    ),
    Mutant(
        "file-system-before-its-rules",
        lustre.rules_come_before_the_file_system,
        STORAGE,
        FILE_SYSTEM,
        "^.DependsOn",
        lambda old: [other for other in old if "SelfToServer988" not in other],
    ),
    Mutant(
        "file-system-with-no-policy",
        storage.data_outlives_its_stack_only_if_asked,
        STORAGE,
        FILE_SYSTEM,
        "^.DeletionPolicy",
        gone,
    ),
    Mutant(
        "bucket-lost-on-replacement",
        storage.data_outlives_its_stack_only_if_asked,
        STORAGE,
        BUCKET,
        "^.UpdateReplacePolicy",
        to("Delete"),
    ),
    Mutant(
        "group-deleted-under-a-file-system-that-stays",
        storage.data_outlives_its_stack_only_if_asked,
        STORAGE,
        "AWS::EC2::SecurityGroup LustreSecurityGroup",
        "^.DeletionPolicy",
        gone,
    ),
    Mutant(
        "images-deleted-with-their-stack",
        storage.data_outlives_its_stack_only_if_asked,
        STORAGE,
        REPOSITORY,
        "EmptyOnDelete",
        to(True),
    ),
    Mutant("bucket-not-encrypted", storage.the_bucket_is_closed, STORAGE, BUCKET, "BucketEncryption", gone),
    Mutant("bucket-not-versioned", storage.the_bucket_is_closed, STORAGE, BUCKET, "VersioningConfiguration", gone),
    Mutant(
        "bucket-public",
        storage.the_bucket_is_closed,
        STORAGE,
        BUCKET,
        "PublicAccessBlockConfiguration.RestrictPublicBuckets",
        to(False),
    ),
    Mutant(
        "uploads-kept-for-ever", storage.the_bucket_is_closed, STORAGE, BUCKET, "LifecycleConfiguration.Rules.0", gone
    ),
    Mutant(
        "checkpoints-kept-for-ever",
        storage.the_bucket_is_closed,
        STORAGE,
        BUCKET,
        "LifecycleConfiguration.Rules.1",
        gone,
    ),
    Mutant(
        "bucket-over-plain-http",
        storage.the_bucket_is_closed,
        STORAGE,
        "AWS::S3::BucketPolicy",
        "PolicyDocument.Statement.0.Condition",
        to({"Bool": {"aws:SecureTransport": "true"}}),
    ),
    Mutant(
        "tags-that-move",
        storage.repositories_are_immutable_and_scanned,
        STORAGE,
        REPOSITORY,
        "ImageTagMutability",
        gone,
    ),
    Mutant(
        "images-not-scanned",
        storage.repositories_are_immutable_and_scanned,
        STORAGE,
        REPOSITORY,
        "ImageScanningConfiguration.ScanOnPush",
        to(False),
    ),
    Mutant(
        "images-kept-for-ever",
        storage.repositories_are_immutable_and_scanned,
        STORAGE,
        REPOSITORY,
        "LifecyclePolicy",
        gone,
    ),
    Mutant(
        "bucket-with-a-name-of-its-own", assembly.nothing_has_a_physical_name, STORAGE, BUCKET, "BucketName", to("mine")
    ),
    Mutant(
        "links-nobody-asked-for",
        lustre.linked_by_associations_only,
        "special/Storage",
        REPOSITORY,
        "",
        lambda _: {"Type": "AWS::FSx::DataRepositoryAssociation", "Properties": LINKED},
    ),
    Mutant(
        "link-of-another-file-system", lustre.linked_by_associations_only, STORAGE, LINK, "FileSystemId", to("fs-1")
    ),
    Mutant(
        "tags-copied-to-backups",
        lustre.backups_only_where_allowed,
        STORAGE,
        FILE_SYSTEM,
        "LustreConfiguration.CopyTagsToBackups",
        to(True),
    ),
    Mutant(
        "two-server-groups", lustre.ports_are_open_both_ways, STORAGE, FILE_SYSTEM, "SecurityGroupIds", plus("sg-1")
    ),
    Mutant(
        "servers-in-a-group-without-rules",
        lustre.rules_come_before_the_file_system,
        STORAGE,
        FILE_SYSTEM,
        "SecurityGroupIds",
        to(["sg-1"]),
    ),
)
