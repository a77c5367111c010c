"""From team files to the cloud assembly: what to synthesize, in how many processes, and what is still good.

Each team is a Stage, so its templates do not depend on the other teams. That lets several processes share the teams,
and lets a team whose inputs did not change keep its templates; the assembly is the same, byte for byte, either way.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from spec.findings import SpecError
from spec.team import Team
from spec.team_file import check_team
from stacks.inputs import STAMPS, Stamp, code_digest, team_digest
from stacks.settings import ROOT, Settings, read_settings

TEAMS_PER_PROCESS = 4
"""Teams that one process synthesizes in about the time that starting another process takes."""


def main(arguments: Sequence[str]) -> int:
    """Synthesize. Exit code 0, or 2 when an argument or a team file is wrong, every finding on stderr."""
    try:
        settings = read_settings(arguments)
    except SpecError as error:
        print(error, file=sys.stderr)
        return 2
    teams = _load(settings)
    if teams is None:
        return 2
    if settings.is_shard:
        _build(settings, teams, settings.outdir)
    else:
        synthesize(settings, teams)
    return 0


def _load(settings: Settings) -> list[Team] | None:
    teams = []
    for path in settings.team_files:
        team, findings = check_team(path)
        if not settings.is_shard:
            print(*findings, sep="\n", end="\n" if findings else "", file=sys.stderr)
        if team is not None:
            teams.append(team)
    return teams if len(teams) == len(settings.team_files) else None


def synthesize(settings: Settings, teams: Sequence[Team]) -> None:
    """Bring the assembly in `settings.outdir` up to date with `teams`."""
    outdir = settings.outdir
    outdir.mkdir(parents=True, exist_ok=True)
    code = code_digest()
    inputs = {team.name: team_digest(code, team.path) for team in teams}
    stale = [team for team in teams if settings.validate or not _is_current(outdir, team.name, inputs[team.name])]
    if stale:
        _synthesize_in_processes(settings, stale)
        for team in stale:
            Stamp.of(outdir, team.name, inputs[team.name]).write(outdir, team.name)
    if settings.everything:
        _remove_others(outdir, {team.name for team in teams})
    _write_manifest(outdir, [team.name for team in teams])


def _is_current(outdir: Path, name: str, inputs: str) -> bool:
    stamp = Stamp.read(outdir, name)
    return stamp is not None and stamp.holds(outdir, name, inputs)


def _synthesize_in_processes(settings: Settings, teams: Sequence[Team]) -> None:
    processes = min(len(os.sched_getaffinity(0)), -(-len(teams) // TEAMS_PER_PROCESS))
    if settings.validate:
        processes = 1  # The validation report is one file about the whole assembly.
    shares = [teams[index::processes] for index in range(processes)]
    workshops = [settings.outdir / f".workshop-{index}" for index in range(processes)]
    for workshop in workshops:
        shutil.rmtree(workshop, ignore_errors=True)
    children = [
        subprocess.Popen(
            [
                sys.executable,
                str(ROOT / "app.py"),
                *settings.arguments_of_shard([team.name for team in share], workshop),
            ]
        )
        for share, workshop in zip(shares[1:], workshops[1:], strict=True)
    ]
    try:
        _build(settings, shares[0], workshops[0])
    finally:
        failed = [child for child in children if child.wait() != 0]
    if failed:
        raise SystemExit("synthesis failed in another process, see above")
    for workshop in workshops:
        _move(workshop, settings.outdir)


def _build(settings: Settings, teams: Iterable[Team], outdir: Path) -> None:
    """The CDK application itself."""
    from aws_cdk import App  # not at the top: a run in which nothing is stale never starts jsii

    from stacks.team_stage import TeamStage

    app = App(
        outdir=str(outdir),
        context=settings.context,
        analytics_reporting=False,
        # They hold the paths of a temporary folder, another one in each run.
        stack_traces=False,
        tree_metadata=False,
        builtin_cloud_formation_validation=settings.validate,
    )
    for team in teams:
        TeamStage(app, team.name, team=team)
    app.synth()


def _move(workshop: Path, outdir: Path) -> None:
    """Move what one process made into the assembly, over what an earlier run left there."""
    for made in workshop.iterdir():
        target = outdir / made.name
        if made.name.startswith("asset.") and target.exists():
            continue  # Assets are named after their content.
        if target.is_dir():
            shutil.rmtree(target)
        made.rename(target)
    shutil.rmtree(workshop)


def _remove_others(outdir: Path, names: set[str]) -> None:
    """Remove what is left of teams that have no file any more."""
    for stamp in (outdir / STAMPS).glob("*.json"):
        if stamp.stem not in names:
            shutil.rmtree(outdir / f"assembly-{stamp.stem}", ignore_errors=True)
            stamp.unlink()


def _write_manifest(outdir: Path, names: Iterable[str]) -> None:
    """The root of the assembly: CDK's own, but for any selection of teams, and without its report on feature flags."""
    path = outdir / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["artifacts"] = {
        f"assembly-{name}": {
            "type": "cdk:cloud-assembly",
            "properties": {"directoryName": f"assembly-{name}", "displayName": name},
        }
        for name in names
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n")
