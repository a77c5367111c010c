"""What a user may get wrong: exit code 2, what was got and what is allowed, and the last good assembly stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spec.team_file import find_team_files
from stacks.assembly import main
from tests.assembly.conftest import ALPHA, BETA, Synthesis, contents, write_teams
from tests.conftest import ROOT

USAGE = "expected -c teams_dir=DIR, -c team=NAME[,NAME] or -c validate=true\n"


@pytest.fixture
def outdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CDK_OUTDIR", str(tmp_path / "cdk.out"))
    return tmp_path / "cdk.out"


def refused(arguments: Sequence[str], outdir: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Text on stderr."""
    assert main(arguments) == 2
    assert not outdir.exists()
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.parametrize(
    ("arguments", "got"),
    [
        (["--help"], "--help"),
        (["bert"], "bert"),
        (["-c"], "-c"),
        (["-c", "team"], "-c team"),
        (["-c", "teams=bert"], "-c teams"),
        (["-c", "team=bert", "-q"], "-q"),
        (["-c", "team=bert", "--context"], "--context"),
        (["-cteam=bert"], "-cteam=bert"),
    ],
)
def test_arguments(arguments: list[str], got: str, outdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(arguments, outdir, capsys) == f"argument: got {got}, {USAGE}"


TEAMS = ", ".join(path.stem for path in find_team_files(ROOT / "teams"))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("team=bort", f"team: got bort, expected one of {TEAMS}\n"),
        ("team=bert,x,y", f"team: got x, y, expected one of {TEAMS}\n"),
        ("team=bert.yaml", f"team: got bert.yaml, expected one of {TEAMS}\n"),
        ("validate=yes", "validate: got yes, expected true or false\n"),
        ("teams_dir=", "teams_dir: got nothing, expected a folder of team files\n"),
        ("teams_dir=/dev/null/none", "teams_dir: got /dev/null/none, expected a folder of team files\n"),
        ("teams_dir=/dev/null", "teams_dir: got /dev/null, expected a folder of team files\n"),
    ],
)
def test_values(argument: str, message: str, outdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["-c", argument], outdir, capsys) == message


def test_a_folder_without_team_files(tmp_path: Path, outdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teams_dir = write_teams(tmp_path / "teams")
    (teams_dir / "README.md").touch()
    message = f"teams_dir: got {teams_dir}, which has no *.yaml file, expected at least one team file\n"
    assert refused(["-c", f"teams_dir={teams_dir}"], outdir, capsys) == message


def test_a_yml_file(tmp_path: Path, outdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teams_dir = write_teams(tmp_path / "teams", alpha=ALPHA)
    (teams_dir / "beta.yml").touch()
    err = refused(["-c", f"teams_dir={teams_dir}"], outdir, capsys)
    assert f"{teams_dir}/beta.yml" in err
    assert "rename it to beta.yaml" in err


def test_every_finding_of_every_file(tmp_path: Path, outdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teams_dir = write_teams(tmp_path / "teams", alpha=ALPHA, beta=BETA | {"regoin": 1}, gamma=BETA | {"region": 7})
    (teams_dir / "delta.yaml").mkdir()
    (teams_dir / "Zeta.yaml").write_text("")
    err = refused(["-c", f"teams_dir={teams_dir}"], outdir, capsys)
    for file, key in {"beta": "regoin", "gamma": "region", "delta": "file", "Zeta": "file"}.items():
        assert [
            line for line in err.splitlines() if line.startswith(f"{teams_dir}/{file}.yaml:") and f" {key}: " in line
        ]
    assert f"{teams_dir}/alpha.yaml" not in err


def test_a_wrong_file_of_another_team_does_not_matter_to_one_team(tmp_path: Path) -> None:
    teams_dir = write_teams(tmp_path / "teams", alpha={"region": 1}, beta=BETA)
    code, stderr = Synthesis(teams_dir, tmp_path / "cdk.out", ("-c", "team=alpha")).run()
    assert code == 2
    assert "beta" not in stderr


def test_the_last_good_assembly_stays(assembly: Synthesis, expected: dict[str, str]) -> None:
    write_teams(assembly.teams_dir, alpha=ALPHA | {"tags": {"a": "b"}}, beta=BETA | {"region": 1})
    code, stderr = assembly.run()
    assert code == 2
    assert "Traceback" not in stderr
    assert stderr.startswith(f"{assembly.teams_dir}/beta.yaml:2: region: got 1 (a number), expected ")
    assert contents(assembly.outdir) == expected


def test_a_home_folder_by_its_short_name(
    tmp_path: Path, outdir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_teams(tmp_path / "teams", alpha={"region": 1})
    monkeypatch.setenv("HOME", str(tmp_path))
    assert f"{tmp_path}/teams/alpha.yaml:" in refused(["-c", "teams_dir=~/teams"], outdir, capsys)
