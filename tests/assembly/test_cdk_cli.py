"""The pinned CDK CLI takes the same path, so what was reviewed is what gets deployed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.assembly.conftest import Synthesis, contents, environment
from tests.conftest import ROOT

CDK = Path(sys.executable).parent / "cdk"
STACKS = [f"alpha/{stack} (alpha-{stack})" for stack in ("Network", "Storage", "Cluster", "Nodes")]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An empty home but for a setting of the user's own that would change every template."""
    directory = tmp_path / "home"
    directory.mkdir()
    (directory / ".cdk.json").write_text(json.dumps({"context": {"@aws-cdk/core:enablePartitionLiterals": False}}))
    # /bin: the CLI starts the app through a shell.
    yield environment() | {
        "HOME": str(directory),
        "PATH": "/usr/bin:/bin",
    }


def cdk(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CDK, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )


def test_synthesizes_the_same(empty: Synthesis, expected: dict[str, str], home: dict[str, str]) -> None:
    context = ("-c", f"teams_dir={empty.teams_dir}", "-o", str(empty.outdir))
    done = cdk(home, "synth", "alpha/*", "--quiet", *context, "-c", "team=alpha")
    # No notice, no nag about a version or a flag: this, and which stacks there are.
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == f"Successfully synthesized to {empty.outdir}"
    assert done.stderr.count("\n") == 2
    made = contents(empty.outdir)
    assert set(expected) - set(made) == {path for path in expected if "beta" in path}
    assert {path: digest for path, digest in made.items() if path != "manifest.json"} == {
        path: digest for path, digest in expected.items() if "beta" not in path and path != "manifest.json"
    }

    listed = cdk(home, "--app", str(empty.outdir), "ls")
    assert (listed.stdout.splitlines(), listed.stderr) == (STACKS, "")


def test_says_what_is_wrong_with_a_team_name(assembly: Synthesis, home: dict[str, str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        cdk(home, "ls", "-c", f"teams_dir={assembly.teams_dir}", "-c", "team=x", "-o", str(assembly.outdir))
    assert "team: got x, expected one of alpha, beta\n" in failed.value.stderr
    assert "Traceback" not in failed.value.stderr
