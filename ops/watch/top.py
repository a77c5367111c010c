"""neuron-top in a container of a run."""

from __future__ import annotations

from ops.aws import Account
from ops.errors import OpsError
from ops.kube import cluster_api
from ops.programs import program, run as run_program
from ops.watch.batch_logs import node_job
from ops.watch.kubeconfig import kubeconfig_file
from ops.watch.pods import phase_of, pod_at, pods_of
from ops.watch.runs import Run
from spec.team import Team

PROGRAM = "neuron-top"


def top_on_eks(account: Account, team: Team, run: Run, node: int) -> int:
    """Show neuron-top of a node until its user leaves it; gives its exit code."""
    kubectl = program("kubectl", purpose="`trn top` on EKS")
    with cluster_api(account, team) as api:
        pod = pod_at(run, pods_of(api, run), node)
    name, phase = pod["metadata"]["name"], phase_of(pod)
    if phase != "Running":
        raise OpsError(f"{name}: the pod is {phase}, expected Running; `trn status` says what the run waits for")
    container = pod["spec"]["containers"][0]["name"]
    with kubeconfig_file(account, team) as config:
        command = [kubectl, "--kubeconfig", str(config), "--namespace", run.namespace, "exec", "-it", name]
        return run_program([*command, "--container", container, "--", PROGRAM])


def top_on_batch(account: Account, run: Run, node: int) -> str:
    """What to type for neuron-top in a container of Batch, which is reached through its host."""
    container = node_job(account, run, node).get("container", {})
    arn = container.get("containerInstanceArn", "")
    if not arn:
        raise OpsError(f"run {run.id}: node {node} is on no host ({run.state}); `trn status` says why it waits")
    # arn:PARTITION:ecs:REGION:ACCOUNT:container-instance/CLUSTER/ID
    cluster = arn.split("/")[1]
    found = account.client("ecs").describe_container_instances(cluster=cluster, containerInstances=[arn])
    hosts = [it["ec2InstanceId"] for it in found["containerInstances"]]
    if not hosts:
        raise OpsError(f"run {run.id}: the host of node {node} is gone ({run.state})")
    task = container.get("taskArn", "").rpartition("/")[2]
    label = f"com.amazonaws.ecs.task-arn={container['taskArn']}" if task else "com.amazonaws.ecs.task-arn"
    return (
        f"A container of Batch is reached through its host. In a terminal with the Session Manager plugin:\n"
        f"  aws ssm start-session --region {account.region} --target {hosts[0]}\n"
        f"and there:\n"
        f"  sudo docker exec -it $(sudo docker ps -q --filter label={label} | head -1) {PROGRAM}"
    )
