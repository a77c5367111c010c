"""Objects of a cluster as the API server gives them: dictionaries, by kind and namespace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

from kubernetes import client
from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import ReadTimeoutError

Object = dict[str, Any]
Query = Sequence[tuple[str, str]]

CONNECT_SECONDS = 10
"""A private endpoint swallows packets: without a limit a command would hang for minutes."""
ANSWER_SECONDS = 60
QUIET_SECONDS = 300
"""A training job may say nothing for an hour while it compiles, and a connection may be dropped without a word: after
this long a log is asked for anew."""


@dataclass(frozen=True)
class Kind:
    """A kind of object: where the API serves it."""

    prefix: str
    plural: str

    def path(self, namespace: str | None = None, name: str | None = None, below: str | None = None) -> str:
        """URL path of a collection, of an object, or of something below it such as a log."""
        parts = (self.prefix, *(("namespaces", namespace) if namespace else ()), self.plural, name, below)
        return "/".join(part for part in parts if part)


RUNS = Kind("/apis/batch.volcano.sh/v1alpha1", "jobs")
VOLCANO_QUEUES = Kind("/apis/scheduling.volcano.sh/v1beta1", "queues")
QUEUE_COMMANDS = Kind("/apis/bus.volcano.sh/v1alpha1", "commands")
POD_GROUPS = Kind(VOLCANO_QUEUES.prefix, "podgroups")
JOBS = Kind("/apis/batch/v1", "jobs")
PODS = Kind("/api/v1", "pods")
EVENTS = Kind("/api/v1", "events")
NODES = Kind("/api/v1", "nodes")
SERVICES = Kind("/api/v1", "services")
VOLUMES = Kind("/api/v1", "persistentvolumes")
CLAIMS = Kind("/api/v1", "persistentvolumeclaims")


def objects(
    api: client.ApiClient,
    kind: Kind,
    namespace: str | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[Object]:
    """Every object of a kind in a namespace, or in all; ApiException 404 where the cluster does not know the kind.

    A label without a value may have any.
    """
    query = [
        (name, ",".join(f"{key}={value}" if value else key for key, value in chosen.items()))
        for name, chosen in (("labelSelector", labels), ("fieldSelector", fields))
        if chosen
    ]
    return cast(list[Object], _call(api, "GET", kind.path(namespace), query)["items"])


def find(api: client.ApiClient, kind: Kind, name: str, namespace: str | None = None) -> Object | None:
    """One object; None where there is none."""
    try:
        return cast(Object, _call(api, "GET", kind.path(namespace, name)))
    except client.ApiException as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return None
        raise


def create(api: client.ApiClient, kind: Kind, body: Object, namespace: str | None = None) -> Object:
    """The object as the API server stored it."""
    return cast(Object, _call(api, "POST", kind.path(namespace), body=body))


def delete(api: client.ApiClient, kind: Kind, name: str, namespace: str | None = None) -> bool:
    """Delete an object and, in the background, what it owns; False where it was gone already."""
    try:
        _call(api, "DELETE", kind.path(namespace, name), body={"propagationPolicy": "Background"})
    except client.ApiException as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True


def log_lines(
    api: client.ApiClient,
    pod: Object,
    *,
    follow: bool = False,
    tail: int | None = None,
    since: str | None = None,
    at_most: int | None = None,
    timestamps: bool = False,
) -> Iterator[str]:
    """Lines of the log of a pod's first container; with `follow` as they come, to its end or until it is quiet.

    `since`: a moment, to the second; `at_most`: bytes from its beginning; `timestamps`: `TIME LINE`, to the nanosecond.
    """
    metadata = pod["metadata"]
    query = [("container", pod["spec"]["containers"][0]["name"])]
    query += [("follow", "true")] if follow else []
    query += [("tailLines", str(tail))] if tail is not None else []
    query += [("sinceTime", since)] if since is not None else []
    query += [("limitBytes", str(at_most))] if at_most is not None else []
    query += [("timestamps", "true")] if timestamps else []
    path = PODS.path(metadata["namespace"], metadata["name"], "log")
    wait = Timeout(connect=CONNECT_SECONDS, read=QUIET_SECONDS if follow else ANSWER_SECONDS)
    with closing(_send(api, "GET", path, query, wait=wait, stream=True)) as answer:
        rest = b""
        try:
            for chunk in answer.stream(decode_content=True):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line.decode(errors="replace") for line in lines)
        except ReadTimeoutError:
            if not follow:
                raise
            return
        if rest:
            yield rest.decode(errors="replace")


def _call(api: client.ApiClient, method: str, path: str, query: Query = (), body: Object | None = None) -> Any:
    return json.loads(_send(api, method, path, query, body=body).data)


def _send(
    api: client.ApiClient,
    method: str,
    path: str,
    query: Query,
    *,
    body: Object | None = None,
    wait: Timeout = Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),  # noqa: B008 - never changed
    stream: bool = False,
) -> BaseHTTPResponse:
    """The response, by the client's own connections; ApiException where it is an error."""
    headers = {"Accept": "application/json, */*", "Content-Type": "application/json"}
    api.update_params_for_auth(headers, [], ["BearerToken"])
    url = f"{api.configuration.host}{path}" + (f"?{urlencode(query)}" if query else "")
    text = None if body is None else json.dumps(body)
    pool: PoolManager = api.rest_client.pool_manager
    answer = pool.request(method, url, body=text, headers=headers, timeout=wait, preload_content=not stream)
    if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        return answer
    error = client.ApiException(status=answer.status, reason=answer.reason)
    error.body = answer.data.decode(errors="replace")
    raise error
