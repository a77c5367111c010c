"""What must hold of every run that is sent, whatever the job and the instance type; each rule yields its breaches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from spec.hardware import EFA_RESOURCE, NEURON_RESOURCE, Hardware
from spec.names import EVERY_NODE, POD_NAME_LIMIT, TRAINING_SERVICE_ACCOUNT, JobEnv, JobLabel
from tests.k8s.rules import PINNED
from tests.ops.launches import containers, variables

Sent = dict[str, Any]
Rule = Callable[[Sent, Hardware], Iterator[str]]


def pods(job: Sent) -> list[Sent]:
    return [task["template"]["spec"] for task in job["spec"]["tasks"]]


def lines(job: Sent) -> list[str]:
    """Shell line of each node."""
    return [container["command"][2] for container in containers(job)]


def devices_are_the_whole_node_s(job: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/NVIDIA/aicr/issues/2275, https://github.com/aws/containers-roadmap/issues/1735."""
    for container in containers(job):
        limits = container["resources"].get("limits", {})
        if limits.get(NEURON_RESOURCE) != str(row.neuron_devices):
            yield "not every Neuron device"
        if limits.get(EFA_RESOURCE, "0") != str(row.efa_interfaces):
            yield "not every EFA interface"
        if any(name.startswith("hugepages") for name in limits):
            yield "huge pages, which no node reserves"


def nothing_is_requested_of_an_empty_cluster(job: Sent, row: Hardware) -> Iterator[str]:
    for container in containers(job):
        if container["resources"].get("requests"):
            yield "a request keeps Volcano from making pods where no node is"
        memory = int(container["resources"]["limits"].get("memory", "0Mi").removesuffix("Mi"))
        if not 0.5 * row.memory_mib < memory < 0.93 * row.memory_mib:
            yield "memory is not what a node leaves"


def efa_is_used(job: Sent, row: Hardware) -> Iterator[str]:
    for container in containers(job):
        if (variables(container).get("FI_PROVIDER") == "efa") != bool(row.efa_interfaces):
            yield "FI_PROVIDER does not go with the interfaces"


def all_nodes_start_together(job: Sent, row: Hardware) -> Iterator[str]:
    spec = job["spec"]
    if spec.get("minAvailable") != len(spec["tasks"]):
        yield "a part of the nodes may start and wait"
    if spec.get("schedulerName") != "volcano" or any("schedulerName" in pod for pod in pods(job)):
        yield "not Volcano's scheduler"
    if spec["queue"] != job["metadata"]["namespace"] or any("nodeName" in pod for pod in pods(job)):
        yield "goes past its queue"


