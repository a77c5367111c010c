"""Nodes of a Batch job: real processes on loopback, each a node; one that fails or goes ends the others."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spec.names import NODES_PORT, RENDEZVOUS_PORT
from tests.images.container import Container, checkpoint, wait_for
from trn_job.nodes import Place

# What torchrun does on each node stands in a variable of its own.
TORCHRUN = 'touch "$SEEN/started-$AWS_BATCH_JOB_NODE_INDEX"\neval "$DOES"\n'
WAITS = 'trap "exit 0" TERM; while sleep 0.02; do :; done'
Process = subprocess.Popen[str]


class Job:
    """A job of Batch whose nodes are processes here."""

    def __init__(self, container: Container, nodes: int) -> None:
        container.program("torchrun", TORCHRUN)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.container = container
        self.processes: list[Process] = []
        self._nodes = nodes

    def node(self, index: int, does: str, **more: str) -> Process:
        own = {} if index == 0 else {"AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS": "127.0.0.1"}
        told = {
            "TRN_NODES": str(self._nodes),
            "TRN_NODES_PORT": str(self.port),
            "TRN_NODE_SILENT_SECONDS": "1",
            "TRN_NODE_PATIENCE_SECONDS": "20",
            "AWS_BATCH_JOB_ID": f"job-1#{index}",
            "AWS_BATCH_JOB_ATTEMPT": "1",
            "AWS_BATCH_JOB_NODE_INDEX": str(index),
            "AWS_BATCH_JOB_MAIN_NODE_INDEX": "0",
            "DOES": does,
        }
        process = subprocess.Popen(
            ["trn-job", "torchrun", "script.py", "--data_dir=/d"],
            cwd=self.container.root,
            env=self.container.environment | told | own | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def close(self) -> None:
        """Nothing of a node outlives it, as in a container."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=10)

    def wait_for(self, *nodes: int) -> None:
        """Until torchrun runs on these."""
        for node in nodes:
            wait_for(self.container.root / f"started-{node}")


@pytest.fixture
def job(container: Container) -> Iterator[Job]:
    made = Job(container, 2)
    yield made
    made.close()


def ended(process: Process) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def test_all_nodes_succeed(job: Job) -> None:
    main, other = job.node(0, "exit 0"), job.node(1, "sleep 0.5")
    assert ended(main)[0] == 0  # it waited for the other
    assert other.poll() == 0 or ended(other)[0] == 0


def test_a_node_that_fails_ends_the_main_node(job: Job) -> None:
    main, other = job.node(0, WAITS), job.node(1, "exit 17")
    code, out, err = ended(main)
    assert (code, ended(other)[0]) == (17, 17)
    assert "node 1 ended with 17" in err
    assert "SIGTERM: stopping" in out


def test_a_node_that_fails_after_the_main_node_fails_the_job(job: Job) -> None:
    main, _ = job.node(0, "exit 0"), job.node(1, "sleep 0.5; exit 3")
    assert ended(main)[0] == 3


def test_a_node_that_fails_before_torchrun_is_heard(job: Job) -> None:
    main, other = job.node(0, WAITS), job.node(1, "exit 0", TRN_DRIVER_FILE="/nowhere")
    code, _, err = ended(main)
    assert (code, ended(other)[0]) == (78, 78)
    assert "node 1 ended with 78" in err


def test_a_node_that_failed_waits_for_a_later_main_node(job: Job) -> None:
    other = job.node(1, "exit 0", TRN_DRIVER_FILE="/nowhere")
    with pytest.raises(subprocess.TimeoutExpired):
        other.wait(1)
    assert ended(job.node(0, WAITS))[0] == 78
    assert ended(other)[0] == 78


def test_a_node_that_is_killed_ends_the_main_node(job: Job) -> None:
    main, other = job.node(0, WAITS), job.node(1, "sleep 5")
    job.wait_for(0, 1)
    time.sleep(0.5)  # connected
    killed = time.monotonic()
    other.kill()
    code, _, err = ended(main)
    assert code == 76
    assert "node 1 is lost: its connection ended without a word" in err
    assert time.monotonic() - killed < 10


def test_a_node_that_hangs_ends_the_main_node(job: Job) -> None:
    main, other = job.node(0, WAITS), job.node(1, "sleep 5")
    job.wait_for(0, 1)
    time.sleep(0.5)
    other.send_signal(signal.SIGSTOP)
    code, _, err = ended(main)
    assert code == 76
    assert "node 1 is lost: silent for 1 s" in err


def test_a_node_that_never_comes_ends_the_main_node(job: Job) -> None:
    code, _, err = ended(job.node(0, WAITS, TRN_NODE_PATIENCE_SECONDS="1"))
    assert code == 76
    assert f"node 1: not seen within 1 s; see their logs. Where they run, TCP port {job.port} is closed" in err


def test_a_node_that_does_not_end_fails_the_job(job: Job) -> None:
    main, _ = job.node(0, "exit 0", TRN_NODE_PATIENCE_SECONDS="2"), job.node(1, WAITS)
    code, _, err = ended(main)
    assert code == 76
    assert "node 1: no end 2 s after this one's" in err


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_main_node_that_goes_ends_the_others(job: Job, number: int) -> None:
    main, other = job.node(0, WAITS), job.node(1, WAITS)
    job.wait_for(0, 1)
    time.sleep(0.5)
    main.send_signal(number)
    code, _, err = ended(other)
    assert code == 76
    assert "main node 127.0.0.1 is gone" in err


