"""Rules about what holds data: bucket, repositories, file system."""

from __future__ import annotations

import json

from spec.names import Prefix
from tests.conftest import Synthesized
from tests.rules.cfn import count, resources, strings, target, targets


def the_bucket_is_closed(synthesized: Synthesized) -> list[str]:
    """A bucket of ours is encrypted, versioned, never public, takes TLS alone, and forgets aborted uploads."""
    found = []
    buckets = resources(synthesized, "AWS::S3::Bucket")
    policies = resources(synthesized, "AWS::S3::BucketPolicy")
    found += count("buckets", len(buckets), int(synthesized.team.storage.bucket is None))
    for bucket in buckets:
        properties = bucket.properties
        if "ServerSideEncryptionByDefault" not in set(strings(properties.get("BucketEncryption", {}))):
            found.append(f"{bucket.name}: not encrypted")
        if properties.get("VersioningConfiguration") != {"Status": "Enabled"}:
            found.append(f"{bucket.name}: not versioned")
        block = properties.get("PublicAccessBlockConfiguration", {})
        if len(block) != 4 or not all(value is True for value in block.values()):
            found.append(f"{bucket.name}: public access {block}")
        rules = properties.get("LifecycleConfiguration", {}).get("Rules", [])
        enabled = [rule for rule in rules if rule.get("Status") == "Enabled"]
        if not any("AbortIncompleteMultipartUpload" in rule and "Prefix" not in rule for rule in enabled):
            found.append(f"{bucket.name}: keeps aborted uploads")
        if not any(
            rule.get("Prefix") == Prefix.CHECKPOINTS and "NoncurrentVersionExpiration" in rule for rule in enabled
        ):
            found.append(f"{bucket.name}: keeps old checkpoints")
        denials = [
            statement
            for policy in policies
            if target(synthesized, policy.stack, policy.properties["Bucket"]) == bucket.name
            for statement in policy.properties["PolicyDocument"]["Statement"]
            if statement["Effect"] == "Deny"
        ]
        insecure = {"Bool": {"aws:SecureTransport": "false"}}
        if not any((item["Action"], item.get("Condition")) == ("s3:*", insecure) for item in denials):
            found.append(f"{bucket.name}: takes plain HTTP")
    return found


def repositories_are_immutable_and_scanned(synthesized: Synthesized) -> list[str]:
    """A tag means one image for ever, each is scanned, and left-overs expire."""
    repositories = resources(synthesized, "AWS::ECR::Repository")
    found = count("repositories", len(repositories), len(synthesized.team.repositories))
    for item in repositories:
        if item.properties.get("ImageTagMutability") != "IMMUTABLE":
            found.append(f"{item.name}: tags can move")
        if item.properties.get("ImageScanningConfiguration") != {"ScanOnPush": True}:
            found.append(f"{item.name}: not scanned")
        text = item.properties.get("LifecyclePolicy", {}).get("LifecyclePolicyText", '{"rules": []}')
        statuses = [rule["selection"]["tagStatus"] for rule in json.loads(text)["rules"]]
        if "untagged" not in statuses:
            found.append(f"{item.name}: keeps untagged images")
    return found


def data_outlives_its_stack_only_if_asked(synthesized: Synthesized) -> list[str]:
    """Bucket, repositories, file system and the file system's group state what deletion does to them."""
    wanted = "Retain" if synthesized.team.storage.on_delete == "retain" else "Delete"
    own_bucket = synthesized.team.storage.bucket is None
    file_systems = resources(synthesized, "AWS::FSx::FileSystem")
    found = count("file systems", len(file_systems), int(synthesized.team.storage.lustre is not None))
    buckets = resources(synthesized, "AWS::S3::Bucket")
    repositories = resources(synthesized, "AWS::ECR::Repository")
    found += count("buckets", len(buckets), int(own_bucket))
    found += count("repositories", len(repositories), len(synthesized.team.repositories))
    servers = {
        group.partition(".")[0]
        for item in file_systems
        for group in targets(synthesized, item.stack, item.properties.get("SecurityGroupIds"))
    }
    groups = [item for item in resources(synthesized, "AWS::EC2::SecurityGroup") if item.name in servers]
    for item in (*file_systems, *buckets, *repositories, *groups):
        stated = (item.body.get("DeletionPolicy"), item.body.get("UpdateReplacePolicy"))
        if stated != (wanted, wanted):
            found.append(f"{item.name}: on deletion and replacement {stated}, expected {wanted}")
    for item in repositories:
        if item.properties.get("EmptyOnDelete") is not (wanted == "Delete"):
            found.append(f"{item.name}: EmptyOnDelete {item.properties.get('EmptyOnDelete')} with {wanted}")
    return found
