"""The pinned Node, and the benchmark that measures what it costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measure import measure
from benchmarks.team_files import SHAPES, write_team_files
from spec.team_file import check_team, find_team_files
from spec.toolchain import node_executable, use_pinned_node
from tests.assembly.conftest import NO_NODE


def test_node_is_the_pinned_one() -> None:
    version = subprocess.run([node_executable(), "--version"], capture_output=True, text=True, check=True, env={})
    assert version.stdout == "v24.19.0\n"


def test_a_node_of_the_users_choice_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JSII_NODE", NO_NODE["JSII_NODE"])
    monkeypatch.setenv("NODE_OPTIONS", "--enable-source-maps")
    use_pinned_node()
    assert (os.environ["JSII_NODE"], os.environ["NODE_OPTIONS"]) == (NO_NODE["JSII_NODE"], "--enable-source-maps")


def test_compiled_modules_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    use_pinned_node()
    assert sys.dont_write_bytecode is False


def test_teams_of_the_benchmark_have_no_finding(tmp_path: Path) -> None:
    write_team_files(tmp_path, len(SHAPES) + 1)
    files = find_team_files(tmp_path)
    assert len(files) == len(SHAPES) + 1
    assert [finding for path in files for finding in check_team(path)[1]] == []


def test_usage_counts_every_process() -> None:
    grow = (
        "x = bytearray(80 << 20); t = __import__('time'); e = t.process_time() + 0.2\nwhile t.process_time() < e: pass"
    )
    both = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grow!r}], check=True)"
    usage = measure([sys.executable, "-c", both], {})
    assert sum(usage.processes.values()) == 2
    assert 80 < max(usage.peak_mib.values()) < 160
    assert usage.cpu > 0.2
    assert usage.wall > 0.2


def test_usage_of_a_command_that_fails() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        measure([sys.executable, "-c", "exit(3)"], {})
