"""Nodes of a Batch job tell its main node how they fare: Batch itself does nothing when another node fails.

Only the main node's end counts, and its workers would wait for those of the lost node until the job's timeout. So every
other node keeps a connection to the main node, which stops when one of them fails, falls silent or never comes. On
Kubernetes Volcano ends a job whose pod fails.
https://docs.aws.amazon.com/batch/latest/userguide/job-lifecycle.html
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from spec.names import JOIN_TIMEOUT_SECONDS, NODES_PORT
from trn_job.messages import NODE_LOST, Stop, complain, say
from trn_job.settings import number, seconds
from trn_job.supervisor import Supervisor

BEATS = 6
"""Signs of life in the time after which a node counts as lost."""
HELLO_SECONDS = 10
LAST_WORD_SECONDS = 5
"""What a node that was told to stop takes for its last word; Batch kills it 30 s after SIGTERM."""
LINE = 256
"""Bytes of a line at most."""
OK = b"ok\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node's place in a job of Batch."""

    token: str
    """Only nodes of this attempt of this job know it."""
    index: int
    main: int
    nodes: int
    host: str
    """Address of the main node; empty on the main node, which listens everywhere."""
    port: int
    silent_seconds: float
    """After so long without a sign of life a node is lost."""
    patience_seconds: float
    """How long nodes wait for one another, at the start and at the end."""

    @classmethod
    def read(cls, environ: Mapping[str, str], *, nodes: int) -> Place | None:
        """None where there is nobody to tell: one node, or no Batch."""
        job, index = environ.get("AWS_BATCH_JOB_ID"), environ.get("AWS_BATCH_JOB_NODE_INDEX")
        if nodes == 1 or job is None or index is None:
            return None
        if environ.get("TRN_SKIP_NODE_WATCH") == "1":
            say("nodes do not watch each other: TRN_SKIP_NODE_WATCH is 1")
            return None
        main = environ.get("AWS_BATCH_JOB_MAIN_NODE_INDEX", "0")
        host = environ.get("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS", "")
        if index != main and not host:
            raise Stop("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS: got nothing, expected the main node's address")
        return cls(
            token=f"{job.partition('#')[0]}/{environ.get('AWS_BATCH_JOB_ATTEMPT', '1')}",
            index=int(index),
            main=int(main),
            nodes=nodes,
            host=host,
            port=number(environ, "TRN_NODES_PORT", str(NODES_PORT)),
            silent_seconds=seconds(environ, "TRN_NODE_SILENT_SECONDS", "60"),
            patience_seconds=seconds(environ, "TRN_NODE_PATIENCE_SECONDS", str(JOIN_TIMEOUT_SECONDS)),
        )


class Watch:
    """Of a job whose nodes need not watch each other."""

    def others(self) -> int:
        """Wait until every other node has succeeded; 0, or what this node ends with instead."""
        return 0

    def end(self, code: int) -> int:
        """Exit code of this node, whose own work ended with `code`."""
        return code


def watch(place: Place | None, supervisor: Supervisor) -> Watch:
    """Begin to watch: the supervisor is told to stop when another node is lost."""
    if place is None:
        return Watch()
    return MainNode(place, supervisor) if place.index == place.main else OtherNode(place, supervisor)


