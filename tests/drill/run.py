"""The drill: a rendered Volcano job, run by real torchrun agents on this machine; one worker dies; Volcano restarts.

What is real: the command and environment of the job, torchrun, the rendezvous (c10d, or a real etcd), the entrypoint,
the script's checkpoint and resume. What this plays: Volcano, the kubelet and Trainium. Run by `make drill`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ops.watch.pods import has_rank_zero
from spec.hardware import HARDWARE
from spec.job_file import load_job
from spec.names import ETCD_ENDPOINT, JobEnv
from spec.team import Team
from tests.conftest import ROOT
from tests.ops.launches import containers, rendered, team_of

NODES, WORKERS, STEPS = 2, 2, 40
KILL_AT_STEP = 12
SECONDS = 120
HEAD_LINES = 45
"""Lines of a log by whose beginning, or end, `trn logs` is to find rank 0."""
JOB = {
    "name": "drill",
    "image": "bert",
    "script": str(Path(__file__).with_name("train.py")),
    "args": [str(STEPS)],
    "nodes": NODES,
    "workers_per_node": WORKERS,
    "max_retries": 1,
}


class DrillError(Exception):
    """The drill did not go as it must."""


class Agents:
    """One attempt of a job: its agents, each with a log."""

    def __init__(self, job: dict[str, Any], folder: Path, *, attempt: int, etcd: str, shared_id: bool = False) -> None:
        self.folder, self.attempt = folder, attempt
        self.logs = [folder / f"attempt-{attempt}-node-{node}.log" for node in range(NODES)]
        self.processes = [
            self._start(container, log, etcd, 0 if shared_id else attempt)
            for container, log in zip(containers(job), self.logs, strict=True)
        ]

    def _start(self, container: dict[str, Any], log: Path, etcd: str, attempt: int) -> subprocess.Popen[bytes]:
        told = {it["name"]: it.get("value", "") for it in container["env"]}
        environment = {
            **told,
            "PATH": f"{ROOT / 'images/common'}:{os.environ['DRILL_BIN']}:/usr/bin:/bin",
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT),  # an image holds the entrypoint's part of spec/
            "VC_WORKER_0_HOSTS": "localhost",
            JobEnv.ATTEMPT.value: str(attempt),
            JobEnv.CHECKPOINTS.value: str(self.folder / "checkpoints"),
            JobEnv.LOGS.value: str(self.folder / "logs"),
            "TRN_SKIP_NEURON_CHECK": "1",
            "OMP_NUM_THREADS": "1",
        }
        for name in (JobEnv.DATASETS, *(name for name in told if name.startswith("FI_"))):
            environment.pop(name, None)
        # etcd's name resolves in a cluster only.
        command = [word.replace(ETCD_ENDPOINT, etcd) for word in container["command"]]
        with log.open("wb") as stream:
            return subprocess.Popen(
                command, env=environment, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
            )

    def text(self) -> str:
        return "".join(log.read_text(errors="replace") for log in self.logs)

    def wait_for(self, what: str) -> None:
        end = time.monotonic() + SECONDS
        while what not in self.text():
            if time.monotonic() > end or any(it.poll() is not None for it in self.processes):
                raise DrillError(f"{what!r} did not come; logs in {self.folder}")
            time.sleep(0.1)

    def kill_a_worker(self) -> None:
        """Without warning, one that is not rank 0."""
        pid = int((self.folder / "checkpoints" / f"worker-{self.attempt}-{NODES * WORKERS - 1}").read_text())
        os.kill(pid, signal.SIGKILL)

    def wait_for_a_failure(self) -> None:
        end = time.monotonic() + SECONDS
        while not any(it.poll() for it in self.processes):
            if time.monotonic() > end:
                raise DrillError("no agent noticed that its worker is gone")
            time.sleep(0.1)

    def end(self) -> None:
        """As Volcano ends every pod of a job: SIGTERM, and SIGKILL after a while."""
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def codes(self) -> list[int]:
        return [process.wait(SECONDS) for process in self.processes]


@contextmanager
def etcd_server(folder: Path) -> Iterator[str]:
    """HOST:PORT of an etcd with the v2 API, on loopback."""
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    options = [
        *(f"--data-dir={folder / 'etcd'}", "--enable-v2=true", "--logger=zap"),
        *(f"--listen-client-urls={client}", f"--advertise-client-urls={client}"),
        *(f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}"),
    ]
    with (folder / "etcd.log").open("wb") as log:
        process = subprocess.Popen(["etcd", *options], stdout=log, stderr=subprocess.STDOUT)
    try:
        time.sleep(2)
        yield client.removeprefix("http://")
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def drill_team(rendezvous: str, folder: Path) -> Team:
    return team_of(HARDWARE["trn1.32xlarge"], folder, rendezvous=rendezvous)


def started_anew(rendezvous: str, folder: Path, etcd: str, *, shared_id: bool = False) -> tuple[Agents, list[int]]:
    """(second attempt, exit codes of its agents), after a worker of the first has died and Volcano started all anew."""
    job = prepared(rendezvous, folder)
    first = Agents(job, folder, attempt=0, etcd=etcd)
    try:
        first.wait_for(f"DRILL step={KILL_AT_STEP}")
        first.kill_a_worker()
        first.wait_for_a_failure()
    finally:
        first.end()
    second = Agents(job, folder, attempt=1, etcd=etcd, shared_id=shared_id)
    try:
        return second, second.codes()
    finally:
        second.end()


def restart_and_finish(rendezvous: str, folder: Path, etcd: str) -> str:
    """The run goes on from its checkpoint and ends."""
    second, codes = started_anew(rendezvous, folder, etcd)
    text = second.text()
    if codes != [0] * NODES:
        raise DrillError(f"the restarted agents ended with {codes}; logs in {folder}")
    (start,) = [line for line in text.splitlines() if "DRILL start=" in line]
    resumed = int(start.partition("start=")[2].split()[0])
    if not 0 < resumed <= KILL_AT_STEP or f"DRILL end={STEPS}" not in text:
        raise DrillError(f"resumed at step {resumed}, expected one up to {KILL_AT_STEP}; logs in {folder}")
    for part in (slice(0, HEAD_LINES), slice(-HEAD_LINES, None)):
        told = [has_rank_zero(log.read_text().splitlines()[part]) for log in second.logs]
        if told.count(True) != 1:
            raise DrillError(f"which log is rank 0's is told as {told}, by lines {part}; logs in {folder}")
    return f"killed at step {KILL_AT_STEP}, resumed at {resumed}, ended at {STEPS}"


def fail_with_one_id(folder: Path, etcd: str) -> str:
    """The fault that an id for each attempt avoids: with the same id the restarted agents meet a closed rendezvous."""
    second, codes = started_anew("etcd", folder, etcd, shared_id=True)
    if 0 in codes or "RendezvousClosedError" not in second.text():
        raise DrillError(f"a closed rendezvous was expected, and the agents ended with {codes}; logs in {folder}")
    return "RendezvousClosedError, as expected"


def prepared(rendezvous: str, folder: Path) -> dict[str, Any]:
    path = folder / "job.yaml"
    path.write_text(yaml.safe_dump(JOB))
    return rendered(load_job(path), drill_team(rendezvous, folder))


def main() -> int:
    if shutil.which("etcd") is None:
        print("etcd: not found; install Debian's etcd-server (apt-get install etcd-server)", file=sys.stderr)
        return 1
    failed = 0
    for name in ("c10d", "etcd", "etcd with one id"):
        folder = Path(tempfile.mkdtemp(prefix="drill-"))
        began = time.monotonic()
        try:
            with etcd_server(folder) as etcd:
                told = fail_with_one_id(folder, etcd) if "one id" in name else restart_and_finish(name, folder, etcd)
        except DrillError as error:
            told, failed = f"FAILED: {error}", 1
        else:
            shutil.rmtree(folder)
        print(f"{name:18}{time.monotonic() - began:5.0f} s  {told}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
