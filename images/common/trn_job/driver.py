"""The host's Neuron driver against the image's runtime library: together they work or they do not."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from spec.compatibility import NEURON_SDKS, NODE_IMAGES, NeuronSdk
from trn_job.messages import Stop, say

# The module's sysfs entry is the same for a host and its containers; the runtime itself reads it.
DRIVER_FILE = "/sys/module/neuron/version"
# A link to libnrt.so.<version of the package aws-neuronx-runtime-lib>.
RUNTIME_LIBRARY = "/opt/aws/neuron/lib/libnrt.so.1"

Version = tuple[int, int]


def check(environ: Mapping[str, str]) -> None:
    """Stop where the pair is known not to work, or either side is missing."""
    if environ.get("TRN_SKIP_NEURON_CHECK") == "1":
        say("driver and runtime are not checked: TRN_SKIP_NEURON_CHECK is 1")
        return
    driver_text = host_driver(Path(environ.get("TRN_DRIVER_FILE", DRIVER_FILE)))
    runtime_text = runtime_library(Path(environ.get("TRN_RUNTIME_LIBRARY", RUNTIME_LIBRARY)))
    driver, runtime = _version(driver_text), _version(runtime_text)
    if not NeuronSdk("of this image", runtime, None).runs_on(driver):
        raise Stop(
            f"host driver {driver_text} does not work with runtime library {runtime_text} of this image. "
            f"{_way_out(driver, runtime)}"
        )
    say(f"host driver {driver_text}, runtime library {runtime_text}")


def host_driver(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise Stop(
            f"{path}: no Neuron driver on this host ({error.strerror}). Run the job on a Trainium instance whose AMI "
            "has the driver; TRN_SKIP_NEURON_CHECK=1 is for machines without Neuron devices"
        ) from None


def runtime_library(path: Path) -> str:
    """Version of the runtime library, from the name of the file that the loader's link leads to."""
    found = re.fullmatch(r"libnrt\.so\.(\d+\.\d+[\d.]*)", Path(os.path.realpath(path)).name)
    if found is None or not path.exists():
        raise Stop(
            f"{path}: got {os.path.realpath(path)}, expected a link to libnrt.so.<version>. Build the image on a "
            "pytorch-training-neuronx image"
        )
    return found[1]


def _version(text: str) -> Version:
    found = re.match(r"(\d+)\.(\d+)", text)
    if found is None:
        raise Stop(f"version of driver or runtime: got {text!r}, expected MAJOR.MINOR and more")
    return int(found[1]), int(found[2])


def _way_out(driver: Version, runtime: Version) -> str:
    row = NeuronSdk("of this image", runtime, None)
    dates = [image.date for image in NODE_IMAGES if row.runs_on(image.driver)]
    sdks = [sdk.version for sdk in NEURON_SDKS.values() if sdk.training_image_tag and sdk.runs_on(driver)]
    other_host = (
        f"Pin another AMI in the team file, by release_version or ami_id (EKS: {dates[0]} works)" if dates else ""
    )
    other_image = f"set neuron_sdk to one that this driver runs ({', '.join(sdks)}) and build the images anew"
    if not sdks:
        other_image = "no PyTorch/XLA training image works with this driver"
    return "; ".join(filter(None, (other_host, other_image)))