def a_lost_pod_ends_the_job(job: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/volcano-sh/volcano/issues/1651."""
    spec = job["spec"]
    actions = {event: policy["action"] for policy in spec.get("policies", ()) for event in policy["events"]}
    if {*actions} != {"PodFailed", "PodEvicted"}:
        yield "the other pods would wait for ever"
    restarts = spec.get("maxRetry", 3) - 1  # Volcano writes 3 where there is none
    for action in actions.values():
        if action != ("RestartJob" if restarts else "TerminateJob"):
            yield "the action does not go with the retries"
    if any("policies" in task for task in spec["tasks"]):
        yield "policies of a task go before those of the job"
    if not spec.get("ttlSecondsAfterFinished"):
        yield "stays for ever"
    if any(pod["restartPolicy"] != "Never" for pod in pods(job)):
        yield "the kubelet restarts one agent alone"


def agents_meet(job: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/pytorch/pytorch/issues/82160."""
    name = job["metadata"]["name"]
    for index, (line, container) in enumerate(zip(lines(job), containers(job), strict=True)):
        options = dict(re.findall(r"--(rdzv_\w+|nnodes|nproc_per_node)=(\S+)", line))
        if options.get("nnodes") != str(len(job["spec"]["tasks"])):
            yield "not the number of nodes"
        if not 0 < int(options.get("nproc_per_node", 0)) <= row.neuron_cores:
            yield "more workers than NeuronCores"
        if options.get("rdzv_backend") == "c10d":
            first = "TORCHX_RANK0_HOST" if index == 0 else "VC_WORKER_0_HOSTS"
            if options["rdzv_endpoint"] != f"${{{first}:=localhost}}:29500" or options["rdzv_id"] != name:
                yield "does not meet at the first pod under the run's name"
            if {it["containerPort"] for it in container.get("ports", ())} != {29500}:
                yield "the port is not stated"
        elif options.get("rdzv_backend") == "etcd":
            if options["rdzv_id"] != f"{name}-${{{JobEnv.ATTEMPT}}}":
                yield "an attempt meets what the one before has closed"
        else:
            yield "no rendezvous"
        (attempt,) = [it for it in container["env"] if it["name"] == JobEnv.ATTEMPT] or [{}]
        if "job-retry-count" not in json.dumps(attempt.get("valueFrom")):
            yield "the attempt is not known"


def names_fit(job: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/volcano-sh/volcano/issues/4691."""
    for task in job["spec"]["tasks"]:
        pod = f"{job['metadata']['name']}-{task['name']}-0"
        if len(pod) > POD_NAME_LIMIT or not re.fullmatch(r"[a-z][a-z0-9-]*[a-z0-9]", pod):
            yield "no host name can be made of the pod's"


def pods_are_confined(job: Sent, row: Hardware) -> Iterator[str]:
    for pod, container in zip(pods(job), containers(job), strict=True):
        if (
            pod.get("serviceAccountName") != TRAINING_SERVICE_ACCOUNT
            or pod.get("automountServiceAccountToken") is not False
        ):
            yield "holds a token"
        if pod.get("hostNetwork") or any("hostPath" in volume for volume in pod["volumes"]):
            yield "reaches into the node"
        security = container.get("securityContext", {})
        if security.get("privileged") or security.get("allowPrivilegeEscalation") is not False:
            yield "privileged"
        # A placeholder stands for the registry, not for the tag.
        if not PINNED.fullmatch(container["image"]):
            yield "the image moves"


def nodes_are_the_team_s(job: Sent, row: Hardware) -> Iterator[str]:
    for pod in pods(job):
        chosen = pod.get("nodeSelector", {})
        if (
            chosen.get("node.kubernetes.io/instance-type") != row.instance_type
            or "trn-training/node-group" not in chosen
        ):
            yield "may land on other nodes"


def runs_are_found_again(job: Sent, row: Hardware) -> Iterator[str]:
    for labels in (
        job["metadata"]["labels"],
        *(task["template"]["metadata"]["labels"] for task in job["spec"]["tasks"]),
    ):
        if not {JobLabel.JOB, JobLabel.PHASE} <= labels.keys():
            yield "no command finds the run"
        if (JobLabel.CACHE in labels) != (JobEnv.CACHE in variables(containers(job)[0])):
            yield "nobody sees who uses the cache"


def nodes_agree(job: Sent, row: Hardware) -> Iterator[str]:
    environments = [variables(container) for container in containers(job)]
    for environment in environments:
        environment.pop("TORCHX_RANK0_HOST", None)
        comm = environment.get("NEURON_RT_ROOT_COMM_ID", "")
        if len(environments) > 1 and comm.startswith(("localhost", "127.")):
            yield "every node is its own root"
    if any(environment != environments[0] for environment in environments):
        yield "the nodes are told different things"


EKS_RULES: tuple[Rule, ...] = (
    devices_are_the_whole_node_s,
    nothing_is_requested_of_an_empty_cluster,
    efa_is_used,
    all_nodes_start_together,
    a_lost_pod_ends_the_job,
    agents_meet,
    names_fit,
    pods_are_confined,
    nodes_are_the_team_s,
    runs_are_found_again,
    nodes_agree,
)


def overrides(request: Sent) -> tuple[str, dict[str, str]]:
    """(shell line, environment) that a SubmitJob request gives every node."""
    (override,) = request["nodeOverrides"]["nodePropertyOverrides"]
    container = override["containerOverrides"]
    return container["command"][2], {it["name"]: it["value"] for it in container["environment"]}


def definition_is_overridden_for_every_node(request: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/Netflix/metaflow/pull/1656."""
    (override,) = request["nodeOverrides"]["nodePropertyOverrides"]
    if override["targetNodes"] != EVERY_NODE:
        yield "not the definition's range"
    if not request["jobDefinition"].startswith("${JobDefinitionArn") or request["jobQueue"] != "${JobQueueArn}":
        yield "not the deployed definition and queue"
    if {"resourceRequirements", "instanceType"} & override["containerOverrides"].keys():
        yield "takes less than the machine"


def batch_nodes_meet(request: Sent, row: Hardware) -> Iterator[str]:
    """https://github.com/ray-project/ray/issues/65070."""
    line, environment = overrides(request)
    if f"--nnodes={request['nodeOverrides']['numNodes']} " not in line:
        yield "not the number of nodes"
    if " --node_rank=$AWS_BATCH_JOB_NODE_INDEX " not in line:
        yield "rank 0 is not the main node's"
    if not re.search(
        r" --master_addr=\$\{AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-\$\(hostname -i[^)]*\)\} ", line
    ):
        yield "the main node names itself localhost"
    if "NEURON_RT_ROOT_COMM_ID" in environment:
        yield "every node is its own root"
    if not 0 < int(re.findall(r"--nproc_per_node=(\d+)", line)[0]) <= row.neuron_cores:
        yield "more workers than NeuronCores"


def batch_keeps_everything_in_the_bucket(request: Sent, row: Hardware) -> Iterator[str]:
    _, environment = overrides(request)
    for name in (JobEnv.DATASETS, JobEnv.CHECKPOINTS, JobEnv.LOGS):
        if not environment.get(name, "").startswith("s3://${BucketName}/"):
            yield f"{name} is lost with the container"


def batch_runs_are_found_again(request: Sent, row: Hardware) -> Iterator[str]:
    if not {JobLabel.JOB, JobLabel.PHASE, "trn-training:team"} <= request["tags"].keys():
        yield "no command finds the run"
    if (JobLabel.CACHE in request["tags"]) != (JobEnv.CACHE in overrides(request)[1]):
        yield "nobody sees who uses the cache"


BATCH_RULES: tuple[Rule, ...] = (
    definition_is_overridden_for_every_node,
    batch_nodes_meet,
    batch_keeps_everything_in_the_bucket,
    batch_runs_are_found_again,
)
