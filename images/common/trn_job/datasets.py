"""Where a script reads its dataset: on the shared file system, or copied from S3 to this node's disk."""

from __future__ import annotations

from pathlib import Path

from trn_job import s3
from trn_job.messages import Stop
from trn_job.settings import S3, Settings


def directory(settings: Settings, name: str, *, pattern: str) -> str:
    """Directory of the dataset `name`, which has at least one file of `pattern`."""
    if settings.datasets is None:
        raise Stop(
            f"dataset {name}: got no shared storage, expected a file system or a bucket in the team file; "
            "or give --data_dir in the job file"
        )
    place = f"{settings.datasets}/{name}"
    folder = Path(place)
    if place.startswith(S3):
        folder = settings.work / "datasets" / name
        s3.download_folder(place, folder)
    if not any(folder.glob(pattern)):
        raise Stop(f"dataset {name}: got no {pattern} in {place}, expected some: put it there with `trn data stage`")
    return str(folder)
