"""What one synthesis is asked to do: from the command line, or from the CDK CLI."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spec.findings import SpecError
from spec.names import TEAMS_DIR_VARIABLE
from spec.team_file import find_team_files

ROOT = Path(__file__).resolve().parent.parent
OUTDIR_VARIABLE = "CDK_OUTDIR"
CONTEXT_VARIABLE = "CDK_CONTEXT_JSON"
USAGE = "-c teams_dir=DIR, -c team=NAME[,NAME] or -c validate=true"


@dataclass(frozen=True, slots=True)
class Settings:
    """`-c KEY=VALUE` arguments, each with its default.

    `teams_dir`: folder of the team files. `team`: names of the teams wanted, separated by commas; absent = all of them.
    `validate`: also run CDK's built-in template validation and cdk-nag. `outdir`: the cloud assembly; not an argument,
    but the variable by which the CDK CLI says where it wants one.
    """

    team_files: tuple[Path, ...]
    everything: bool
    """Whether every team of the folder is wanted, so that what is left of others goes."""
    validate: bool
    outdir: Path
    is_for_the_cli: bool
    """Whether the CDK CLI runs us; it speaks to the user then."""
    flags: Mapping[str, Any]
    """CDK feature flags of cdk.json, which only the CDK CLI would read by itself."""


def read_settings(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings of a run of app.py; SpecError says which argument is wrong."""
    flags = json.loads((ROOT / "cdk.json").read_text())["context"]
    asked = flags | json.loads(environment.get(CONTEXT_VARIABLE, "{}")) | _context(arguments)
    by_name = {
        path.stem: path
        for path in _team_files(asked.get("teams_dir", environment.get(TEAMS_DIR_VARIABLE) or ROOT / "teams"))
    }
    wanted = _names(asked.get("team", ""), by_name)
    validate = str(asked.get("validate", "false")).lower()
    if validate not in ("true", "false"):
        raise SpecError(f"validate: got {validate}, expected true or false")
    return Settings(
        team_files=tuple(by_name[name] for name in wanted or by_name),
        everything=not wanted,
        validate=validate == "true",
        outdir=Path(environment.get(OUTDIR_VARIABLE) or ROOT / "cdk.out"),
        is_for_the_cli=bool(environment.get(OUTDIR_VARIABLE)),
        flags=flags,
    )


def _team_files(teams_dir: str | Path) -> list[Path]:
    # The shell leaves ~ alone in teams_dir=~/teams; an empty value would mean the current folder.
    directory = Path(teams_dir).expanduser()
    if not str(teams_dir) or not directory.is_dir():
        raise SpecError(f"teams_dir: got {str(teams_dir) or 'nothing'}, expected a folder of team files")
    team_files = find_team_files(directory)
    if not team_files:
        raise SpecError(f"teams_dir: got {teams_dir}, which has no *.yaml file, expected at least one team file")
    return team_files


def _names(asked: object, known: Mapping[str, Path]) -> list[str]:
    names = [name for part in str(asked).split(",") if (name := part.strip())]
    if unknown := [name for name in names if name not in known]:
        raise SpecError(f"team: got {', '.join(unknown)}, expected one of {', '.join(known)}")
    return sorted(set(names))


def _context(arguments: Sequence[str]) -> dict[str, str]:
    context: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        option = rest.pop(0)
        key, equals, value = rest.pop(0).partition("=") if option in ("-c", "--context") and rest else ("", "", "")
        if key not in ("teams_dir", "team", "validate") or not equals:
            raise SpecError(f"argument: got {' '.join((option, key)).strip()}, expected {USAGE}")
        context[key] = value
    return context
