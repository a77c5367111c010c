"""The all-reduce test: arithmetic, what it prints, its verdict, and logs of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import allreduce
import report
from tests.conftest import ROOT

MIB = 2**20
# A job's log as torchrun's --tee=3 writes it, with what other programs say in between; numbers are made up.
LOG = """\
trn-job: host driver 2.28.0.0, runtime library 2.30.5.0
[default0]:2026-11-30 10:00:00.000123:  77  INFO ||NEURON_CACHE||: Compile cache path: /var/tmp/neuron-compile-cache
[default0]:{"bytes": 1048576, "seconds": 0.0005, "algbw_gbps": 16.777216, "busbw_gbps": 33.03}
[default1]:{"unrelated": 1}
[default0]:{broken}
[rank0]: {"bytes": 4194304, "seconds": 0.001, "algbw_gbps": 33.554432, "busbw_gbps": 66.06}
[default0]:RESULT {"ranks": 64, "busbw_gbps": 66.06, "min_gbps": 50.0, "ok": true}
trn-job: bye
"""


def test_bandwidths_are_those_of_nccl_tests_in_bits() -> None:
    one = report.measurement(size=10**9, seconds=0.5, ranks=4)
    assert one.algbw_gbps == pytest.approx(16)
    assert one.busbw_gbps == pytest.approx(16 * 2 * 3 / 4)


@pytest.mark.parametrize(("floor", "ok"), [(None, True), (23.9, True), (24.0, True), (24.1, False)])
def test_the_floor_is_for_the_largest_tensor(floor: float | None, ok: bool) -> None:
    small = report.Measurement(bytes=10, seconds=1, algbw_gbps=1, busbw_gbps=1)
    large = report.Measurement(bytes=20, seconds=1, algbw_gbps=16, busbw_gbps=24.0)
    assert report.result([large, small], ranks=4, min_gbps=floor).ok is ok


def test_a_recorded_log_is_read() -> None:
    found = report.parse(LOG.splitlines())
    assert [one.bytes for one in found.measurements] == [MIB, 4 * MIB]
    assert found.result == report.Result(ranks=64, busbw_gbps=66.06, min_gbps=50.0, ok=True)
    assert found.exit_code == 0


def test_what_is_printed_is_what_is_read() -> None:
    measured = [report.measurement(size=size, seconds=0.1, ranks=2) for size in (MIB, 4 * MIB)]
    outcome = report.result(measured, ranks=2, min_gbps=None)
    lines = [f"[default0]:{line}" for line in (*map(report.line, measured), report.line(outcome))]
    assert report.parse(lines) == report.Report(tuple(measured), outcome)


@pytest.mark.parametrize(
    ("log", "code", "last_line"),
    [
        (LOG, 0, "ok: 64 ranks, bus bandwidth 66.1 Gbit/s, floor 50"),
        (LOG.replace("true", "false"), 1, "TOO SLOW: 64 ranks, bus bandwidth 66.1 Gbit/s, floor 50"),
        (LOG.replace("RESULT", "result"), 2, "no RESULT line: the test did not end, or a rank found a wrong sum"),
        ("", 2, "no RESULT line"),
    ],
)
def test_the_command_prints_a_table(log: str, code: int, last_line: str) -> None:
    program = ROOT / "images" / "allreduce" / "report.py"
    done = subprocess.run([sys.executable, "-IS", program], input=log, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert done.stdout.splitlines()[-1].startswith(last_line)


class Group:
    """Ranks that sum and take their time as they are told."""

    def __init__(self, *, rank: int = 0, wrong_at: int | None = None, gbps: float = 10) -> None:
        self.rank, self.ranks = rank, 2
        self._wrong_at, self._gbps = wrong_at, gbps
        self.timed: list[int] = []

    def is_right(self, count: int) -> bool:
        assert not self.timed, "correctness comes before any bandwidth"
        return count != self._wrong_at

    def seconds(self, count: int, iterations: int) -> float:
        self.timed.append(count * 4)
        return count * 4 * 8 / 1e9 / self._gbps


def run(group: Group, *arguments: str) -> int:
    return allreduce.run(group, allreduce.parse(["--min-bytes=1048576", "--max-bytes=8388608", *arguments]))


def test_rank_0_prints_every_size_and_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    group = Group()
    assert run(group, "--min-gbps=9.9") == 0
    assert group.timed == [MIB, 4 * MIB, 8 * MIB]
    found = report.parse(capsys.readouterr().out.splitlines())
    assert [one.bytes for one in found.measurements] == group.timed
    assert found.result is not None
    assert found.result.ok


def test_fails_below_the_floor(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Group(), "--min-gbps=10.1") == 1
    assert report.parse(capsys.readouterr().out.splitlines()).exit_code == 1


def test_fails_for_a_wrong_sum_on_any_rank(capsys: pytest.CaptureFixture[str]) -> None:
    group = Group(rank=1, wrong_at=MIB)
    assert run(group) == 1
    assert group.timed == []
    assert "rank 1: wrong sum of 1048576 numbers over 2 ranks" in capsys.readouterr().err


def test_other_ranks_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Group(rank=1), "--min-gbps=99") == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("wrong", [("--min-bytes=3",), ("--min-bytes=8", "--max-bytes=4"), ("--iterations=0",)])
def test_fails_for_sizes_that_are_none(wrong: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        allreduce.parse(wrong)


def test_torch_is_imported_only_when_it_runs() -> None:
    for name in ("allreduce", "report"):
        top = Path(sys.modules[name].__file__ or "").read_text().split("def ")[0]
        assert "torch" not in [word for line in top.splitlines() if "import" in line for word in line.split()]
