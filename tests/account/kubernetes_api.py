"""A stand-in for a cluster's API server, on loopback: stores any object, records every request, fails on demand.

It serves lists (label and field selectors included), gets, creations, deletions and pod logs of every kind, known or
not, and deletes what a deleted object owned. It judges nothing: no schema, webhook, permission or quota.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from kubernetes import client

Object = dict[str, Any]
Key = tuple[str, str, str, str]
"""(API prefix, plural, namespace or "", name)."""
PATH = re.compile(
    r"(?P<prefix>/api/v1|/apis/[^/]+/[^/]+)(/namespaces/(?P<namespace>[^/]+)(?=/))?"
    r"/(?P<plural>[a-z]+)(/(?P<name>[^/]+))?(/(?P<below>[a-z]+))?"
)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    body: Any
    authorization: str | None


@dataclass
class Failure:
    status: int
    method: str
    path: str
    """Regular expression, anywhere in the path."""
    times: int
    message: str


@dataclass
class KubernetesApi:
    """Objects, logs and failures that a test puts in, and the requests that came."""

    port: int = 0
    objects: dict[Key, Object] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    logs: dict[tuple[str, str], str] = field(default_factory=dict)
    """Text by (namespace, pod); a pod without one has not started."""
    linger: int = 0
    """How often an object that was deleted is still listed or read, as one with a finalizer or a grace period is."""
    controller: Callable[[KubernetesApi, Request], tuple[int, Any] | None] = lambda _api, _request: None
    """Called with each request before it is answered; may act on the objects, or answer in the API's place."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> client.ApiClient:
        return client.ApiClient(client.Configuration(host=self.url))

    def put(self, prefix: str, plural: str, body: Object) -> Object:
        """Store an object as if it had always been there."""
        stored = deepcopy(body)
        metadata = stored.setdefault("metadata", {})
        metadata.setdefault("uid", str(uuid4()))
        metadata.setdefault("creationTimestamp", "2026-11-30T10:00:00Z")
        self.objects[(prefix, plural, metadata.get("namespace", ""), metadata["name"])] = stored
        return stored

    def fail(
        self, status: int, *, method: str = "", path: str = "", times: int = 1_000_000, message: str = "no"
    ) -> None:
        """Answer the next matching requests with an error."""
        self.failures.append(Failure(status, method, path, times, message))

    def names(self, plural: str) -> list[str]:
        return sorted(name for _, kind, _, name in self.objects if kind == plural)

    def sent(self, method: str) -> list[str]:
        """Paths of the requests with a method, in order."""
        return [request.path for request in self.requests if request.method == method]

    def answer(self, request: Request) -> tuple[int, Any]:
        """(status, body): JSON, or text for a log."""
        with self.lock:
            self.requests.append(request)
            for failure in self.failures:
                if failure.times and failure.method in ("", request.method) and re.search(failure.path, request.path):
                    failure.times -= 1
                    return failure.status, _status(failure.status, failure.message)
            if (answered := self.controller(self, request)) is not None:
                return answered
            found = PATH.fullmatch(request.path)
            if found is None:
                return 404, _status(404, "the server could not find the requested resource")
            parts = {key: value or "" for key, value in found.groupdict().items()}
            return self._act(request, **parts)

    def _act(
        self, request: Request, *, prefix: str, namespace: str, plural: str, name: str, below: str
    ) -> tuple[int, Any]:
        key = (prefix, plural, namespace, name)
        match request.method:
            case "GET" if not name:
                return 200, {"items": self._list(prefix, plural, namespace, request.query)}
            case "POST":
                return self._create(prefix, plural, namespace, request.body)
            case _ if key not in self.objects:
                return 404, _status(404, f'{plural} "{name}" not found')
            case "GET" if below == "log":
                return self._log(namespace, name, request.query)
            case "GET":
                return 200, self._read(key)
            case "DELETE":
                self._delete(key)
                return 200, {"kind": "Status", "status": "Success"}
        return 405, _status(405, "method not allowed")

    def _list(self, prefix: str, plural: str, namespace: str, query: dict[str, str]) -> list[Object]:
        keys = [key for key in self.objects if key[:2] == (prefix, plural) and namespace in ("", key[2])]
        found = [self._read(key) for key in sorted(keys)]
        return [
            it
            for it in found
            if _has(it["metadata"].get("labels", {}), query.get("labelSelector", ""))
            and _has(_flat(it), query.get("fieldSelector", ""))
        ]

    def _read(self, key: Key) -> Object:
        stored = self.objects[key]
        if "deletionTimestamp" in stored["metadata"]:
            left = stored["metadata"]["annotations"]["linger"]
            stored["metadata"]["annotations"]["linger"] = left - 1
            if left <= 1:
                del self.objects[key]
        return deepcopy(stored)

    def _create(self, prefix: str, plural: str, namespace: str, body: Object) -> tuple[int, Object]:
        metadata = body["metadata"]
        if "name" not in metadata:
            metadata["name"] = f"{metadata['generateName']}{uuid4().hex[:5]}"
        if namespace:
            metadata.setdefault("namespace", namespace)
        if (prefix, plural, namespace, metadata["name"]) in self.objects:
            return 409, _status(409, f'{plural} "{metadata["name"]}" already exists')
        return 201, self.put(prefix, plural, body)

    def _delete(self, key: Key) -> None:
        it = self.objects[key]
        for owned in [
            other
            for other, candidate in self.objects.items()
            if it["metadata"]["uid"] in [owner["uid"] for owner in candidate["metadata"].get("ownerReferences", ())]
        ]:
            self._delete(owned)
        if self.linger:
            it["metadata"]["deletionTimestamp"] = "2026-11-30T11:00:00Z"
            it["metadata"].setdefault("annotations", {})["linger"] = self.linger
        else:
            del self.objects[key]

    def _log(self, namespace: str, pod: str, query: dict[str, str]) -> tuple[int, Any]:
        text = self.logs.get((namespace, pod))
        if text is None:
            return 400, _status(400, f'container "worker" in pod "{pod}" is waiting to start: ContainerCreating')
        stamped = [
            (f"2026-11-30T10:{number // 60:02}:{number % 60:02}.000000000Z", line)
            for number, line in enumerate(text.splitlines(keepends=True))
        ]
        stamped = [(stamp, line) for stamp, line in stamped if stamp[:19] >= query.get("sinceTime", "")[:19]]
        if "tailLines" in query:
            stamped = stamped[-int(query["tailLines"]) :]
        lines = [f"{stamp} {line}" if query.get("timestamps") else line for stamp, line in stamped]
        return 200, "".join(lines)[: int(query.get("limitBytes", len(text) + 1_000_000))]


def _status(code: int, message: str) -> Object:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message}


def _has(values: dict[str, Any], selector: str) -> bool:
    wanted = [term.partition("=") for term in selector.split(",") if term]
    return all(key in values and (not sign or values[key] == value) for key, sign, value in wanted)


def _flat(it: Object, prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in it.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


@contextmanager
def serve() -> Iterator[KubernetesApi]:
    """A server in a thread, stopped at the end."""
    api = KubernetesApi()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            query = {key: values[0] for key, values in parse_qs(url.query).items()}
            status, answer = api.answer(Request(self.command, url.path, query, body, self.headers.get("Authorization")))
            text = answer if isinstance(answer, str) else json.dumps(answer)
            self.send_response(status)
            self.send_header("Content-Type", "text/plain" if isinstance(answer, str) else "application/json")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = _handle  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
