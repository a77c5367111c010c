"""What schemas do not see in a manifest: names, selectors, mounts, ports, images, and how containers are confined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
DNS_SUBDOMAIN = re.compile(rf"{DNS_LABEL.pattern}(\.{DNS_LABEL.pattern})*")
PINNED = re.compile(r".+:[^:/]*\d[^:/]*|.+@sha256:[0-9a-f]{64}")
"""An image with a digest, or a tag with a number in it."""

DOTTED = ("CustomResourceDefinition", "CSIDriver")
"""Kinds whose names have dots."""


def broken(objects: Sequence[Object]) -> list[str]:
    """Every breach of these rules, as `Kind/name: what`."""
    return [
        f"{it['kind']}/{it['metadata']['name']}: {text}"
        for it in objects
        for rule in (_names, _labels, _selector, _ports, _pods)
        for text in rule(it, objects)
    ] + _twice(objects)


def pods(it: Object) -> Iterator[Object]:
    """Pod templates of a workload."""
    if it["kind"] in ("Deployment", "DaemonSet", "StatefulSet", "Job"):
        yield it["spec"]["template"]
    elif it["kind"] == "CronJob":
        yield it["spec"]["jobTemplate"]["spec"]["template"]


def containers(pod: Object) -> list[Object]:
    return [*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]]


def _twice(objects: Sequence[Object]) -> list[str]:
    keys = [(it["kind"], it["metadata"].get("namespace"), it["metadata"]["name"]) for it in objects]
    return sorted({f"{kind}/{name}: there twice" for kind, ns, name in keys if keys.count((kind, ns, name)) > 1})


def _names(it: Object, _: Sequence[Object]) -> Iterator[str]:
    name = it["metadata"]["name"]
    pattern, limit = (DNS_SUBDOMAIN, 253) if it["kind"] in DOTTED else (DNS_LABEL, 63)
    if len(name) > limit or not pattern.fullmatch(name):
        yield "not a DNS name"


def _labels(it: Object, _: Sequence[Object]) -> Iterator[str]:
    labels = it["metadata"].get("labels", {})
    for label in ("name", "version", "part-of", "managed-by"):
        if f"app.kubernetes.io/{label}" not in labels:
            yield f"no label app.kubernetes.io/{label}"


def _selector(it: Object, objects: Sequence[Object]) -> Iterator[str]:
    if it["kind"] in ("Deployment", "DaemonSet", "StatefulSet"):
        wanted = it["spec"]["selector"]["matchLabels"].items()
        if not wanted <= it["spec"]["template"]["metadata"]["labels"].items():
            yield "its selector misses its own pods"
        if others := [other for other in _selected(wanted, objects) if other is not it]:
            yield f"its selector takes pods of {others[0]['kind']}/{others[0]['metadata']['name']} too"


def _selected(wanted: Any, objects: Sequence[Object]) -> list[Object]:
    return [it for it in objects for pod in pods(it) if wanted <= pod["metadata"]["labels"].items()]


def _ports(it: Object, objects: Sequence[Object]) -> Iterator[str]:
    if it["kind"] != "Service" or "selector" not in it["spec"]:
        return
    targets = _selected(it["spec"]["selector"].items(), objects)
    if len(targets) != 1:
        yield f"{len(targets)} workloads behind it"
    for target in targets:
        ports = [port for pod in pods(target) for each in containers(pod) for port in each.get("ports", ())]
        open_ports = {port["containerPort"] for port in ports} | {port.get("name") for port in ports}
        for port in it["spec"]["ports"]:
            if (wanted := port.get("targetPort", port["port"])) not in open_ports:
                yield f"no container port {wanted}"


def _pods(it: Object, _: Sequence[Object]) -> Iterator[str]:
    for pod in pods(it):
        volumes = [volume["name"] for volume in pod["spec"].get("volumes", ())]
        mounted = {mount["name"] for each in containers(pod) for mount in each.get("volumeMounts", ())}
        yield from (f"no volume {name}" for name in sorted(mounted - {*volumes}))
        yield from (f"nothing mounts volume {name}" for name in volumes if name not in mounted)
        for each in containers(pod):
            yield from (f"container {each['name']}: {text}" for text in _container(each))


def _container(container: Object) -> Iterator[str]:
    if not PINNED.fullmatch(container["image"]):
        yield f"image {container['image']} without a pinned tag"
    if "securityContext" not in container:
        yield "no securityContext"
    for part, amounts in (("requests", {"cpu", "memory"}), ("limits", {"memory"})):
        if missing := amounts - container.get("resources", {}).get(part, {}).keys():
            yield f"no {part} of {' and '.join(sorted(missing))}"
    names = {port.get("name") for port in container.get("ports", ())}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        for action in ("httpGet", "tcpSocket"):
            port = container.get(probe, {}).get(action, {}).get("port")
            if isinstance(port, str) and port not in names:
                yield f"{probe} asks a port {port} that it has not"
