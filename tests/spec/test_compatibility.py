"""Which node image goes with which Neuron SDK."""

import itertools

import pytest

from spec.compatibility import KUBERNETES_VERSIONS, NEURON_SDKS, NODE_IMAGES, listed_image, neuron_sdk, node_release
from spec.findings import SpecError


@pytest.mark.parametrize(
    ("kubernetes", "sdk", "release"),
    [
        ("1.33", "2.26.1", "1.33.13-20260625"),
        ("1.34", "2.28.0", "1.34.9-20260625"),
        ("1.35", "2.28.0", "1.35.6-20260625"),
        ("1.35", "2.30.0", "1.35.6-20260625"),
        ("1.35", "2.31.0", "1.35.6-20260714"),
        ("1.36", "2.32.0", "1.36.2-20260714"),
    ],
)
def test_newest_release_whose_driver_runs_the_sdk(kubernetes: str, sdk: str, release: str) -> None:
    assert node_release(kubernetes, sdk) == release


@pytest.mark.parametrize(("kubernetes", "sdk"), tuple(itertools.product(KUBERNETES_VERSIONS, NEURON_SDKS)))
def test_every_known_pair_has_a_release_that_works(kubernetes: str, sdk: str) -> None:
    image = listed_image(node_release(kubernetes, sdk))
    assert image is not None
    assert neuron_sdk(sdk).runs_on(image.driver)


@pytest.mark.parametrize(
    ("sdk", "driver", "runs"),
    [
        ("2.28.0", (2, 26), True),
        ("2.28.0", (2, 28), True),
        ("2.28.0", (2, 29), False),  # driver 2.29 refuses a runtime before 2.33
        ("2.30.0", (2, 26), False),  # runtime 2.32 needs a driver after 2.26
        ("2.30.0", (2, 27), True),
        ("2.31.0", (2, 29), True),
        ("2.31.0", (2, 26), False),
    ],
)
def test_driver_and_runtime(sdk: str, driver: tuple[int, int], runs: bool) -> None:
    assert neuron_sdk(sdk).runs_on(driver) is runs


def test_images_are_listed_newest_first() -> None:
    dates = [image.date for image in NODE_IMAGES]
    assert dates == sorted(dates, reverse=True)


def test_the_oldest_images_have_no_1_36() -> None:
    assert NODE_IMAGES[-1].release_version("1.36") is None
    assert listed_image("1.36.0-20260311") is None


def test_fails_on_an_unknown_sdk() -> None:
    with pytest.raises(SpecError) as error:
        neuron_sdk("2.25.0")
    assert str(error.value) == (
        "Neuron SDK: got 2.25.0, expected one of 2.26.1, 2.27.1, 2.28.0, 2.29.0, 2.30.0, 2.31.0, 2.32.0"
    )


def test_fails_on_an_unknown_kubernetes_version() -> None:
    with pytest.raises(SpecError) as error:
        node_release("1.37", "2.31.0")
    assert str(error.value) == "Kubernetes version: got 1.37, expected one of 1.33, 1.34, 1.35, 1.36"
