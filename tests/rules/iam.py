"""Rules about roles and policies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from spec.names import Prefix
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, count, find, resources, strings, target

ROLE = "AWS::IAM::Role"
POLICY = "AWS::IAM::Policy"
MANAGED_POLICIES = {
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonEC2ContainerRegistryReadOnly",
    "AmazonEKSClusterPolicy",
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonElasticContainerRegistryPublicReadOnly",
    "AmazonSSMManagedInstanceCore",
    "service-role/AWSLambdaBasicExecutionRole",
    "service-role/AWSLambdaVPCAccessExecutionRole",
    "service-role/AmazonEC2ContainerServiceforEC2Role",
}
"""https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html"""
TRUSTED = {
    "ec2.amazonaws.com",
    "ecs-tasks.amazonaws.com",
    "eks.amazonaws.com",
    "lambda.amazonaws.com",
    "pods.eks.amazonaws.com",
    "vpc-flow-logs.amazonaws.com",
}
READ_ONLY_ACTIONS = {"s3:GetBucketLocation", "s3:GetObject", "s3:ListBucket"}
OBJECT_ACTIONS = {"s3:AbortMultipartUpload", "s3:DeleteObject", "s3:ListMultipartUploadParts", "s3:PutObject"}


def _statements(synthesized: Synthesized) -> Iterator[tuple[Resource, dict[str, Any]]]:
    """Every Allow statement of every identity policy."""
    for item in resources(synthesized, POLICY, "AWS::IAM::ManagedPolicy", ROLE):
        documents = [policy["PolicyDocument"] for policy in item.properties.get("Policies", [])]
        if "PolicyDocument" in item.properties:
            documents.append(item.properties["PolicyDocument"])
        for document in documents:
            for statement in document["Statement"]:
                if statement["Effect"] == "Allow":
                    yield item, statement


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def managed_policies_exist(synthesized: Synthesized) -> list[str]:
    """Every AWS managed policy is one that AWS publishes; a misspelt one fails only in the middle of a deployment."""
    found, seen = [], 0
    for role in resources(synthesized, ROLE):
        for arn in role.properties.get("ManagedPolicyArns", []):
            for name in _policy_names(synthesized, role.stack, arn):
                seen += 1
                if name not in MANAGED_POLICIES:
                    found.append(f"{role.name}: managed policy {name}")
    used = bool(synthesized.team.eks or synthesized.team.batch)
    return found + ([] if bool(seen) == used else [f"{seen} managed policies"])


def _policy_names(synthesized: Synthesized, stack: str, arn: Any) -> list[str]:
    if isinstance(arn, dict) and "Fn::If" in arn:
        branches = [branch for branch in arn["Fn::If"][1:] if branch != {"Ref": "AWS::NoValue"}]
        return [name for branch in branches for name in _policy_names(synthesized, stack, branch)]
    text = arn["Fn::Sub"] if isinstance(arn, dict) and "Fn::Sub" in arn else target(synthesized, stack, arn)
    return [str(text).partition(":policy/")[2] or str(text)]


def no_wildcard_is_allowed(synthesized: Synthesized) -> list[str]:
    """Every Allow names its actions in full and the resources they are for."""
    found, seen = [], 0
    for item, statement in _statements(synthesized):
        seen += 1
        if "NotAction" in statement or "NotResource" in statement:
            found.append(f"{item.name}: everything but {statement}")
        found += [f"{item.name}: action {action}" for action in _list(statement.get("Action", [])) if "*" in action]
        found += [f"{item.name}: resource *" for value in _list(statement.get("Resource", [])) if value == "*"]
    return found if seen else ["no policy at all, not even the flow log's"]


def roles_trust_services_only(synthesized: Synthesized) -> list[str]:
    """Every role is taken by one AWS service; none by another account or by everybody."""
    roles = resources(synthesized, ROLE)
    found = [] if roles else ["no role at all"]
    for role in roles:
        for statement in role.properties["AssumeRolePolicyDocument"]["Statement"]:
            principal = statement["Principal"]
            services = _list(principal.get("Service", [])) if isinstance(principal, dict) else []
            if set(principal) != {"Service"} or len(services) != 1 or services[0] not in TRUSTED:
                found.append(f"{role.name}: trusts {principal}")
    return found


def jobs_touch_only_the_team_s_prefixes(synthesized: Synthesized) -> list[str]:
    """The job role lists and reads the team's prefixes of one bucket and writes all but the datasets; nothing else."""
    roles = _job_roles(synthesized)
    found = count("job roles", len(roles), int(synthesized.team.batch is not None))
    for role in roles:
        found += [f"{role.name}: managed policies"] if role.properties.get("ManagedPolicyArns") else []
        allowed = [
            (item.stack, statement)
            for item, statement in _statements(synthesized)
            if item.kind == POLICY
            and role.name in {target(synthesized, item.stack, name) for name in item.properties["Roles"]}
        ]
        if not allowed:
            found.append(f"{role.name}: allows nothing")
        for stack, statement in allowed:
            found += [f"{role.name}: {text}" for text in _beyond(synthesized, stack, statement)]
    return found


