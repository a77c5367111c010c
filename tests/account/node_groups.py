"""EKS node groups of the stand-in account: as many instances in moto's EC2 as they are scaled to, a Ready node each.

An instance has the type and the tags that the launch template gives it, and nothing else of it: no network interface,
no placement, no capacity. Nothing runs on a node.
"""

from __future__ import annotations

import uuid
from typing import Any

from moto.autoscaling.models import autoscaling_backends
from moto.eks import urls
from moto.eks.models import EKSBackend

from tests.account.cluster import api_of, eks
from tests.account.recorded import ACCOUNT_ID, EFFECTS, Effect, Recorded, existing
from tests.account.routes import route
from tests.account.storage import ec2


def _scaling(region: str) -> Any:
    return autoscaling_backends[ACCOUNT_ID][region]


def _group_of(node_group: Any) -> str:
    return str(node_group.resources["autoScalingGroups"][0]["name"])


def _instance_type(asks: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """(type, tags) of a node group's instances."""
    (template,) = (it for it in existing("AWS::EC2::LaunchTemplate") if it.name == asks["LaunchTemplate"]["Id"])
    data = template.properties["LaunchTemplateData"]
    tags: list[dict[str, str]] = next(
        (one["Tags"] for one in data["TagSpecifications"] if one["ResourceType"] == "instance"), []
    )
    return asks.get("InstanceTypes", [data.get("InstanceType")])[0], {tag["Key"]: tag["Value"] for tag in tags}


def _node_group(it: Recorded) -> None:
    asks = it.properties
    size = {f"{key[0].lower()}{key[1:]}": value for key, value in asks["ScalingConfig"].items()}
    role = f"arn:aws:iam::{ACCOUNT_ID}:role/node"
    made = eks(it.region).create_nodegroup(
        asks["ClusterName"], role, it.name, asks["Subnets"], size, labels=asks.get("Labels"), tags=it.tags
    )
    instance_type, tags = _instance_type(asks)
    group = _group_of(made)
    template = ec2(it.region).create_launch_template(
        group, "", {"InstanceType": instance_type, "ImageId": "ami-12c6146b"}, {}
    )
    _scaling(it.region).create_auto_scaling_group(
        group,
        [],
        size["desiredSize"],
        size["maxSize"],
        size["minSize"],
        "",
        {"LaunchTemplateId": template.id},
        ",".join(asks["Subnets"]),
        None,
        None,
        None,
        [],
        [],
        None,
        [],
        [{"Key": key, "Value": value, "PropagateAtLaunch": True} for key, value in tags.items()],
    )
    # What Ref gives, and what the attribute gives.
    it.attributes |= {"NodegroupName": it.name, "Arn": made.arn}
    it.behind = made
    it.name = f"{asks['ClusterName']}/{it.name}"
    _register_nodes(made, it.region)


def _delete_node_group(it: Recorded) -> None:
    cluster, _, name = it.name.partition("/")
    group = _group_of(it.behind)
    _scaling(it.region).delete_auto_scaling_group(group)
    eks(it.region).delete_nodegroup(cluster, name)


def _register_nodes(group: Any, region: str) -> None:
    """A Ready node for each instance of a group."""
    api = api_of(group.cluster_name)
    scaling = _scaling(region).autoscaling_groups[_group_of(group)]
    labels = {**group.labels, "eks.amazonaws.com/nodegroup": group.nodegroup_name}
    for key in [key for key, it in api.objects.items() if key[1] == "nodes" and it["metadata"]["labels"] == labels]:
        del api.objects[key]
    for state in scaling.active_instances():
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        api.put("/api/v1", "nodes", {"metadata": {"name": state.instance.id, "labels": labels}, "status": ready})


def _update(path: str, _asked: dict[str, Any]) -> dict[str, Any]:
    return {"update": {"id": path.rpartition("/")[2], "status": "Successful", "type": "ConfigUpdate"}}


def extend() -> None:
    """Have moto's EKS scale instances, and say that an update is done."""
    update = EKSBackend.update_nodegroup_config

    def update_nodegroup_config(
        self: EKSBackend, cluster_name: str, nodegroup_name: str, *args: Any, **kwargs: Any
    ) -> Any:
        answer = update(self, cluster_name, nodegroup_name, *args, **kwargs)
        group = self.clusters[cluster_name].nodegroups[nodegroup_name]
        name = _group_of(group)
        scaling = _scaling(self.region_name)
        scaling.set_desired_capacity(name, group.scaling_config["desiredSize"])
        _register_nodes(group, self.region_name)
        return answer | {"id": str(uuid.uuid4())}

    setattr(EKSBackend, "update_nodegroup_config", update_nodegroup_config)  # noqa: B010  a name mypy guards
    urls.url_paths["{0}/clusters/(?P<name>[^/]+)/updates/(?P<update>[^/]+)$"] = route(_update)


EFFECTS |= {"AWS::EKS::Nodegroup": Effect(_node_group, delete=_delete_node_group)}
