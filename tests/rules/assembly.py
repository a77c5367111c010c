"""Rules about a team's templates as a whole: stacks, outputs, names, tags, sizes."""

from __future__ import annotations

import json
from enum import StrEnum

from spec.names import TEAM_TAG, Output, job_definition_arn_output, node_group_name_output, repository_uri_output
from tests.conftest import Synthesized
from tests.rules.cfn import resources, strings

PHYSICAL_NAMES = {
    "BucketName",
    "ComputeEnvironmentName",
    "FunctionName",
    "GroupName",
    "InstanceProfileName",
    "JobDefinitionName",
    "JobQueueName",
    "KeyPairName",
    "LaunchTemplateName",
    "LayerName",
    "LogGroupName",
    "ManagedPolicyName",
    "Name",
    "NodegroupName",
    "RepositoryName",
    "RoleName",
}
"""Properties that fix a resource's name. A cluster's is `Name`, so is a parameter's."""
MAX_TEMPLATE_BYTES = 900_000
"""CloudFormation takes 1 MB. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""
MAX_RESOURCES = 450
MAX_OUTPUTS = 180
MAX_MANIFEST_BYTES = 120_000
"""The function that applies a manifest gets it in an event of at most 262,144 bytes, twice when it changes."""
MANIFEST = "Custom::AWSCDK-EKS-KubernetesResource"


class _Path(StrEnum):
    EKS = "eks"
    BATCH = "batch"
    LUSTRE = "lustre"


OUTPUTS: dict[str, _Path | None] = {
    Output.VPC_ID: None,
    Output.TRAINING_SUBNET_ID: None,
    Output.EFA_SECURITY_GROUP_ID: None,
    Output.BUCKET_NAME: None,
    Output.FILE_SYSTEM_ID: _Path.LUSTRE,
    Output.FILE_SYSTEM_DNS_NAME: _Path.LUSTRE,
    Output.FILE_SYSTEM_MOUNT_NAME: _Path.LUSTRE,
    Output.FILE_SYSTEM_SECURITY_GROUP_ID: _Path.LUSTRE,
    Output.CLUSTER_NAME: _Path.EKS,
    Output.CLUSTER_ENDPOINT: _Path.EKS,
    Output.CLUSTER_SECURITY_GROUP_ID: _Path.EKS,
    Output.COMPUTE_ENVIRONMENT_ARN: _Path.BATCH,
    Output.JOB_QUEUE_ARN: _Path.BATCH,
    Output.JOB_LOG_GROUP_NAME: _Path.BATCH,
    Output.JOB_ROLE_ARN: _Path.BATCH,
}
"""Output keys with fixed names, each with the part of the team file that it needs; None for every team."""


def stacks_are_those_asked_for(synthesized: Synthesized) -> list[str]:
    """Network and Storage always, Cluster and Nodes with eks, Batch with batch."""
    team = synthesized.team
    expected = {"Network", "Storage"}
    expected |= {"Cluster", "Nodes"} if team.eks else set()
    expected |= {"Batch"} if team.batch else set()
    found = set(synthesized.templates)
    return [] if found == expected else [f"stacks {sorted(found)}, expected {sorted(expected)}"]


def outputs_are_what_operators_read(synthesized: Synthesized) -> list[str]:
    """Exactly the keys of spec/names.py that the team's parts have, each once."""
    team = synthesized.team
    parts = {_Path.EKS: team.eks, _Path.BATCH: team.batch, _Path.LUSTRE: team.storage.lustre}
    expected = [str(key) for key, part in OUTPUTS.items() if part is None or parts[part] is not None]
    expected += [repository_uri_output(image) for image in team.repositories]
    expected += [job_definition_arn_output(image) for image in team.images if team.batch]
    expected += [node_group_name_output(group.name) for group in (team.eks.node_groups if team.eks else ())]
    found = [
        key
        for template in synthesized.templates.values()
        for key, output in template.get("Outputs", {}).items()
        if "Export" not in output
    ]
    return [] if sorted(found) == sorted(expected) else [f"outputs differ in {sorted({*found} ^ {*expected})}"]


def nothing_has_a_physical_name(synthesized: Synthesized) -> list[str]:
    """CloudFormation names every resource, so that one can be replaced, and a second team deployed beside the first."""
    return [
        f"{item.name}: {key} {value}"
        for item in resources(synthesized)
        for key, value in item.properties.items()
        if key in PHYSICAL_NAMES and isinstance(value, str)
    ]


def every_stack_carries_the_tags(synthesized: Synthesized) -> list[str]:
    """The team's tags are stack tags, which CloudFormation puts on every resource that takes tags."""
    expected = {**synthesized.team.tags, TEAM_TAG: synthesized.team.name}
    stacks = [
        artifact
        for artifact in synthesized.manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    ]
    found = [] if len(stacks) == len(synthesized.templates) else [f"{len(stacks)} stacks in the manifest"]
    return found + [
        f"{stack['displayName']}: tags {stack['properties'].get('tags')}, expected {expected}"
        for stack in stacks
        if stack["properties"].get("tags") != expected
    ]


def nothing_was_looked_up(synthesized: Synthesized) -> list[str]:
    """Synthesis asked no account for anything: no missing context, and no stand-in of a zone name in a template."""
    found = [f"missing context {item}" for item in synthesized.manifest.get("missing") or []]
    return found + [
        f"{stack}: {text}"
        for stack, template in synthesized.templates.items()
        for text in strings(template)
        if "dummy1" in text
    ]


def cdk_has_nothing_to_say(synthesized: Synthesized) -> list[str]:
    """No warning and no error of CDK, among them the one about a dropped EFA rule."""
    return list(synthesized.annotations)


def templates_fit_their_limits(synthesized: Synthesized) -> list[str]:
    """Room to spare below CloudFormation's limits on a template, and Lambda's on a manifest."""
    found = []
    for stack, template in synthesized.templates.items():
        sizes = (
            ("bytes", len(json.dumps(template, indent=1).encode()), MAX_TEMPLATE_BYTES),
            ("resources", len(template["Resources"]), MAX_RESOURCES),
            ("outputs", len(template.get("Outputs", {})), MAX_OUTPUTS),
        )
        found += [f"{stack}: {size} {what}, expected at most {most}" for what, size, most in sizes if size > most]
    for item in resources(synthesized, MANIFEST):
        size = len(json.dumps(item.properties["Manifest"]).encode())
        if size > MAX_MANIFEST_BYTES:
            found.append(f"{item.name}: a manifest of {size} bytes, expected at most {MAX_MANIFEST_BYTES}")
    return found


def no_reference_goes_round(synthesized: Synthesized) -> list[str]:
    """Stacks form no cycle, and none has to be deployed before the network's or deleted after it."""
    exporters = {
        output["Export"]["Name"]: stack
        for stack, template in synthesized.templates.items()
        for output in template.get("Outputs", {}).values()
        if "Export" in output
    }
    needs = {
        stack: {exporters.get(text, text) for text in _imports(template)}
        for stack, template in synthesized.templates.items()
    }
    done: set[str] = set()
    while ready := {stack for stack, others in needs.items() if stack not in done and others <= done}:
        done |= ready
    return [f"{stack}: needs {sorted(needs[stack] - done)}" for stack in sorted(needs.keys() - done)]


def _imports(value: object) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _imports(item)]
    if isinstance(value, dict):
        own = [value["Fn::ImportValue"]] if isinstance(value.get("Fn::ImportValue"), str) else []
        return own + [name for item in value.values() for name in _imports(item)]
    return []
