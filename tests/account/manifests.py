"""Manifests applied to a cluster's API as kubectl would: an object needs its namespace, and its kind a definition."""

from __future__ import annotations

from collections.abc import Iterable

from tests.account.kubernetes_api import Key, KubernetesApi, Object

BUILT_IN = ("apps", "batch", "policy", "autoscaling")
"""API groups that every cluster serves, besides those that end in .k8s.io."""
CLUSTER_WIDE = (
    "ClusterRole",
    "ClusterRoleBinding",
    "CSIDriver",
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "Namespace",
    "PersistentVolume",
    "PriorityClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
)


class ApplyError(Exception):
    """What the API server would say."""


def apply(api: KubernetesApi, manifest: Iterable[Object]) -> None:
    """Create or replace objects in their order."""
    with api.lock:
        for it in manifest:
            key = _key(api, it)
            if key[2] and ("/api/v1", "namespaces", "", key[2]) not in api.objects:
                raise ApplyError(f'{it["kind"]} {key[3]}: namespaces "{key[2]}" not found')
            old = api.objects.get(key, {})
            kept = {"status": old["status"]} if "status" in old else {}
            api.put(key[0], key[1], it | kept)


def remove(api: KubernetesApi, manifest: Iterable[Object]) -> None:
    """Delete objects, and whatever is in a namespace with it."""
    with api.lock:
        for it in manifest:
            api.objects.pop(_key(api, it), None)
            if it["kind"] == "Namespace":
                name = it["metadata"]["name"]
                for key in [key for key in api.objects if key[2] == name]:
                    del api.objects[key]


def _key(api: KubernetesApi, it: Object) -> Key:
    """Where an object is stored; ApplyError for a kind that the cluster does not know."""
    version, kind, metadata = it["apiVersion"], it["kind"], it["metadata"]
    group = version.partition("/")[0] if "/" in version else ""
    prefix = f"/apis/{version}" if group else f"/api/{version}"
    if not group or group in BUILT_IN or group.endswith(".k8s.io"):
        plural, cluster_wide = _plural(kind), kind in CLUSTER_WIDE
    else:
        plural, cluster_wide = _custom(api, group, kind)
    namespace = "" if cluster_wide else metadata.setdefault("namespace", "default")
    return prefix, plural, namespace, metadata["name"]


def _custom(api: KubernetesApi, group: str, kind: str) -> tuple[str, bool]:
    for (_, plural, _, _), it in api.objects.items():
        if plural == "customresourcedefinitions" and it["spec"]["group"] == group:
            names = it["spec"]["names"]
            if names["kind"] == kind:
                return names["plural"], it["spec"]["scope"] == "Cluster"
    raise ApplyError(f'no matches for kind "{kind}" in group "{group}": ensure CRDs are installed first')


def _plural(kind: str) -> str:
    name = kind.lower()
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith("s") else f"{name}s"
