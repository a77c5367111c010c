"""Precompile jobs: who compiles, what is run, and which logs are a failure."""

from __future__ import annotations

import pytest

from tests.images.container import Container, end, wait_for
from trn_job.precompile import Totals, verdict

# Two lines as the tool writes them, from its documentation and from a public log.
LOG = """2025-01-17 01:16:07.000981:  32201  INFO ||NEURON_PARALLEL_COMPILE||: Total graphs: 8
2025-01-17 01:16:07.000981:  32201  INFO ||NEURON_PARALLEL_COMPILE||: Total successful compilations: {good}
2025-01-17 01:16:07.000981:  32201  INFO ||NEURON_PARALLEL_COMPILE||: Total failed compilations: {bad}
"""


def tool(container: Container, compile_log: str, *, collect: int = 0, code: int = 0) -> None:
    (container.root / "log").write_text(compile_log)
    container.program(
        "neuron_parallel_compile",
        f'echo "$@" >> "$SEEN/runs"\n[ "$2" = compile ] || exit {collect}\ncat "$SEEN/log" >&2\nexit {code}\n',
    )


def runs(container: Container) -> list[str]:
    return (container.root / "runs").read_text().splitlines()


PRECOMPILE = {"TRN_PROFILE": "bert", "TRN_PRECOMPILE_STEPS": "10"}


def test_the_main_node_collects_then_compiles(container: Container) -> None:
    tool(container, LOG.format(good=8, bad=0))
    done = container.job("--data_dir=/d", "--steps_this_run=500", **PRECOMPILE)
    assert done.returncode == 0, done.stderr
    command = f"torchrun script.py --data_dir=/d --steps_this_run=500 --output_dir={container.work}/precompile"
    assert runs(container) == [
        f"--command collect {command} --steps_this_run=10",
        f"--command compile {command} --steps_this_run=10",
    ]
    assert "Total successful compilations: 8" in done.stdout  # the log goes through
    assert "8 compilations succeeded, none failed" in done.stdout


def test_other_nodes_collect_only(container: Container) -> None:
    tool(container, "")
    done = container.job("--data_dir=/d", TRN_NODES="2", AWS_BATCH_JOB_NODE_INDEX="1", **PRECOMPILE)
    assert done.returncode == 0
    assert [run.split()[1] for run in runs(container)] == ["collect"]


def test_fails_when_collecting_fails(container: Container) -> None:
    tool(container, LOG.format(good=8, bad=0), collect=5)
    assert container.job("--data_dir=/d", **PRECOMPILE).returncode == 5
    assert len(runs(container)) == 1


@pytest.mark.parametrize("code", [0, 3])
def test_fails_when_a_compilation_failed(container: Container, code: int) -> None:
    tool(container, LOG.format(good=7, bad=1), code=code)
    done = container.job("--data_dir=/d", **PRECOMPILE)
    assert done.returncode == 1
    assert "1 compilations failed, 7 succeeded" in done.stderr


def test_fails_without_totals(container: Container) -> None:
    tool(container, "Compiler status PASS\n")
    done = container.job("--data_dir=/d", **PRECOMPILE)
    assert done.returncode == 1
    assert "ended without its totals" in done.stderr


def test_fails_with_the_code_of_the_compile_run(container: Container) -> None:
    tool(container, LOG.format(good=8, bad=0), code=3)
    assert container.job("--data_dir=/d", **PRECOMPILE).returncode == 3


@pytest.mark.parametrize("profile", ["", "allreduce"])
def test_fails_for_a_script_without_steps(container: Container, profile: str) -> None:
    done = container.job(TRN_PROFILE=profile, TRN_PRECOMPILE_STEPS="10")
    assert done.returncode == 78
    assert f"precompile: got profile '{profile}', expected one of bert, llama2" in done.stderr


def test_bert_does_not_resume(container: Container) -> None:
    tool(container, LOG.format(good=8, bad=0))
    container.job("--data_dir=/d", "--resume_ckpt", **PRECOMPILE)
    assert "--resume_ckpt" not in runs(container)[0]


def test_sigterm_while_collecting_ends_the_job(container: Container) -> None:
    container.program(
        "neuron_parallel_compile",
        'echo "$@" >> "$SEEN/runs"; trap "exit 0" TERM; touch "$SEEN/started"; while sleep 0.02; do :; done\n',
    )
    process = container.start("trn-job", "torchrun", "script.py", "--data_dir=/d", **PRECOMPILE)
    wait_for(container.root / "started")
    assert end(process)[0] == 143
    assert len(runs(container)) == 1


def test_neither_resumes_nor_saves(container: Container) -> None:
    tool(container, LOG.format(good=8, bad=0))
    given = ["--data_dir=/d", "--checkpoint_freq=5", "--loading_step=40"]
    place = f"{container.root}/checkpoints"
    container.job(*given, TRN_PROFILE="llama2", TRN_PRECOMPILE_STEPS="10", TRN_CHECKPOINTS=place)
    assert runs(container)[0].endswith("--steps_this_run=10 --checkpoint_freq=0 --loading_step=-1")
    assert "checkpoint_dir" not in runs(container)[0]


@pytest.mark.parametrize(
    ("lines", "code", "expected"),
    [
        (LOG.format(good=0, bad=0), 0, 0),  # everything was in the cache
        (LOG.format(good=1, bad=0) + LOG.format(good=1, bad=0), 0, 0),
        (LOG.format(good=1, bad=2) + LOG.format(good=1, bad=0), 0, 1),
        ("[default0]:" + LOG.format(good=1, bad=0), 0, 0),
        ("Total successful compilations: 3\n", 0, 1),
        ("Total failed compilations: 0\n", 0, 1),
        ("", 0, 1),
        ("", 9, 9),
    ],
)
def test_the_totals_decide(lines: str, code: int, expected: int) -> None:
    totals = Totals()
    for line in lines.splitlines():
        totals.read(line)
    assert verdict(totals, code) == expected
