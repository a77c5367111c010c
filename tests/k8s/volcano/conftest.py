from __future__ import annotations

from typing import Any

import pytest

from k8s_charts.render import Objects, render
from k8s_charts.volcano import VolcanoControllers, VolcanoCrds, VolcanoWebhooks
from spec import components

IMAGES = {
    "admission_image": components.VOLCANO_ADMISSION.uri({}),
    "controllers_image": components.VOLCANO_CONTROLLERS.uri({}),
    "scheduler_image": components.VOLCANO_SCHEDULER.uri({}),
}


@pytest.fixture(scope="session")
def crds() -> Objects:
    return render(VolcanoCrds)


@pytest.fixture(scope="session")
def controllers() -> Objects:
    return render(VolcanoControllers, **IMAGES)


@pytest.fixture(scope="session")
def webhooks() -> Objects:
    return render(VolcanoWebhooks)


@pytest.fixture(scope="session")
def manifests(crds: Objects, controllers: Objects, webhooks: Objects) -> dict[str, Objects]:
    """Volcano's manifests in the order in which they are applied."""
    return {"crds": crds, "controllers": controllers, "webhooks": webhooks}


@pytest.fixture(scope="session")
def everything(manifests: dict[str, Objects]) -> Objects:
    return [it for objects in manifests.values() for it in objects]


def of_kind(objects: Objects, kind: str) -> dict[str, dict[str, Any]]:
    """Objects of a kind, by name."""
    return {it["metadata"]["name"]: it for it in objects if it["kind"] == kind}
