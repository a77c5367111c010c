"""However the assembly came about, it is the same, byte for byte."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests.assembly.conftest import ALPHA, BETA, Synthesis, contents, copy_of_checkout, environment, write_teams
from tests.conftest import ROOT

TWO_PROCESSES = """
import os, sys
sys.path.insert(0, {checkout!r})
from spec.toolchain import use_pinned_node
use_pinned_node()
if __name__ == os.environ.get("FAILS"):
    os.environ["JSII_NODE"] = "/nonexistent/node"
from stacks import assembly
assembly.TEAMS_PER_PROCESS = 1
if __name__ == "__main__":
    sys.exit(assembly.main(sys.argv[1:]))
"""
"""app.py, but with a process per team, of which the first (`__main__`) or the others (`__mp_main__`) may fail."""


def two_processes(directory: Path, checkout: Path = ROOT) -> Path:
    program = directory / "two_processes.py"
    program.write_text(TWO_PROCESSES.format(checkout=str(checkout)))
    return program


def test_in_other_surroundings(empty: Synthesis, expected: dict[str, str], tmp_path: Path) -> None:
    """Another checkout, working directory, HOME, hash seed, output folder, and two processes instead of one."""
    checkout = copy_of_checkout(tmp_path / "elsewhere")
    home = tmp_path / "home"
    home.mkdir()
    other = dataclasses.replace(
        empty,
        program=two_processes(tmp_path, checkout),
        cwd=tmp_path,
        environment=environment() | {"HOME": str(home)},
    )
    assert other.run(PYTHONHASHSEED="1") == (0, "")
    assert contents(empty.outdir) == expected


def test_after_a_change_and_its_reversal(assembly: Synthesis, expected: dict[str, str]) -> None:
    write_teams(assembly.teams_dir, beta=BETA | {"tags": {"a": "b"}})
    assert assembly.run() == (0, "")
    changed = contents(assembly.outdir)
    assert changed.keys() == expected.keys()
    different = [path for path in expected if changed[path] != expected[path]]
    assert "assembly-beta/manifest.json" in different
    assert [path for path in different if "beta" not in path] == []

    write_teams(assembly.teams_dir, beta=BETA)
    assert assembly.run() == (0, "")
    assert contents(assembly.outdir) == expected


def test_when_two_runs_start_at_once(empty: Synthesis, expected: dict[str, str]) -> None:
    runs = [empty.start(), empty.start()]
    outputs = [run.communicate(timeout=60) for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert sorted(stderr for _, stderr in outputs) == ["", f"waiting for another synthesis into {empty.outdir}\n"]
    assert contents(empty.outdir) == expected


@pytest.mark.parametrize("fails", ["__main__", "__mp_main__"])
def test_when_one_of_two_processes_fails(
    fails: str, assembly: Synthesis, expected: dict[str, str], tmp_path: Path
) -> None:
    write_teams(assembly.teams_dir, alpha=ALPHA | {"tags": {"a": "b"}}, gamma=ALPHA)
    code, stderr = dataclasses.replace(assembly, program=two_processes(tmp_path)).run(FAILS=fails)
    assert code == 1
    assert "No such file or directory: '/nonexistent/node'" in stderr
    if fails == "__mp_main__":
        assert stderr.endswith(f"synthesis failed, see above; {assembly.outdir} stays as it was\n")
    assert contents(assembly.outdir) == expected


def test_no_path_of_this_machine_is_in_it(reference: Synthesis) -> None:
    for path in reference.outdir.rglob("*.json"):
        text = path.read_text().replace("/tmp/klog-socks", "")  # a folder in a container of Volcano
        for place in (str(ROOT), str(reference.teams_dir), "/tmp/", "jsii-kernel"):
            assert place not in text, path
        json.loads(text)
