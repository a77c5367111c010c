"""What one synthesis is asked to do: from the command line, or from the CDK CLI."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spec.findings import SpecError
from spec.team_file import find_team_files

ROOT = Path(__file__).resolve().parent.parent
OUTDIR_VARIABLE = "CDK_OUTDIR"
CONTEXT_VARIABLE = "CDK_CONTEXT_JSON"


@dataclass(frozen=True, slots=True)
class Settings:
    """`-c KEY=VALUE` arguments, each with its default.

    `teams_dir`: folder of the team files. `team`: names of the teams wanted, separated by commas; all of them if absent.
    `validate`: also run CDK's built-in template validation and cdk-nag. `outdir`: the cloud assembly; the CDK CLI's
    own variable wins.
    """

    teams_dir: Path
    team_files: tuple[Path, ...]
    outdir: Path
    validate: bool
    is_shard: bool
    everything: bool
    context: Mapping[str, Any]
    """CDK feature flags of cdk.json, which only the CDK CLI would read by itself."""

    def arguments_of_shard(self, names: Sequence[str], outdir: Path) -> list[str]:
        """Command line of a process that synthesizes some of the teams into a folder of its own."""
        return ["-c", f"teams_dir={self.teams_dir}", "-c", f"team={','.join(names)}", "-c", f"shard={outdir}"]


def read_settings(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings of a run of app.py; SpecError says which argument is wrong."""
    flags = json.loads((ROOT / "cdk.json").read_text())["context"]
    context = flags | json.loads(environment.get(CONTEXT_VARIABLE, "{}")) | _context_arguments(arguments)
    teams_dir = Path(context.get("teams_dir", ROOT / "teams"))
    if not teams_dir.is_dir():
        raise SpecError(f"teams_dir: got {teams_dir}, expected a folder of team files")
    team_files = find_team_files(teams_dir)
    if not team_files:
        raise SpecError(f"teams_dir: got {teams_dir}, which has no *.yaml file, expected at least one team file")
    wanted = [name for name in str(context.get("team", "")).split(",") if name]
    by_name = {path.stem: path for path in team_files}
    if unknown := [name for name in wanted if name not in by_name]:
        raise SpecError(f"team: got {', '.join(unknown)}, expected one of {', '.join(by_name)}")
    shard = context.get("shard")
    return Settings(
        teams_dir=teams_dir,
        team_files=tuple(by_name[name] for name in wanted) if wanted else tuple(team_files),
        outdir=Path(shard or environment.get(OUTDIR_VARIABLE) or ROOT / "cdk.out"),
        validate=str(context.get("validate", "false")).lower() == "true",
        is_shard=shard is not None,
        everything=not wanted,
        context=flags,
    )


def _context_arguments(arguments: Sequence[str]) -> dict[str, str]:
    context: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        option = rest.pop(0)
        if option not in ("-c", "--context") or not rest or "=" not in rest[0]:
            raise SpecError(
                f"argument: got {option}, expected -c teams_dir=DIR, -c team=NAME[,NAME] or -c validate=true"
            )
        key, _, value = rest.pop(0).partition("=")
        context[key] = value
    return context
