"""What a clean-up does, in order, and what is to be typed after it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ops.teams import TEAMS_DIR
from ops.watch.cancel import describe
from ops.watch.runs import Run
from spec.names import StackName
from spec.team import Team


@dataclass(frozen=True)
class Named:
    """An object in a namespace."""

    namespace: str
    name: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class StoredImage:
    """A manifest in a repository."""

    digest: str
    tags: tuple[str, ...] = ()
    is_index: bool = False
    """Whether it refers to other manifests, which cannot be deleted while it is there."""


@dataclass(frozen=True)
class Plan:
    """What a clean-up does, in the order of its fields."""

    runs: tuple[Run, ...] = ()
    volcano_queues: tuple[str, ...] = ()
    """Open ones."""
    batch_queue: str | None = None
    """ARN, if it is open."""
    staging_jobs: tuple[Named, ...] = ()
    """Jobs that stage data: their pods hold claims."""
    claims: tuple[Named, ...] = ()
    services: tuple[Named, ...] = ()
    """Those with a load balancer."""
    images: Mapping[str, tuple[StoredImage, ...]] = field(default_factory=dict)
    """By repository."""
    delete_images: bool = False
    balancers: tuple[str, ...] = ()
    """ARNs of load balancers of the cluster; those without a Service any more are left over."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        images = self.delete_images and any(self.images.values())
        in_cluster = self.staging_jobs or self.claims or self.services
        return not (self.runs or self.volcano_queues or self.batch_queue or in_cluster or images)

    def lines(self) -> list[str]:
        """What will be done, one line for each thing."""
        steps: list[tuple[str, list[str]]] = [
            ("1. cancel runs", [describe(run) for run in self.runs]),
            (
                "2. close queues to new work; CloudFormation deletes them",
                [*self.volcano_queues, *([self.batch_queue] if self.batch_queue else [])],
            ),
            ("3. delete Jobs that stage data, with their pods", _lines(self.staging_jobs)),
            ("4. delete claims, WITH THEIR FILE SYSTEMS AND DATA", _lines(self.claims)),
            ("5. delete load balancers, by their Services", _lines(self.services)),
            (
                "6. delete images" if self.delete_images else "6. keep images (--images deletes them)",
                self._image_lines(),
            ),
        ]
        return [line for title, things in steps for line in (title, *(f"   {it}" for it in things or ["none"]))]

    def _image_lines(self) -> list[str]:
        return [f"{name}: {_tags(images)}" for name, images in self.images.items() if images]

    def as_json(self) -> dict[str, Any]:
        """The fields, for programs."""
        return asdict(self)


def _lines(things: tuple[Named, ...]) -> list[str]:
    return [f"{it} {it.note}".rstrip() for it in things]


def _tags(images: tuple[StoredImage, ...]) -> str:
    tags = sorted(tag for image in images for tag in image.tags)
    untagged = sum(not image.tags for image in images)
    return ", ".join([*tags, *([f"{untagged} without a tag"] if untagged else [])])


def destroy_line(team: Team) -> str:
    """The `cdk destroy` that deletes what may be deleted. A file system that stays lies in the network."""
    where = (
        ""
        if team.path.parent.resolve() == TEAMS_DIR
        else f" -c {shlex.quote(f'teams_dir={team.path.parent.resolve()}')}"
    )
    if team.storage.on_delete == "delete" or team.storage.lustre is None:
        return f".venv/bin/cdk destroy{where} '{team.name}/*'"
    stacks = [
        *((StackName.NODES, StackName.CLUSTER) if team.eks else ()),
        *((StackName.BATCH,) if team.batch else ()),
        StackName.STORAGE,
    ]
    names = " ".join(f"'{team.name}/{stack}'" for stack in stacks)
    return f".venv/bin/cdk destroy{where} {names}"
