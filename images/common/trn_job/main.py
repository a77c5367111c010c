"""The order of things in a job container."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from spec.names import JobEnv
from trn_job import driver, environment, nodes, precompile, profiles
from trn_job.messages import NOT_COPIED, Stop, complain, say
from trn_job.settings import Settings
from trn_job.supervisor import Supervisor


def main(command: Sequence[str], environ: Mapping[str, str] = os.environ) -> int:
    """Exit code of `trn-job COMMAND...`."""
    try:
        return _run(command, environ)
    except Stop as stop:
        complain(str(stop))
        return stop.code


def _run(command: Sequence[str], environ: Mapping[str, str]) -> int:
    if not command:
        raise Stop("got no command, expected trn-job torchrun ... SCRIPT ARGUMENTS")
    settings = Settings.read(environ)
    supervisor = Supervisor(grace_seconds=settings.grace_seconds)
    supervisor.listen()
    say(f"job {environ.get(JobEnv.JOB, '')}, attempt {environ.get(JobEnv.ATTEMPT, '0')}, {settings.nodes} nodes")
    watch = nodes.watch(nodes.Place.read(environ, nodes=settings.nodes), supervisor)
    try:
        code = _work(command, environ, settings, supervisor, watch)
    except Stop as stop:
        complain(str(stop))
        code = stop.code
    except SystemExit as ended:  # a signal before torchrun
        code = int(ended.code or 0)
    return watch.end(code)


def _work(
    command: Sequence[str],
    environ: Mapping[str, str],
    settings: Settings,
    supervisor: Supervisor,
    watch: nodes.Watch,
) -> int:
    os.umask(0o022)  # TensorBoard reads the logs as another user
    driver.check(environ)
    environment.raise_open_files()
    surroundings = environment.training_environment(environ, nodes=settings.nodes)
    plan = profiles.plan(settings, command)
    surroundings = plan.environment | surroundings
    if settings.precompile_steps:
        return precompile.run(supervisor, plan.command, surroundings, is_main=settings.is_main, others=watch.others)
    if plan.keeper is None:
        return supervisor.run(plan.command, surroundings)
    plan.keeper.start()
    code = supervisor.run(plan.command, surroundings)
    try:
        plan.keeper.finish()
    except Stop as stop:
        complain(f"the last copy failed: {stop}")
        return code or NOT_COPIED
    return code
