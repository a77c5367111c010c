"""EKS clusters of the stand-in account, each with a Kubernetes API on loopback.

A cluster holds what the deployed manifests say: each is applied when CloudFormation gets to it, and refused where its
namespace or the definition of its kind is not there yet.
"""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack
from typing import Any

from moto.eks import urls
from moto.eks.models import eks_backends

from spec.kubernetes_versions import SUPPORT_WINDOWS
from tests.account.controllers import act
from tests.account.kubernetes_api import KubernetesApi, serve
from tests.account.manifests import apply, remove
from tests.account.recorded import ACCOUNT_ID, EFFECTS, Effect, Recorded
from tests.account.routes import route

CLUSTERS: dict[str, tuple[KubernetesApi, ExitStack]] = {}
"""The API of each cluster, and what stops it."""


def api_of(cluster: str) -> KubernetesApi:
    return CLUSTERS[cluster][0]


def eks(region: str) -> Any:
    return eks_backends[ACCOUNT_ID][region]


def _cluster(it: Recorded) -> None:
    asks = it.properties
    network = {"subnetIds": asks["ResourcesVpcConfig"]["SubnetIds"], "endpointPublicAccess": True}
    role = f"arn:aws:iam::{ACCOUNT_ID}:role/cluster"
    made = eks(it.region).create_cluster(it.name, role, network, version=asks["Version"], tags=it.tags)
    stack = ExitStack()
    api = stack.enter_context(serve())
    api.controller = act
    for name in ("default", "kube-system", "kube-public", "kube-node-lease"):
        api.put("/api/v1", "namespaces", {"metadata": {"name": name}})
    CLUSTERS[it.name] = api, stack
    made.endpoint = api.url
    made.certificate_authority = {"data": base64.b64encode(b"no TLS on loopback").decode()}
    it.attributes |= {"Endpoint": made.endpoint, "Arn": made.arn}


def _delete_cluster(it: Recorded) -> None:
    eks(it.region).delete_cluster(it.name)
    CLUSTERS.pop(it.name)[1].close()


def stop_all() -> None:
    """Stop what serves."""
    for name in [*CLUSTERS]:
        CLUSTERS.pop(name)[1].close()


def _versions(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    wanted = asked.get("clusterVersions", [])
    known = [version for version in SUPPORT_WINDOWS if version in wanted]
    return {"clusterVersions": [{"clusterVersion": one, "versionStatus": "STANDARD_SUPPORT"} for one in known]}


def extend() -> None:
    """Have moto's EKS answer what it does not know."""
    urls.url_paths["{0}/cluster-versions$"] = route(_versions)


def _manifest(it: Recorded) -> None:
    it.behind = json.loads(it.properties["Manifest"])
    apply(api_of(it.properties["ClusterName"]), it.behind)


def _delete_manifest(it: Recorded) -> None:
    remove(api_of(it.properties["ClusterName"]), it.behind)


EFFECTS |= {
    "AWS::EKS::Cluster": Effect(_cluster, delete=_delete_cluster),
    "Custom::AWSCDK-EKS-KubernetesResource": Effect(_manifest, update=_manifest, delete=_delete_manifest),
}
