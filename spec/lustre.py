"""FSx for Lustre: which file systems there are, and how pods get at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SMALLEST_GIB = 1200
STEP_GIB = 2400
"""A file system is the smallest one, or a multiple of this.
https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html"""

THROUGHPUTS: Mapping[str, tuple[int, ...]] = {
    "SCRATCH_2": (),
    "PERSISTENT_1": (50, 100, 200),
    "PERSISTENT_2": (125, 250, 500, 1000),
}
"""MB/s per TiB of SSD storage to choose from, by deployment; a scratch file system has a fixed one.
https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html"""

DEFAULT_DEPLOYMENT: Final = "PERSISTENT_2"
DEFAULT_THROUGHPUT: Mapping[str, int | None] = {"SCRATCH_2": None, "PERSISTENT_1": 200, "PERSISTENT_2": 250}
"""MB/s per TiB, by deployment."""

CSI_DRIVER = "fsx.csi.aws.com"
"""https://github.com/kubernetes-sigs/aws-fsx-csi-driver"""

MOUNT_OPTIONS = ("flock",)
"""Without it flock() fails, which the Neuron compile cache and data loaders call."""
