"""Driver against runtime: the rules of spec/compatibility.py, the messages, and where versions are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec.compatibility import NEURON_SDKS, NODE_IMAGES, NeuronSdk, NodeImage
from tests.images.container import Container
from trn_job import driver
from trn_job.messages import Stop


def versions(container: Container, driver: str, runtime: str) -> None:
    (container.root / "driver").write_text(f"{driver}\n")
    link = container.root / "lib" / "libnrt.so.1"
    link.unlink()
    link.with_name(f"libnrt.so.{runtime}").touch()
    link.symlink_to(f"libnrt.so.{runtime}")


def test_a_pair_that_fits_runs(container: Container) -> None:
    done = container.job()
    assert done.returncode == 0, done.stderr
    assert "host driver 2.26.5.0, runtime library 2.30.5.0" in done.stdout
    assert container.arguments == ["script.py"]


@pytest.mark.parametrize(
    ("driver", "runtime", "way_out"),
    [
        (
            "2.29.0.0",
            "2.30.5.0",
            "release_version or ami_id (EKS: 20260625 works); no PyTorch/XLA training image works",
        ),
        (
            "2.29.0.0",
            "2.32.31.0",
            "release_version or ami_id (EKS: 20260625 works); no PyTorch/XLA training image works",
        ),
        ("2.26.10.0", "2.32.31.0", "set neuron_sdk to one that this driver runs (2.26.1, 2.27.1, 2.28.0)"),
    ],
)
def test_fails_with_both_versions_and_the_way_out(
    container: Container, driver: str, runtime: str, way_out: str
) -> None:
    versions(container, driver, runtime)
    done = container.job()
    assert done.returncode == 78
    assert f"host driver {driver} does not work with runtime library {runtime}" in done.stderr
    assert way_out in done.stderr
    assert not (container.root / "arguments").exists()


@pytest.mark.parametrize("image", NODE_IMAGES, ids=lambda image: image.date)
@pytest.mark.parametrize("sdk", NEURON_SDKS.values(), ids=lambda sdk: sdk.version)
def test_the_rule_is_the_one_of_the_specification(tmp_path: Path, image: NodeImage, sdk: NeuronSdk) -> None:
    (tmp_path / "driver").write_text(".".join(map(str, image.driver)) + ".0.0")
    library = tmp_path / f"libnrt.so.{'.'.join(map(str, sdk.runtime))}.1"
    library.touch()
    environ = {"TRN_DRIVER_FILE": str(tmp_path / "driver"), "TRN_RUNTIME_LIBRARY": str(library)}
    if sdk.runs_on(image.driver):
        driver.check(environ)
    else:
        with pytest.raises(Stop):
            driver.check(environ)


def test_fails_without_a_driver(container: Container) -> None:
    (container.root / "driver").unlink()
    done = container.job()
    assert done.returncode == 78
    assert "no Neuron driver on this host" in done.stderr


def test_fails_without_a_runtime_library(container: Container) -> None:
    (container.root / "lib" / "libnrt.so.1").unlink()
    done = container.job()
    assert done.returncode == 78
    assert "expected a link to libnrt.so.<version>" in done.stderr


@pytest.mark.parametrize("text", ["", "unknown"])
def test_fails_on_a_version_it_cannot_read(container: Container, text: str) -> None:
    (container.root / "driver").write_text(text)
    done = container.job()
    assert done.returncode == 78
    assert "expected MAJOR.MINOR" in done.stderr


def test_the_check_can_be_skipped_and_says_so(container: Container) -> None:
    (container.root / "driver").unlink()
    done = container.job(TRN_SKIP_NEURON_CHECK="1")
    assert done.returncode == 0
    assert "are not checked" in done.stdout
