"""Why runs wait, how full the queues are, and how many training nodes there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus

from kubernetes import client
from kubernetes.utils import parse_quantity

from ops.aws import Account, outputs
from ops.cluster import EVENTS, NODES, POD_GROUPS, VOLCANO_QUEUES, Object, find, objects
from ops.console import Row, say, show, show_json
from ops.kube import cluster_api
from ops.waiting import age
from ops.watch.runs import UNREACHED, Run, all_runs, eks_runs, queue_names, why
from spec.hardware import NEURON_RESOURCE
from spec.names import NodeLabel, Output, StackName, node_group_name_output
from spec.team import Team


@dataclass(frozen=True)
class Report:
    """What there is of a team now."""

    runs: list[Run]
    queues: list[Row] = field(default_factory=list)
    node_groups: list[Row] = field(default_factory=list)


def report(account: Account, team: Team, *, ended: bool) -> Report:
    """Runs over every path, active ones only without `ended`, and what the cluster says, where it is reached."""
    it = Report([])

    def cluster_runs() -> list[Run]:
        with cluster_api(account, team) as api:
            found = eks_runs(api, team)
            try:
                found = [replace(run, reason=waiting_reason(api, run)) if _waits(run) else run for run in found]
                it.queues.extend(queue_use(api, team))
                it.node_groups.extend(node_groups(account, team, api))
            except UNREACHED as error:
                say(f"not all is shown: {why(error)}")
            return found

    it.runs.extend(run for run in all_runs(account, team, cluster_runs) if ended or run.active)
    return it


def _waits(run: Run) -> bool:
    return run.path == "eks" and run.state in ("Pending", "Restarting")


def show_report(it: Report, *, as_json: bool) -> None:
    """One JSON object, or a table each of runs, queues and node groups."""
    if as_json:
        show_json({"runs": [asdict(run) for run in it.runs], "queues": it.queues, "node_groups": it.node_groups})
        return
    show([_row(run) for run in it.runs], as_json=False, empty="no runs")
    for rows in (it.queues, it.node_groups):
        if rows:
            say("")
            show(rows, as_json=False, empty="")


def _row(run: Run) -> Row:
    return {
        "run": run.id,
        "job": run.job,
        "phase": run.phase,
        "on": run.path,
        "queue": run.queue,
        "nodes": run.nodes,
        "state": run.state,
        "age": age(run.created),
        "why": run.reason,
    }


def waiting_reason(api: client.ApiClient, run: Run) -> str:
    """Why a Volcano job does not run: its pod group's condition, else its last warning, else what the job says."""
    groups = objects(api, POD_GROUPS, run.namespace)
    owned = [group for group in groups if _owner(group) == run.id]
    for condition in (it for group in owned for it in group.get("status", {}).get("conditions", ())):
        if condition.get("type") == "Unschedulable" and condition.get("status") == "True":
            return str(condition.get("message", condition.get("reason", "")))
    events = objects(api, EVENTS, run.namespace, fields={"involvedObject.name": run.id, "type": "Warning"})
    latest = max(events, key=lambda event: event.get("lastTimestamp") or "", default=None)
    return str(latest["message"]) if latest else run.reason


def _owner(group: Object) -> str:
    return next((owner["name"] for owner in group["metadata"].get("ownerReferences", ())), "")


def queue_use(api: client.ApiClient, team: Team) -> list[Row]:
    """Neuron devices in use and allowed, by queue; queues that the caller may not read are left out."""
    rows: list[Row] = []
    for name in queue_names(team):
        try:
            queue = find(api, VOLCANO_QUEUES, name)
        except client.ApiException as error:
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            continue
        if queue is None:
            continue
        status = queue.get("status", {})
        rows.append(
            {
                "queue": name,
                "state": status.get("state", ""),
                "neuron devices used": _whole(status.get("allocated", {})),
                "of": _whole(queue["spec"].get("capability", {})),
            }
        )
    return rows


def _whole(quantities: Mapping[str, str]) -> int | None:
    text = quantities.get(NEURON_RESOURCE)
    return None if text is None else int(parse_quantity(text))  # Volcano writes thousandths: 16000m


def node_groups(account: Account, team: Team, api: client.ApiClient) -> list[Row]:
    """Training node groups: how many nodes are wanted, and how many are ready where the caller may list nodes."""
    if team.eks is None:
        return []
    names = outputs(account, team, StackName.NODES)
    cluster = outputs(account, team, StackName.CLUSTER)[Output.CLUSTER_NAME]
    ready = _ready_nodes(api)
    rows: list[Row] = []
    for group in team.eks.node_groups:
        found = account.client("eks").describe_nodegroup(
            clusterName=cluster, nodegroupName=names[node_group_name_output(group.name)].rpartition("/")[2]
        )["nodegroup"]
        rows.append(
            {
                "node group": group.name,
                "type": group.instance_type,
                "desired": found["scalingConfig"]["desiredSize"],
                "ready": None if ready is None else ready.get(group.name, 0),
                "state": found["status"],
            }
        )
    return rows


def _ready_nodes(api: client.ApiClient) -> dict[str, int] | None:
    """Ready nodes by node group; None where the caller, a researcher, may not list nodes."""
    try:
        nodes = objects(api, NODES, labels={NodeLabel.NODE_GROUP: ""})
    except client.ApiException as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        return None
    counts: dict[str, int] = {}
    for node in nodes:
        conditions = node.get("status", {}).get("conditions", ())
        if any(it["type"] == "Ready" and it["status"] == "True" for it in conditions):
            group = node["metadata"]["labels"][NodeLabel.NODE_GROUP]
            counts[group] = counts.get(group, 0) + 1
    return counts