def _job_roles(synthesized: Synthesized) -> list[Resource]:
    names = {
        target(synthesized, definition.stack, node_range["Container"].get("JobRoleArn")).partition(".")[0]
        for definition in resources(synthesized, "AWS::Batch::JobDefinition")
        for node_range in definition.properties.get("NodeProperties", {}).get("NodeRangeProperties", [])
    }
    return [role for role in resources(synthesized, ROLE) if role.name in names]


def _beyond(synthesized: Synthesized, stack: str, statement: dict[str, Any]) -> Iterator[str]:
    actions = set(_list(statement["Action"]))
    if not actions <= READ_ONLY_ACTIONS | OBJECT_ACTIONS:
        yield f"actions {sorted(actions - READ_ONLY_ACTIONS - OBJECT_ACTIONS)}"
    of_objects = bool(actions & (OBJECT_ACTIONS | {"s3:GetObject"}))
    writable = [prefix for prefix in Prefix if prefix is not Prefix.DATASETS]
    prefixes = writable if actions & OBJECT_ACTIONS else list(Prefix)
    for value in _list(statement["Resource"]):
        path = target(synthesized, stack, value)
        if of_objects and not path.endswith(tuple(f"/{prefix}*" for prefix in prefixes)):
            yield f"{sorted(actions)} on {path}"
        if not of_objects and path.endswith("*"):
            yield f"{sorted(actions)} on {path}"
    if "s3:ListBucket" in actions:
        listed = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix")
        if sorted(_list(listed)) != sorted(f"{prefix}*" for prefix in Prefix):
            yield f"lists {listed}, expected the team's prefixes"


def the_csi_driver_sees_one_file_system(synthesized: Synthesized) -> list[str]:
    """Static volumes: the driver describes the team's file system and may create or delete nothing."""
    found = []
    roles = {
        target(synthesized, addon.stack, item["RoleArn"]).partition(".")[0]
        for addon in resources(synthesized, "AWS::EKS::Addon")
        if addon.properties["AddonName"] == "aws-fsx-csi-driver"
        for item in addon.properties.get("PodIdentityAssociations", [])
    }
    found += count("roles of the CSI driver", len(roles), int(synthesized.team.eks is not None))
    granted = []
    for item, statement in _statements(synthesized):
        if item.kind != POLICY or not roles & {
            target(synthesized, item.stack, name) for name in item.properties["Roles"]
        }:
            continue
        for value in _list(statement["Resource"]):
            resource = find(synthesized, item.stack, value)
            granted.append((tuple(_list(statement["Action"])), resource.kind if resource else str(value)))
    for role in resources(synthesized, ROLE):
        if role.name in roles and role.properties.get("ManagedPolicyArns"):
            found.append(f"{role.name}: managed policies, which reach every file system of the account")
    has_file_system = synthesized.team.eks is not None and synthesized.team.storage.lustre is not None
    expected = [(("fsx:DescribeFileSystems",), "AWS::FSx::FileSystem")] if has_file_system else []
    return found + ([] if granted == expected else [f"the CSI driver may {granted}, expected {expected}"])


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
    found = count("repositories", len(repositories), len(synthesized.team.images))
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
