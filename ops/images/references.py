"""Container images of a team: the commands that build and push them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ops.aws import Account, outputs
from ops.errors import RefusedError
from spec.compatibility import training_image
from spec.field_errors import close_match
from spec.findings import SpecError
from spec.names import SHELL_IMAGE, TENSORBOARD_IMAGE, StackName, repository_uri_output
from spec.output_values import placeholder
from spec.team import Team

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = "linux/amd64"
"""Trainium hosts and system nodes are x86-64, whatever this machine is."""
PLAIN = "--provenance=false"
"""With an attestation a tag is an index over two manifests: nobody reads it here, and each would be deleted by itself.
https://docs.docker.com/build/metadata/attestations/"""
ALL = "all"
WITHOUT_NEURON = (SHELL_IMAGE, TENSORBOARD_IMAGE)
"""Images that do not start from the training image: what they run needs no Neuron SDK."""


@dataclass(frozen=True)
class Image:
    """One image of a team, to be built from its folder in images/."""

    name: str
    repository_uri: str
    tag: str
    base: str | None
    """Training image to start from; None for an image that names its own."""

    @property
    def uri(self) -> str:
        """REPOSITORY:TAG."""
        return f"{self.repository_uri}:{self.tag}"

    @property
    def registry(self) -> str:
        """Host to log in to."""
        return self.repository_uri.partition("/")[0]

    def build(self, docker: str, *, push: bool) -> list[str]:
        """The command, to be run in the checkout."""
        base = [] if self.base is None else ["--build-arg", f"BASE_IMAGE={self.base}"]
        end = "--push" if push else "--load"
        dockerfile = ["-f", f"images/{self.name}/Dockerfile"]
        command = [docker, "buildx", "build", "--platform", PLATFORM, PLAIN]
        return [*command, *base, *dockerfile, "-t", self.uri, end, "."]


def chosen(team: Team, names: Sequence[str]) -> tuple[str, ...]:
    """Images of a team by name, `all` for every one; RefusedError for any other name."""
    if ALL in names:
        return team.repositories
    for name in names:
        if name not in team.repositories:
            close = close_match(name, team.repositories)
            raise RefusedError(
                f"{team.path}: images: got {name}, expected one of {', '.join(team.repositories)}, or {ALL}"
                + (f"; did you mean {close}?" if close else "")
                + "; a repository for a new image comes with `images` in the team file and a deployment"
            )
    return tuple(dict.fromkeys(names))


def images(team: Team, names: Iterable[str], repositories: Mapping[str, str]) -> list[Image]:
    """What is to be built; RefusedError where a folder or a training image is missing. `repositories`: URI by name."""
    names = [*names]
    for name in names:
        _check_folder(name)
    return [Image(name, repositories[name], team.image_tag, _base(team, name)) for name in names]


def _check_folder(name: str) -> None:
    if not (ROOT / "images" / name / "Dockerfile").exists():
        folders = sorted(path.parent.name for path in (ROOT / "images").glob("*/Dockerfile"))
        raise RefusedError(
            f"images/{name}/Dockerfile: got no such file, expected one of {', '.join(folders) or 'none'} in "
            f"{ROOT / 'images'}"
        )


def _base(team: Team, name: str) -> str | None:
    if name in WITHOUT_NEURON:
        return None
    try:
        return training_image(team.neuron_sdk)
    except SpecError as error:
        raise RefusedError(f"{team.path}: neuron_sdk: {error}") from None


def placeholders(team: Team) -> dict[str, str]:
    """Repository URIs before they are looked up, as the files in cdk.out have them."""
    return {name: placeholder(repository_uri_output(name)) for name in team.repositories}


def deployed(account: Account, team: Team) -> dict[str, str]:
    """Repository URI by image; OpsError where the Storage stack is not deployed, RefusedError where it is older."""
    values = outputs(account, team, StackName.STORAGE)
    missing = [name for name in team.repositories if repository_uri_output(name) not in values]
    if missing:
        raise RefusedError(
            f"{team.path}: images: got {', '.join(missing)}, which the deployed stacks do not know yet; run "
            f"`.venv/bin/cdk deploy '{team.name}/Storage'` first"
        )
    return {name: values[repository_uri_output(name)] for name in team.repositories}


def refuse_pushed(account: Account, wanted: Iterable[Image], team: Team) -> None:
    """RefusedError where a tag is taken: tags are immutable, and pods and job definitions refer to them."""
    ecr = account.client("ecr")
    taken = []
    for image in wanted:
        repository = image.repository_uri.partition("/")[2]
        found = ecr.batch_get_image(repositoryName=repository, imageIds=[{"imageTag": image.tag}])
        taken += [image.name] if found["images"] else []
    if taken:
        raise RefusedError(
            f"{team.path}: image_revision: got {team.image_revision}, and {', '.join(taken)} is pushed with it already "
            f"({team.image_tag}, immutable); raise image_revision, push every image, then deploy. "
            "Name only the images that are missing to push those"
        )


def password(account: Account) -> str:
    """Password for the account's registry, good for 12 hours."""
    granted = account.client("ecr").get_authorization_token()["authorizationData"][0]["authorizationToken"]
    return base64.b64decode(granted).decode().partition(":")[2]
