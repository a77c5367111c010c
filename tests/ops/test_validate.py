"""`trn validate` and `trn schema`, as an operator runs them."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ops.cli import app
from spec.file_kind import is_job_file
from spec.schema import key_tables, schema_text
from tests.spec.samples import BATCH, EKS, edited

TRN = Path(sys.executable).with_name("trn")
DAY = ("--on", "2026-11-30")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.yaml"
    path.write_text(BATCH)
    return path


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    path = tmp_path / "doubtful.yaml"
    path.write_text(edited(BATCH, ("usw2-az4", "usw2-az2")))
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.yaml"
    path.write_text(edited(BATCH, ("trn1.32xlarge", "trn1.32xlrge")))
    return path


def run(*arguments: str | Path) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output.splitlines()


def test_a_valid_file(good: Path) -> None:
    assert run("validate", good) == (0, [f"{good}: OK"])


def test_a_warning_is_printed_and_passes(doubtful: Path) -> None:
    code, lines = run("validate", doubtful)
    assert code == 0
    assert [line.partition(" got ")[0] for line in lines] == [
        f"{doubtful}:3: warning: network.training_zone:",
        f"{doubtful}: OK",
    ]


def test_fails_with_2_on_any_error(good: Path, bad: Path, tmp_path: Path) -> None:
    assert run("validate", bad, good, tmp_path, tmp_path / "none.yaml") == (
        2,
        [
            f"{bad}:5: batch.instance_type: got trn1.32xlrge, expected one of trn1.2xlarge, trn1.32xlarge, "
            "trn1n.32xlarge, trn2.3xlarge, trn2.48xlarge, trn2u.48xlarge; did you mean trn1.32xlarge?",
            f"{good}: OK",
            f"{tmp_path}:1: file: got a directory, expected the path of a .yaml file",
            f"{tmp_path}/none.yaml:1: file: got no such file, expected the path of a .yaml file",
        ],
    )


def test_support_is_judged_by_the_given_day(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(EKS + '  version: "1.33"\n')
    assert run("validate", path, "--on", "2026-06-01")[0] == 0
    assert run("validate", path, *DAY)[0] == 2


def test_fails_without_a_file() -> None:
    assert run("validate")[0] == 2


def test_schema() -> None:
    assert run("schema") == (0, schema_text().splitlines())
    assert run("schema", "--markdown") == (0, key_tables().splitlines())


def test_the_installed_command(bad: Path) -> None:
    result = subprocess.run([TRN, "validate", bad], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "")
    assert result.stdout.startswith(f"{bad}:5: batch.instance_type: got trn1.32xlrge, ")


def test_version() -> None:
    assert run("--version") == (0, [version("trn-training")])


def test_help_loads_no_library_that_only_commands_need() -> None:
    code = "import sys, ops.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"aws_cdk", "boto3", "botocore", "kubernetes", "pydantic", "torchx", "urllib3", "yaml"}.intersection(
        loaded
    )


def test_a_shell_completes_commands_and_teams() -> None:
    """What bash asks for after TAB."""
    for words, word, expected in (
        ("trn prefl", 1, ["preflight"]),
        ("trn preflight b", 2, ["bert"]),
        ("trn run j --team l", 4, ["llama2"]),
    ):
        variables = {"_TRN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(word)}
        done = subprocess.run([TRN], env=os.environ | variables, capture_output=True, text=True, check=True)
        assert done.stdout.split() == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("name: a\nimage: bert\nscript: t.py\nnodes: 1\n", "job"),
        ("image: BERT\n", "job"),
        (BATCH, "team"),
        ("", "team"),
        ("foo: 1\n", "team"),
    ],
)
def test_jobs_and_teams_are_told_apart(text: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    assert is_job_file(path) == (kind == "job")


def test_one_command_checks_both(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("name: a\nimage: bert\nscript: t.py\nnodes: 0\n")
    code, lines = run("validate", good, path)
    assert code == 2
    assert lines == [f"{good}: OK", f"{path}:4: nodes: got 0, expected a whole number from 1 to 1000"]
