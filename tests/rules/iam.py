"""Rules about roles and policies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spec.names import Prefix
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, as_list, count, find, policy_statements, resources, target
from tests.rules.training import COMPUTE_ENVIRONMENT, NODE_GROUP

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
    for item, statement in policy_statements(synthesized, "Allow"):
        seen += 1
        if "NotAction" in statement or "NotResource" in statement:
            found.append(f"{item.name}: everything but {statement}")
        found += [f"{item.name}: action {action}" for action in as_list(statement.get("Action", [])) if "*" in action]
        found += [f"{item.name}: resource *" for value in as_list(statement.get("Resource", [])) if value == "*"]
    return found if seen else ["no policy at all, not even the flow log's"]


def roles_trust_services_only(synthesized: Synthesized) -> list[str]:
    """Every role is taken by one AWS service; none by another account or by everybody."""
    roles = resources(synthesized, ROLE)
    found = [] if roles else ["no role at all"]
    for role in roles:
        for statement in role.properties["AssumeRolePolicyDocument"]["Statement"]:
            principal = statement["Principal"]
            services = as_list(principal.get("Service", [])) if isinstance(principal, dict) else []
            if set(principal) != {"Service"} or len(services) != 1 or services[0] not in TRUSTED:
                found.append(f"{role.name}: trusts {principal}")
    return found


def hosts_may_do_their_work(synthesized: Synthesized) -> list[str]:
    """The role of every node joins a cluster and pulls images, or serves ECS; people reach it by Session Manager.

    Pods get roles of their own, so the node's has nothing more that a pod could borrow.
    """
    needed = {
        NODE_GROUP: {"AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"},
        COMPUTE_ENVIRONMENT: {"service-role/AmazonEC2ContainerServiceforEC2Role"},
    }
    users = resources(synthesized, *needed)
    found = [] if users else ["no node group and no compute environment"]
    for user in users:
        role = _host_role(synthesized, user)
        arns = role.properties.get("ManagedPolicyArns", []) if role else []
        names = {name for arn in arns for name in _policy_names(synthesized, user.stack, arn)}
        expected = needed[user.kind] | {"AmazonSSMManagedInstanceCore"}
        if names != expected:
            found.append(f"{user.name}: policies of its hosts {sorted(names)}, expected {sorted(expected)}")
    return found


def _host_role(synthesized: Synthesized, user: Resource) -> Resource | None:
    if user.kind == NODE_GROUP:
        return find(synthesized, user.stack, user.properties.get("NodeRole"))
    profile = find(synthesized, user.stack, user.properties["ComputeResources"].get("InstanceRole"))
    return find(synthesized, profile.stack, profile.properties["Roles"][0]) if profile else None


def jobs_touch_only_the_team_s_prefixes(synthesized: Synthesized) -> list[str]:
    """The job role lists and reads the team's prefixes of one bucket and writes all but the datasets; nothing else."""
    roles = _job_roles(synthesized)
    found = count("job roles", len(roles), int(synthesized.team.batch is not None))
    for role in roles:
        found += [f"{role.name}: managed policies"] if role.properties.get("ManagedPolicyArns") else []
        allowed = [
            (item.stack, statement)
            for item, statement in policy_statements(synthesized, "Allow")
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
    actions = set(as_list(statement["Action"]))
    if not actions <= READ_ONLY_ACTIONS | OBJECT_ACTIONS:
        yield f"actions {sorted(actions - READ_ONLY_ACTIONS - OBJECT_ACTIONS)}"
    of_objects = bool(actions & (OBJECT_ACTIONS | {"s3:GetObject"}))
    writable = [prefix for prefix in Prefix if prefix is not Prefix.DATASETS]
    prefixes = writable if actions & OBJECT_ACTIONS else list(Prefix)
    for value in as_list(statement["Resource"]):
        path = target(synthesized, stack, value)
        if of_objects and not path.endswith(tuple(f"/{prefix}*" for prefix in prefixes)):
            yield f"{sorted(actions)} on {path}"
        if not of_objects and path.endswith("*"):
            yield f"{sorted(actions)} on {path}"
    if "s3:ListBucket" in actions:
        listed = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix")
        if sorted(as_list(listed)) != sorted(f"{prefix}*" for prefix in Prefix):
            yield f"lists {listed}, expected the team's prefixes"
