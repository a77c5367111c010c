"""From team files to the cloud assembly: what to synthesize, in how many processes, and what is still good.

Each team is a Stage, so its templates do not depend on the other teams. That lets several processes share the teams,
and lets a team whose inputs did not change keep its templates; the assembly is the same, byte for byte, either way.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from spec.findings import SpecError
from spec.team import Team
from spec.team_file import check_team
from stacks.inputs import MANIFESTS, code_digest, is_current, team_digest, write_stamp
from stacks.outdir import WORKSHOP, add, alone_in, remove_others, write_manifest
from stacks.settings import CONTEXT_VARIABLE, Settings, read_settings

TEAMS_PER_PROCESS = 8
"""Teams that one process synthesizes in about the time that another process takes to start."""
INTERRUPTED, TERMINATED = 130, 143
"""Exit codes by which a shell tells that a signal ended a program."""
MAX_PROCESSES = 4
"""Each takes 350 MiB, its Node process included."""


class SynthesisError(Exception):
    """Synthesis failed, and the reason has been printed."""


def main(arguments: Sequence[str]) -> int:
    """Synthesize. Exit code 2 when an argument or a team file is wrong, 1 when synthesis fails; reasons on stderr."""
    # Ending by exception stops the processes that share the work, and clears away what they made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        settings = read_settings(arguments)
        teams = [_load(path) for path in settings.team_files]
        if None in teams:
            return 2
        synthesize(settings, [team for team in teams if team is not None])
    except SpecError as error:
        print(error, file=sys.stderr)
        return 2
    except (SynthesisError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _load(path: Path) -> Team | None:
    team, findings = check_team(path)
    for finding in findings:
        print(finding, file=sys.stderr)
    return team


def synthesize(settings: Settings, teams: Sequence[Team]) -> None:
    """Bring the assembly in `settings.outdir` up to date with `teams`; if that fails it stays as it was."""
    outdir = settings.outdir
    code = code_digest()
    inputs = {team.name: team_digest(code, team) for team in teams}
    with alone_in(outdir):
        stale = [team for team in teams if settings.validate or not is_current(outdir, team.name, inputs[team.name])]
        if stale:
            with TemporaryDirectory(prefix=WORKSHOP, dir=outdir, ignore_cleanup_errors=True) as workshop:
                for made in _synthesize_in_processes(settings, stale, Path(workshop)):
                    add(made, outdir)
        for team in stale:
            write_stamp(outdir, team.name, inputs[team.name])
        names = [team.name for team in teams]
        write_manifest(outdir, names)
        if settings.everything:
            remove_others(outdir, names)
    if not settings.is_for_the_cli:
        print(f"{outdir}: {', '.join(names)} ({len(stale)} synthesized, {len(names) - len(stale)} unchanged)")


def _synthesize_in_processes(settings: Settings, teams: Sequence[Team], workshop: Path) -> list[Path]:
    """Synthesize, and say in which folders."""
    import multiprocessing  # not at the top: a run in which nothing is stale needs none of it

    count = min(_processors(), MAX_PROCESSES, -(-len(teams) // TEAMS_PER_PROCESS))
    if settings.validate:
        count = 1  # The report is about all teams at once.
    shares = [(settings, teams[index::count], workshop / str(index)) for index in range(count)]
    # Spawned, because a forked child ends without the exit handlers by which jsii stops Node.
    spawn = multiprocessing.get_context("spawn")
    children = [spawn.Process(target=_build, args=share) for share in shares[1:]]
    for child in children:
        child.start()
    try:
        _build(*shares[0])
        for child in children:
            child.join()
    finally:
        for child in children:
            child.kill()
    if any(child.exitcode for child in children):
        raise SynthesisError(f"synthesis failed, see above; {settings.outdir} stays as it was")
    return [made for _, _, made in shares]


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _build(settings: Settings, teams: Sequence[Team], outdir: Path) -> None:
    """The CDK application itself."""
    # Ours is in `settings`; the rest, by ~/.cdk.json and the CLI, would make templates differ. jsii hands the variable
    # to Node as soon as it is imported.
    os.environ.pop(CONTEXT_VARIABLE, None)
    from aws_cdk import App  # not at the top: a run in which nothing is stale never starts jsii

    from stacks.manifest import write_manifests
    from stacks.team_stage import TeamStage

    app = App(
        outdir=str(outdir),
        # Stack traces hold the paths of a temporary folder, another one in each run.
        context={**settings.flags, "aws:cdk:disable-creation-stack-traces": True},
        stack_traces=False,
        tree_metadata=False,
        analytics_reporting=False,
        auto_synth=False,
        builtin_cloud_formation_validation=settings.validate,
    )
    stages = {}
    for team in teams:
        try:
            stages[team.name] = TeamStage(app, team.name, team=team)
        except Exception as error:
            error.add_note(f"{team.path}: this team's stacks cannot be built")
            raise
    app.synth()
    for name, stage in stages.items():
        if stage.manifests:
            write_manifests(outdir / MANIFESTS / name, stage.manifests)
    if settings.validate:
        from stacks.validation import nag_report

        lines, passed = nag_report(app)
        print(*lines, sep="\n")
        if not passed:
            raise SynthesisError("validate: findings of cdk-nag that nobody acknowledged, see above")
