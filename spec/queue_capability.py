"""How much of the cluster the jobs of one Volcano queue may use together."""

from __future__ import annotations

from collections.abc import Iterable

from spec.hardware import EFA_RESOURCE, NEURON_RESOURCE, Hardware


def queue_capability(neuron_devices: int, rows: Iterable[Hardware]) -> dict[str, int]:
    """Extended resources that go with a number of Neuron devices on node groups of these types.

    A job takes whole nodes, and with them their EFA interfaces; on a mix of types the one with the most interfaces per
    device decides, as too small a number would keep a job out for ever. CPU and memory are never capped: Volcano adds
    up what the pods request, and no share of a machine says what that is.
    https://github.com/volcano-sh/volcano/issues/3426
    """
    interfaces = max((-(-neuron_devices // row.neuron_devices) * row.efa_interfaces for row in rows), default=0)
    efa = {EFA_RESOURCE: interfaces} if interfaces else {}
    return {NEURON_RESOURCE: neuron_devices} | efa
