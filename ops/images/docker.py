"""Docker on this machine: whether it can build, and building."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import typer

from ops.aws import Account
from ops.console import say
from ops.errors import InterruptedHalfWayError, OpsError, UnfinishedError
from ops.images.references import ROOT, chosen, deployed, images, password, placeholders, refuse_pushed
from ops.programs import ask, program, run
from spec.team import Team

BUILDX = "https://docs.docker.com/build/install-buildx/"


def docker_that_runs(purpose: str) -> str:
    """Path of docker; OpsError where it is missing or its daemon is not reached."""
    docker = program("docker", purpose=purpose)
    code, text = ask([docker, "version", "--format", "{{.Server.Version}}"])
    if code:
        raise OpsError(f"docker: its daemon is not reached; start Docker, or set DOCKER_HOST ({_last_line(text)})")
    return docker


def docker_that_builds() -> str:
    """Path of docker; OpsError where docker, buildx or the daemon is missing."""
    docker = program("docker", purpose="building an image")
    code, text = ask([docker, "buildx", "version"])
    if code:
        raise OpsError(
            f"docker buildx: not found; building for another machine needs it: {BUILDX} ({_last_line(text)})"
        )
    return docker_that_runs("building an image")


def log_in(account: Account, docker: str, registry: str, *, otherwise: str) -> None:
    """Give docker the account's password for its registry; OpsError says what is so `otherwise`."""
    if run([docker, "login", "--username", "AWS", "--password-stdin", registry], text=password(account)):
        raise OpsError(f"docker login {registry}: failed; {otherwise}")


def _last_line(text: str) -> str:
    return text.splitlines()[-1] if text else "it said nothing"


def show_commands(team: Team, names: Sequence[str], *, push: bool) -> None:
    """Print what building, or building and pushing, would run; nothing is looked up."""
    wanted = images(team, chosen(team, names), placeholders(team))
    typer.echo(f"cd {ROOT}")
    if push and wanted:
        host = wanted[0].repository_uri.replace("}", "%%/*}")
        login = f'docker login --username AWS --password-stdin "{host}"'
        typer.echo(f"aws ecr get-login-password --region {team.region} | {login}")
    for image in wanted:
        typer.echo(" ".join(_quoted(word) for word in image.build("docker", push=push)))


def _quoted(word: str) -> str:
    return f'"{word}"' if word.startswith("${") else shlex.quote(word)


def build(account: Account, team: Team, names: Sequence[str], *, push: bool) -> None:
    """Build images one after the other, and push each where asked; UnfinishedError where one fails."""
    wanted = images(team, chosen(team, names), deployed(account, team))
    docker = docker_that_builds()
    if push:
        refuse_pushed(account, wanted, team)
        log_in(account, docker, wanted[0].registry, otherwise="nothing was built or pushed")
    done: list[str] = []
    verb, word = ("pushed", "push") if push else ("built", "build")
    for image in wanted:
        say(f"{image.name}: {image.uri}")
        left = [it.name for it in wanted if it.name not in done]
        state: dict[str, Any] = {
            "done": [f"{verb} {name}" for name in done],
            "left": left,
            "way_on": f"Go on with: trn images {word} {team.name} {' '.join(left)}",
        }
        try:
            code = run(image.build(docker, push=push), cwd=ROOT)
        except KeyboardInterrupt:
            raise InterruptedHalfWayError(f"interrupted at image {image.name}", **state) from None
        if code:
            raise UnfinishedError(f"image {image.name}: docker ended with exit code {code}; see above", **state)
        done.append(image.name)
    say(f"{verb}: {', '.join(done)} ({team.image_tag})")
