"""Rules about images and the Lustre file system."""

from collections.abc import Iterator

from spec import compatibility
from spec.findings import Loc, Problem
from spec.lustre import SMALLEST_GIB, STEP_GIB, THROUGHPUTS
from spec.team import Lustre, Team

XLA_IMAGES = frozenset({"bert", "llama2", "allreduce"})
"""Image folders of this project that are built on the PyTorch/XLA training image."""


def problems(team: Team) -> Iterator[Problem]:
    if team.storage.lustre is not None:
        yield from _lustre(team.storage.lustre)
        if team.eks is None:
            expected = "no file system without eks: Batch jobs read datasets and write checkpoints in S3"
            yield Problem("warning", ("storage", "lustre"), "a file system", expected, (("eks",),))
    yield from _images(team)


def _lustre(lustre: Lustre) -> Iterator[Problem]:
    loc: Loc = ("storage", "lustre")
    gib = lustre.capacity_gib
    if gib != SMALLEST_GIB and (gib < STEP_GIB or gib % STEP_GIB):
        below = max(gib - gib % STEP_GIB, SMALLEST_GIB)
        above = max(gib - gib % STEP_GIB + STEP_GIB, SMALLEST_GIB)
        near = str(SMALLEST_GIB) if gib < SMALLEST_GIB else f"{below} or {above}"
        expected = f"{SMALLEST_GIB} or a multiple of {STEP_GIB} GiB, such as {near}"
        yield Problem("error", (*loc, "capacity_gib"), str(gib), expected)
    reads: tuple[Loc, ...] = ((*loc, "deployment"),)
    allowed = THROUGHPUTS[lustre.deployment]
    if not allowed and lustre.throughput is not None:
        expected = f"no throughput: {lustre.deployment} has a fixed one"
        yield Problem("error", (*loc, "throughput"), str(lustre.throughput), expected, reads)
    elif allowed and lustre.throughput not in allowed:
        expected = f"one of {', '.join(map(str, allowed))} MB/s per TiB for {lustre.deployment}"
        yield Problem("error", (*loc, "throughput"), str(lustre.throughput), expected, reads)


def _images(team: Team) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, image in enumerate(team.images):
        plain = image.replace("-", "")
        if plain in seen:
            other = team.images[seen[plain]]
            more = "" if image == other else " in more than hyphens"
            expected = f"a name that differs{more} from images.{seen[plain]} ({other})"
            yield Problem("error", ("images", index), image, expected, (("images", seen[plain]),))
        seen.setdefault(plain, index)
    without = sorted(XLA_IMAGES.intersection(team.images))
    if compatibility.neuron_sdk(team.neuron_sdk).training_image_tag is None and without:
        expected = (
            f"an SDK with a verified PyTorch/XLA training image ({', '.join(_sdks_with_image())}), "
            f"or images without {', '.join(without)}"
        )
        yield Problem("warning", ("neuron_sdk",), team.neuron_sdk, expected, (("images",),))


def _sdks_with_image() -> list[str]:
    return [sdk.version for sdk in compatibility.NEURON_SDKS.values() if sdk.training_image_tag is not None]
