"""What is synthesized again, and what is not."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from spec.team_file import load_team
from stacks import inputs
from stacks.inputs import code_digest, is_current, team_digest
from tests.assembly.conftest import (
    ALPHA,
    BETA,
    NO_NODE,
    OREGON,
    Synthesis,
    contents,
    copy_of_checkout,
    manifest_teams,
    write_teams,
)


def current(assembly: Synthesis) -> set[str]:
    """The teams that the next run would leave alone."""
    code = code_digest()
    teams = [load_team(path) for path in sorted(assembly.teams_dir.iterdir())]
    return {team.name for team in teams if is_current(assembly.outdir, team.name, team_digest(code, team))}


def test_nothing_starts_when_nothing_changed(assembly: Synthesis, expected: dict[str, str]) -> None:
    assert assembly.run(**NO_NODE) == (0, "")
    assert contents(assembly.outdir) == expected


def test_without_node_a_stale_team_fails_and_leaves_all_as_it_was(
    assembly: Synthesis, expected: dict[str, str]
) -> None:
    """Otherwise the tests that synthesize nothing would prove nothing."""
    write_teams(assembly.teams_dir, beta=BETA | {"tags": {"a": "b"}})
    code, stderr = assembly.run(**NO_NODE)
    assert code == 1
    assert "/nonexistent/node" in stderr
    assert contents(assembly.outdir) == expected


def test_a_team_file_concerns_its_team_alone(assembly: Synthesis) -> None:
    assert current(assembly) == {"alpha", "beta"}
    write_teams(assembly.teams_dir, beta=BETA | {"tags": {"a": "b"}}, gamma=BETA)
    assert current(assembly) == {"alpha"}


def test_a_comment_in_a_team_file_changes_nothing(assembly: Synthesis) -> None:
    path = assembly.teams_dir / "beta.yaml"
    path.write_text(f"# {path.read_text()}".replace("\n", "\n# ") + "\n" + json.dumps(BETA))
    assert current(assembly) == {"alpha", "beta"}


@pytest.mark.parametrize(
    ("pattern", "stale"),
    [
        ("assembly-alpha/*Cluster*.template.json", {"alpha"}),
        ("assembly-alpha/*Cluster*.assets.json", {"alpha"}),
        ("assembly-beta/manifest.json", {"beta"}),
        ("assembly-beta/cdk.out", {"beta"}),
        ("asset.*.zip", {"alpha"}),
        ("asset.*/index.py", {"alpha"}),
        (".inputs/beta.json", {"beta"}),
    ],
)
@pytest.mark.parametrize("damage", ["delete", "truncate", "append", "garbage"])
def test_damage_is_seen(pattern: str, stale: set[str], damage: str, assembly: Synthesis) -> None:
    path = min(assembly.outdir.glob(pattern))
    content = path.read_bytes()
    path.unlink()  # a new file, since a .zip is shared with the other tests
    if damage != "delete":
        path.write_bytes({"truncate": content[:-2], "append": content + b"\n ", "garbage": b"\xff["}[damage])
    # A stamp holds the same with white space at its end.
    harmless = damage == "append" and pattern.startswith(".inputs")
    assert current(assembly) == {"alpha", "beta"} - (set() if harmless else stale)


@pytest.mark.parametrize("folder", ["assembly-alpha", "asset.*[0-9a-f]"])
def test_a_file_too_many_is_seen(folder: str, assembly: Synthesis) -> None:
    directory = next(path for path in sorted(assembly.outdir.glob(folder)) if path.is_dir())
    (directory / "more").touch()
    assert current(assembly) == {"beta"}


def test_a_change_of_mere_time_is_none(assembly: Synthesis) -> None:
    for path in assembly.outdir.rglob("*.json"):
        os.utime(path, (0, 0))
    assert current(assembly) == {"alpha", "beta"}


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("app.py", True),
        ("cdk.json", True),
        ("uv.lock", True),
        ("package-lock.json", True),
        ("spec/hardware.py", True),
        ("constructs_lib/network.py", True),
        ("k8s_charts/__init__.py", True),
        ("stacks/network.py", True),
        ("stacks/new.json", True),
        ("ops/cli.py", False),
        ("README.md", False),
        ("stacks/__pycache__/network.cpython-311.pyc", False),
    ],
)
def test_code_and_locks_concern_every_team(
    changed: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "ROOT", copy_of_checkout(tmp_path))
    before = code_digest()
    path = tmp_path / changed
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + "\n")
    assert (code_digest() != before) == counts


def test_moving_code_from_one_file_to_another_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "ROOT", copy_of_checkout(tmp_path))
    before = code_digest()
    (tmp_path / "stacks" / "network.py").rename(tmp_path / "stacks" / "networks.py")
    assert code_digest() != before


def test_a_killed_run_is_made_good_by_the_next_one(assembly: Synthesis, expected: dict[str, str]) -> None:
    """The kill hits while templates are written; on top of it, what a kill at other moments may leave."""
    stamp = assembly.outdir / ".inputs" / "beta.json"
    stamp.write_text(stamp.read_text()[:100])
    before = contents(assembly.outdir)
    process = assembly.start()
    while process.poll() is None and not list(assembly.outdir.glob(".workshop-*/0")):
        time.sleep(0.001)
    process.kill()
    process.communicate()
    left = contents(assembly.outdir)
    assert {path: digest for path, digest in left.items() if not path.startswith(".workshop-")} == before
    assert left != before

    zipped = min(assembly.outdir.glob("asset.*.zip"))
    zipped.unlink()
    zipped.write_bytes(b"half")
    shutil.rmtree(min(path for path in assembly.outdir.glob("asset.*") if path.is_dir()))
    (assembly.outdir / "manifest.json").write_text("{")
    (assembly.outdir / "cdk.out").unlink()
    (assembly.outdir / "assembly-gone").mkdir()
    (assembly.outdir / ".workshop-manifest").write_text("{")
    assert assembly.run() == (0, "")
    assert contents(assembly.outdir) == expected


def test_one_team_alone(assembly: Synthesis, expected: dict[str, str]) -> None:
    alone = Synthesis(assembly.teams_dir, assembly.outdir, ("-c", "team=beta"))
    assert alone.run(**NO_NODE) == (0, "")
    assert manifest_teams(assembly.outdir) == ["beta"]
    # The other team's part waits for the next full run.
    assert assembly.run(**NO_NODE) == (0, "")
    assert contents(assembly.outdir) == expected


@pytest.mark.parametrize("asked", ["alpha,beta", "beta,alpha", " beta , alpha,beta,"])
def test_some_teams_in_any_order(asked: str, assembly: Synthesis, expected: dict[str, str]) -> None:
    some = Synthesis(assembly.teams_dir, assembly.outdir, ("--context", f"team={asked}"))
    assert some.run(**NO_NODE) == (0, "")
    assert contents(assembly.outdir) == expected


def test_a_team_without_a_file_disappears(assembly: Synthesis, expected: dict[str, str]) -> None:
    (assembly.teams_dir / "alpha.yaml").unlink()
    assert assembly.run(**NO_NODE) == (0, "")
    assert manifest_teams(assembly.outdir) == ["beta"]
    rest = {path for path in expected if "alpha" not in path and not path.startswith("asset.")}
    assert set(contents(assembly.outdir)) == rest


def test_teams_of_another_folder_disappear(assembly: Synthesis, tmp_path: Path) -> None:
    other = Synthesis(write_teams(tmp_path / "other", alpha=ALPHA), assembly.outdir)
    assert other.run(**NO_NODE) == (0, "")
    assert manifest_teams(assembly.outdir) == ["alpha"]
    assert not [path for path in contents(assembly.outdir) if "beta" in path]


def test_files_of_other_tools_stay(assembly: Synthesis) -> None:
    (assembly.outdir / "synth.lock").touch()  # by which the CDK CLI keeps other CLIs out
    assert assembly.run(**NO_NODE) == (0, "")
    assert (assembly.outdir / "synth.lock").exists()


def test_the_account_of_the_shell_is_no_input(assembly: Synthesis, expected: dict[str, str]) -> None:
    write_teams(assembly.teams_dir, beta=OREGON | {"batch": BETA["batch"]})
    shell = {"CDK_DEFAULT_ACCOUNT": "999999999999", "CDK_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "eu-west-1"}
    assert assembly.run(**NO_NODE, **shell) == (0, "")
    assert contents(assembly.outdir) == expected
