"""What goes with what: Neuron SDK, runtime library, host driver, EKS node image, training image.

Collected 2026-11-30 from
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/ (SDK 2.26.1 to 2.32.0) and
https://github.com/awslabs/amazon-eks-ami/blob/v20260714/CHANGELOG.md (AL2023_x86_64_NEURON up to v20260714).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from spec.findings import SpecError

TRAINING_IMAGE = "public.ecr.aws/neuron/pytorch-training-neuronx"
"""Repository of the training images, one tag per SDK. https://gallery.ecr.aws/neuron/pytorch-training-neuronx"""

DEFAULT_NEURON_SDK = "2.28.0"
"""The SDK that users of NxD Training and PyTorch/XLA are told to stay on."""

# An older runtime's nrt_init() fails on this host driver or a newer one (release note of driver 2.29).
NEW_DRIVER = (2, 29)
RUNTIME_FOR_NEW_DRIVER = (2, 33)
# Runtime 2.32 and newer need a host driver newer than 2.26 (release note of runtime 2.32).
NEW_RUNTIME = (2, 32)
DRIVER_BEFORE_NEW_RUNTIME = (2, 26)


@dataclass(frozen=True, slots=True)
class NeuronSdk:
    """One Neuron SDK release."""

    version: str
    runtime: tuple[int, int]
    """Major and minor version of the runtime library that its container images carry."""
    training_image_tag: str | None
    """Tag of the public `pytorch-training-neuronx` image; None where none is published or verified."""

    def runs_on(self, driver: tuple[int, int]) -> bool:
        """Whether containers of this SDK work on a host with this driver (major, minor)."""
        if driver >= NEW_DRIVER and self.runtime < RUNTIME_FOR_NEW_DRIVER:
            return False
        return not (self.runtime >= NEW_RUNTIME and driver <= DRIVER_BEFORE_NEW_RUNTIME)


@dataclass(frozen=True, slots=True)
class NodeImage:
    """One EKS-optimized AL2023_x86_64_NEURON release."""

    date: str
    """Release date, YYYYMMDD: the second half of a managed node group's ReleaseVersion."""
    driver: tuple[int, int]
    """Major and minor version of the Neuron host driver in it."""
    patches: Mapping[str, str]
    """Kubernetes patch version it was built for, by minor version."""

    def release_version(self, kubernetes: str) -> str | None:
        """ReleaseVersion for a Kubernetes minor version, such as 1.35.6-20260625; None where it has none."""
        return f"{self.patches[kubernetes]}-{self.date}" if kubernetes in self.patches else None


def _image(date: str, driver: tuple[int, int], *patches: str) -> NodeImage:
    return NodeImage(date, driver, MappingProxyType({patch.rpartition(".")[0]: patch for patch in patches}))


NEURON_SDKS: Mapping[str, NeuronSdk] = MappingProxyType(
    {
        sdk.version: sdk
        for sdk in (
            NeuronSdk("2.26.1", (2, 28), "2.8.0-neuronx-py311-sdk2.26.1-ubuntu22.04"),
            NeuronSdk("2.27.1", (2, 29), "2.9.0-neuronx-py312-sdk2.27.1-ubuntu24.04"),
            NeuronSdk("2.28.0", (2, 30), "2.9.0-neuronx-py312-sdk2.28.0-ubuntu24.04"),
            NeuronSdk("2.29.0", (2, 31), None),  # a 2.9.0 image exists, its tag was not verified
            NeuronSdk("2.30.0", (2, 32), "2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04"),  # the last one
            NeuronSdk("2.31.0", (2, 33), None),
            NeuronSdk("2.32.0", (2, 34), None),
        )
    }
)

NODE_IMAGES: tuple[NodeImage, ...] = (
    _image("20260714", (2, 29), "1.33.13", "1.34.9", "1.35.6", "1.36.2"),
    _image("20260625", (2, 28), "1.33.13", "1.34.9", "1.35.6", "1.36.2"),
    _image("20260618", (2, 28), "1.33.13", "1.34.9", "1.35.6", "1.36.2"),
    _image("20260610", (2, 28), "1.33.12", "1.34.8", "1.35.5", "1.36.1"),
    _image("20260505", (2, 27), "1.33.11", "1.34.7", "1.35.4"),
    _image("20260409", (2, 27), "1.33.10", "1.34.6", "1.35.3"),
    _image("20260403", (2, 26), "1.33.8", "1.34.4", "1.35.2"),
    _image("20260311", (2, 26), "1.33.8", "1.34.4", "1.35.2"),
)
"""Newest first."""

KUBERNETES_VERSIONS: tuple[str, ...] = tuple(sorted({minor for image in NODE_IMAGES for minor in image.patches}))
"""Kubernetes minor versions with a known node image; versions are compared as text, which holds from 1.10 to 1.99."""


def neuron_sdk(version: str) -> NeuronSdk:
    """The row of an SDK version; SpecError names the known ones."""
    if version not in NEURON_SDKS:
        raise SpecError(f"Neuron SDK: got {version}, expected one of {', '.join(NEURON_SDKS)}")
    return NEURON_SDKS[version]


def training_image(sdk: str) -> str:
    """`REPOSITORY:TAG` of the training image of an SDK; SpecError where the table has none."""
    tag = neuron_sdk(sdk).training_image_tag
    if tag is None:
        known = ", ".join(row.version for row in NEURON_SDKS.values() if row.training_image_tag)
        raise SpecError(
            f"training image: got Neuron SDK {sdk}, which has none that is verified; expected one of {known}"
        )
    return f"{TRAINING_IMAGE}:{tag}"


def node_release(kubernetes: str, sdk: str) -> str:
    """ReleaseVersion of the newest node image whose driver runs the SDK; SpecError where the table has none."""
    row = neuron_sdk(sdk)
    for image in NODE_IMAGES:
        release = image.release_version(kubernetes)
        if release is not None and row.runs_on(image.driver):
            return release
    raise SpecError(f"Kubernetes version: got {kubernetes}, expected one of {', '.join(KUBERNETES_VERSIONS)}")


def listed_image(release_version: str) -> NodeImage | None:
    """The table's row of a ReleaseVersion; None where it is not listed."""
    kubernetes = ".".join(release_version.split(".")[:2])
    return next((image for image in NODE_IMAGES if image.release_version(kubernetes) == release_version), None)
