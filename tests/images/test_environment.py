"""What torchrun finds around it, and how its end is passed on."""

from __future__ import annotations

import os
import re
import resource
import signal
import time

import pytest

from spec.names import JobEnv
from tests.conftest import ROOT
from tests.images.container import Container
from trn_job.settings import Settings
from trn_job.supervisor import Supervisor


def test_open_files_are_raised_to_the_hard_limit(container: Container) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    container.program("torchrun", "ulimit -S -n\n")
    done = container.run("bash", "-c", "ulimit -S -n 256; exec trn-job torchrun script.py")
    assert done.stdout.splitlines()[-1] == str(min(hard, 1048576))


def test_a_low_hard_limit_is_told(container: Container) -> None:
    done = container.run("bash", "-c", "ulimit -n 1024; exec trn-job torchrun script.py")
    assert done.returncode == 0
    assert "at most 1024 open files, 65536 are advised" in done.stdout


def test_efa_is_set_where_there_is_a_device(container: Container) -> None:
    (container.root / "infiniband").mkdir()
    (container.root / "infiniband" / "uverbs0").touch()
    container.job(FI_PROVIDER="tcp")
    assert container.seen["FI_PROVIDER"] == "tcp"
    assert container.seen["FI_EFA_USE_DEVICE_RDMA"] == "1"
    assert container.seen["FI_EFA_FORK_SAFE"] == "1"


def test_efa_is_not_set_without_a_device(container: Container) -> None:
    container.job()
    assert not [name for name in container.seen if name.startswith("FI_")]


@pytest.mark.parametrize("address", ["localhost:48620", "127.0.0.1:48620", "127.1.2.3", "::1", "[::1]:48620"])
def test_a_local_root_communicator_is_unset_on_several_nodes(container: Container, address: str) -> None:
    done = container.job(TRN_NODES="2", NEURON_RT_ROOT_COMM_ID=address)
    assert "NEURON_RT_ROOT_COMM_ID" not in container.seen
    assert f"NEURON_RT_ROOT_COMM_ID={address} is unset" in done.stdout


@pytest.mark.parametrize(("nodes", "address"), [("1", "localhost:48620"), ("2", "10.0.1.2:48620")])
def test_any_other_root_communicator_stays(container: Container, nodes: str, address: str) -> None:
    container.job(TRN_NODES=nodes, NEURON_RT_ROOT_COMM_ID=address)
    assert container.seen["NEURON_RT_ROOT_COMM_ID"] == address


@pytest.mark.parametrize(
    ("environ", "is_main"),
    [
        ({}, True),
        ({"TRN_NODES": "2"}, False),
        ({"TRN_NODES": "2", "TORCHX_RANK0_HOST": "localhost"}, True),
        ({"TRN_NODES": "2", "TORCHX_RANK0_HOST": "job-0"}, False),
        ({"TRN_NODES": "2", "AWS_BATCH_JOB_NODE_INDEX": "0", "AWS_BATCH_JOB_MAIN_NODE_INDEX": "0"}, True),
        ({"TRN_NODES": "2", "AWS_BATCH_JOB_NODE_INDEX": "1", "AWS_BATCH_JOB_MAIN_NODE_INDEX": "1"}, True),
        ({"TRN_NODES": "2", "AWS_BATCH_JOB_NODE_INDEX": "0", "AWS_BATCH_JOB_MAIN_NODE_INDEX": "1"}, False),
    ],
)
def test_one_node_is_the_main_one(environ: dict[str, str], is_main: bool) -> None:
    assert Settings.read(environ).is_main is is_main


def test_others_may_read_what_the_job_writes(container: Container) -> None:
    container.program("torchrun", "umask\n")
    done = container.run("bash", "-c", "umask 077; exec trn-job torchrun script.py")
    assert done.stdout.splitlines()[-1] == "0022"


def test_a_signal_while_a_child_starts_reaches_it() -> None:
    supervisor = Supervisor(grace_seconds=1)
    supervisor._starting = True
    supervisor._on_signal(signal.SIGTERM, None)
    started = time.monotonic()
    assert supervisor.run(["sleep", "30"], os.environ) == 143
    assert time.monotonic() - started < 15


def test_a_worker_that_outlives_torchrun_does_not_hold_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trn_job.supervisor.READER_SECONDS", 0.5)
    lines: list[str] = []
    started = time.monotonic()
    command = ["bash", "-c", "echo hello; sleep 20 & exit 0"]
    assert Supervisor(grace_seconds=1).run(command, os.environ, on_line=lines.append) == 0
    assert time.monotonic() - started < 15
    assert lines == ["hello\n"]


def test_every_variable_is_in_the_documentation() -> None:
    code = "".join(path.read_text() for path in (ROOT / "images" / "common").rglob("*.py"))
    names = {*re.findall(r'"(TRN_[A-Z_]+)"', code), *JobEnv}
    assert len(names) > 12
    page = (ROOT / "docs" / "images.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("code", [0, 1, 17])
def test_the_exit_code_is_torchruns(container: Container, code: int) -> None:
    container.program("torchrun", f"exit {code}\n")
    assert container.job().returncode == code


def test_a_killed_torchrun_has_a_shells_exit_code(container: Container) -> None:
    container.program("torchrun", "kill -9 $$\n")
    assert container.job().returncode == 137


@pytest.mark.parametrize(
    ("command", "environ", "code", "message"),
    [
        (("trn-job",), {}, 78, "got no command"),
        (("trn-job", "nowhere"), {}, 127, "nowhere: not found in this image"),
        (("trn-job", "torchrun"), {"TRN_NODES": "two"}, 78, "TRN_NODES: got 'two', expected a whole number"),
        (("trn-job", "torchrun"), {"TRN_NODES": "0"}, 78, "TRN_NODES: got '0'"),
        (("trn-job", "torchrun"), {"TRN_BF16": "yes"}, 78, "TRN_BF16: got 'yes', expected 1, or 0"),
        (("trn-job", "torchrun"), {"TRN_COPY_SECONDS": "soon"}, 78, "TRN_COPY_SECONDS: got 'soon', expected seconds"),
        (("trn-job", "torchrun"), {"TRN_GRACE_SECONDS": "0"}, 78, "TRN_GRACE_SECONDS: got '0', expected seconds"),
        (("trn-job", "torchrun"), {"TRN_PRECOMPILE_STEPS": "-1"}, 78, "TRN_PRECOMPILE_STEPS: got '-1'"),
    ],
)
def test_fails_on_a_wrong_call(
    container: Container, command: tuple[str, ...], environ: dict[str, str], code: int, message: str
) -> None:
    done = container.run(*command, **environ)
    assert done.returncode == code
    assert message in done.stderr