def test_a_main_node_that_never_comes_ends_the_others(job: Job) -> None:
    code, _, err = ended(job.node(1, WAITS, TRN_NODE_PATIENCE_SECONDS="1"))
    assert code == 76
    assert f"main node 127.0.0.1 not reached at TCP port {job.port} in 1 s" in err


def test_a_main_node_that_fails_has_its_own_code(job: Job) -> None:
    main, other = job.node(0, "sleep 0.5; exit 9"), job.node(1, WAITS)
    assert ended(main)[0] == 9
    assert ended(other)[0] == 76


def test_sigterm_ends_a_waiting_main_node_and_a_waiting_node(job: Job) -> None:
    main = job.node(0, "exit 0")
    job.wait_for(0)
    time.sleep(0.5)
    main.terminate()
    assert ended(main)[0] == 143
    other = job.node(1, "exit 5")
    job.wait_for(1)
    time.sleep(0.5)
    stopped = time.monotonic()
    other.terminate()
    ended(other)
    assert time.monotonic() - stopped < 15


def test_the_last_copy_is_made_when_another_node_fails(job: Job, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(job.container.root / "new" / "ckpt_30.pt")
    main = job.node(0, f'cp "$SEEN"/new/* "$OUT/"; {WAITS}', **s3)
    job.node(1, "sleep 1; exit 4")
    assert ended(main)[0] == 4
    assert (bucket / "ckpt_30.pt").exists()


def test_strangers_are_not_heard(job: Job) -> None:
    main = job.node(0, WAITS, TRN_NODE_PATIENCE_SECONDS="3")
    job.wait_for(0)
    for text in (
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 4096,
        b"hello job-1/2 1\n",
        b"hello job-1/1 0\n",
        b"ended 1\n",
    ):
        with socket.create_connection(("127.0.0.1", job.port), 5) as stranger:
            stranger.settimeout(5)
            stranger.sendall(text)
            if text:
                stranger.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    assert stranger.recv(10) == b""
    assert main.poll() is None
    code, _, err = ended(main)
    assert code == 76
    assert "node 1: not seen" in err


def test_the_main_node_compiles_when_the_others_have_collected(job: Job) -> None:
    log = "Total successful compilations: 8\\nTotal failed compilations: 0\\n"
    job.container.program(
        "neuron_parallel_compile",
        f"[ $2$AWS_BATCH_JOB_NODE_INDEX = collect1 ] && sleep 1\n"
        f'echo "$2 $AWS_BATCH_JOB_NODE_INDEX" >> "$SEEN/runs"\n[ $2 = collect ] || printf "{log}"\n',
    )
    more = {"TRN_PROFILE": "bert", "TRN_PRECOMPILE_STEPS": "10"}
    main, other = job.node(0, "", **more), job.node(1, "", **more)
    assert (ended(main)[0], ended(other)[0]) == (0, 0)
    assert (job.container.root / "runs").read_text().splitlines() == ["collect 0", "collect 1", "compile 0"]


def test_nothing_is_compiled_when_another_node_did_not_collect(job: Job) -> None:
    job.container.program(
        "neuron_parallel_compile",
        'echo "$2" >> "$SEEN/runs"\n[ $AWS_BATCH_JOB_NODE_INDEX = 0 ] || { sleep 0.5; exit 6; }\n',
    )
    more = {"TRN_PROFILE": "bert", "TRN_PRECOMPILE_STEPS": "10"}
    main, _ = job.node(0, "", **more), job.node(1, "", **more)
    assert ended(main)[0] == 6
    assert (job.container.root / "runs").read_text().splitlines() == ["collect", "collect"]


@pytest.mark.parametrize(
    "environ",
    [
        {"TRN_NODES": "1", "AWS_BATCH_JOB_ID": "job-1#0", "AWS_BATCH_JOB_NODE_INDEX": "0"},
        {"TRN_NODES": "2", "TORCHX_RANK0_HOST": "localhost"},
        {
            "TRN_NODES": "2",
            "AWS_BATCH_JOB_ID": "job-1#0",
            "AWS_BATCH_JOB_NODE_INDEX": "0",
            "TRN_SKIP_NODE_WATCH": "1",
        },
    ],
)
def test_nodes_are_not_watched(environ: dict[str, str], container: Container) -> None:
    """One node, Kubernetes, and where it is not wanted: no port is opened, and nobody is waited for."""
    assert Place.read(environ, nodes=int(environ["TRN_NODES"])) is None
    assert container.job(**environ).returncode == 0


def test_the_nodes_of_three_are_told_apart(container: Container) -> None:
    job = Job(container, 3)
    main = job.node(0, WAITS)
    job.node(1, "exit 0")
    job.node(2, "sleep 0.5; exit 8")
    code, _, err = ended(main)
    assert code == 8
    assert "node 2 ended with 8" in err
    job.close()


def test_a_port_that_is_taken(job: Job) -> None:
    with socket.create_server(("", job.port)):
        code, _, err = ended(job.node(0, WAITS))
    assert code == 78
    assert f"port {job.port}, for word of the other nodes: Address already in use" in err


def test_the_main_nodes_address_is_needed(container: Container) -> None:
    done = container.job(TRN_NODES="2", AWS_BATCH_JOB_ID="job-1#1", AWS_BATCH_JOB_NODE_INDEX="1")
    assert done.returncode == 78
    assert "AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS: got nothing" in done.stderr


def test_the_port_is_one_that_nodes_may_use() -> None:
    """Of the rule that the Batch stack adds, and not the rendezvous' own."""
    assert NODES_PORT != RENDEZVOUS_PORT
    assert 1024 <= NODES_PORT <= 65535