class MainNode(Watch):
    """Listens to all others."""

    def __init__(self, place: Place, supervisor: Supervisor) -> None:
        self._place = place
        self._supervisor = supervisor
        self._expected = set(range(place.nodes)) - {place.index}
        self._here: set[int] = set()
        self._succeeded: set[int] = set()
        self._changed = threading.Condition()
        self._code = 0
        self._over = False
        try:
            self._listener = socket.create_server((place.host, place.port), backlog=place.nodes)
        except OSError as error:
            raise Stop(f"port {place.port}, for word of the other nodes: {error.strerror}") from None
        for target in (self._accept, self._await_all):
            threading.Thread(target=target, daemon=True).start()

    def others(self) -> int:
        deadline = time.monotonic() + self._place.patience_seconds
        say(f"waiting for {self._named(self._expected - self._succeeded)}")
        with self._changed:
            while not self._code and self._succeeded != self._expected and time.monotonic() < deadline:
                if self._supervisor.received:
                    return 128 + self._supervisor.received
                self._changed.wait(1)
            late = self._expected - self._succeeded
        if late:
            self._fail(f"{self._named(late)}: no end {self._place.patience_seconds:g} s after this one's", NODE_LOST)
        return self._code

    def end(self, code: int) -> int:
        if code == 0 and self._expected != self._succeeded:
            code = self.others()
        with self._changed:
            self._over = True
            return self._code or code

    def _fail(self, text: str, code: int) -> None:
        """End the job, once."""
        with self._changed:
            if self._code or self._over:
                return
            self._code = code
            self._changed.notify_all()
            complain(text)
        self._supervisor.stop()

    def _await_all(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._here == self._expected, self._place.patience_seconds)
            missing = self._expected - self._here
        if missing:
            self._fail(
                f"{self._named(missing)}: not seen within {self._place.patience_seconds:g} s; see their logs. Where "
                f"they run, TCP port {self._place.port} is closed between nodes: TRN_SKIP_NODE_WATCH=1 does without",
                NODE_LOST,
            )

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # no descriptors left: some connection will end
                time.sleep(1)
                continue
            threading.Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            try:
                connection.settimeout(HELLO_SECONDS)
                node = self._node(lines.readline(LINE))
                if node is None:  # whoever looks at ports
                    return
                connection.settimeout(self._place.silent_seconds)
                connection.sendall(OK)
            except OSError:
                return
            with self._changed:
                self._here.add(node)
                self._changed.notify_all()
            try:
                self._hear(node, connection, lines)
            except TimeoutError:
                self._fail(f"node {node} is lost: silent for {self._place.silent_seconds:g} s", NODE_LOST)
            except OSError:
                self._fail(f"node {node} is lost: its connection ended without a word", NODE_LOST)

    def _hear(self, node: int, connection: socket.socket, lines: BinaryIO) -> None:
        """Signs of life, and a node's last word; OSError for anything else."""
        while True:
            word, _, code = lines.readline(LINE).strip().partition(b" ")
            if word not in (b"alive", b"ended"):
                raise ConnectionError
            connection.sendall(OK)
            if word == b"ended":
                break
        if code != b"0":
            self._fail(f"node {node} ended with {code.decode()}; its own log says why", int(code))
            return
        with self._changed:
            self._succeeded.add(node)
            self._changed.notify_all()

    def _node(self, hello: bytes) -> int | None:
        """The node that a first line is from; None for a stranger's."""
        for node in self._expected - self._succeeded:
            if hello == _hello(self._place, node):
                return node
        return None

    @staticmethod
    def _named(nodes: set[int]) -> str:
        listed = ", ".join(map(str, sorted(nodes)))
        return f"node {listed}" if len(nodes) == 1 else f"nodes {listed}"


class OtherNode(Watch):
    """Speaks to the main node until its own end."""

    def __init__(self, place: Place, supervisor: Supervisor) -> None:
        self._place = place
        self._supervisor = supervisor
        self._ended = threading.Event()
        self._code = 0
        self._lost = 0
        self._thread = threading.Thread(target=self._speak, daemon=True)
        self._thread.start()

    def end(self, code: int) -> int:
        """Tells the main node, for which it waits if that one is not there yet."""
        self._code = code
        self._ended.set()
        while self._thread.is_alive() and not self._supervisor.received:
            self._thread.join(1)
        self._thread.join(LAST_WORD_SECONDS)
        return self._lost or code

    def _speak(self) -> None:
        place = self._place
        reached = self._reached()
        if reached is None:
            self._fail(f"main node {place.host} not reached at TCP port {place.port} in {place.patience_seconds:g} s")
            return
        with reached, reached.makefile("rb") as answers:
            try:
                while not self._ended.wait(place.silent_seconds / BEATS):
                    _ask(reached, answers, b"alive\n")
                _ask(reached, answers, b"ended %d\n" % self._code)
            except OSError:
                self._fail(f"main node {place.host} is gone")

    def _reached(self) -> socket.socket | None:
        """A connection to the main node that has answered; None when patience ends."""
        deadline = time.monotonic() + self._place.patience_seconds
        while time.monotonic() < deadline:
            try:
                connection = socket.create_connection((self._place.host, self._place.port), HELLO_SECONDS)
                try:
                    with connection.makefile("rb") as answers:
                        _ask(connection, answers, _hello(self._place, self._place.index))
                    connection.settimeout(self._place.silent_seconds)
                except OSError:
                    connection.close()
                    raise
                else:
                    return connection
            except OSError:
                time.sleep(min(1, self._place.silent_seconds / BEATS))
        return None

    def _fail(self, text: str) -> None:
        if self._ended.is_set():
            return
        self._lost = NODE_LOST
        complain(text)
        self._supervisor.stop()


def _hello(place: Place, node: int) -> bytes:
    return f"hello {place.token} {node}\n".encode()


def _ask(connection: socket.socket, answers: BinaryIO, line: bytes) -> None:
    """Say a line and hear that it was understood; OSError where it was not."""
    connection.sendall(line)
    if answers.readline(LINE) != OK:
        raise ConnectionError
