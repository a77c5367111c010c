"""All-reduce between every rank of a torchrun job: first whether sums are right, then how fast they come.

Exit code 1 for a wrong sum on any rank, or a bus bandwidth of the largest tensor below --min-gbps.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import report

FLOAT_BYTES = 4


class Group(Protocol):
    """The ranks of the job, and what they can do together."""

    rank: int
    ranks: int

    def is_right(self, count: int) -> bool:
        """Whether the sum of `count` different numbers is right in every place on this rank."""

    def seconds(self, count: int, iterations: int) -> float:
        """Time of one all-reduce of `count` numbers, the mean of `iterations`."""


class TorchGroup:
    """`backend`: xla on Trainium, gloo on any machine that has PyTorch."""

    def __init__(self, backend: str) -> None:
        import torch
        import torch.distributed as dist

        self._torch: Any = torch
        self._dist: Any = dist
        device, self._wait = _xla() if backend == "xla" else (lambda: "cpu", lambda: None)
        dist.init_process_group(backend)
        self._device = device()
        self.rank = dist.get_rank()
        self.ranks = dist.get_world_size()

    def is_right(self, count: int) -> bool:
        # Places differ, so a shifted or repeated part shows; all sums are exact in 32-bit floats.
        places = self._torch.arange(count, dtype=self._torch.float32) % 251
        tensor = (places + self.rank + 1).to(self._device)
        self._dist.all_reduce(tensor)
        self._wait()
        expected = places * self.ranks + self.ranks * (self.ranks + 1) // 2
        return bool((tensor.cpu() == expected).all())

    def seconds(self, count: int, iterations: int) -> float:
        tensor = self._torch.zeros(count, dtype=self._torch.float32).to(self._device)  # stays zero however often
        self._dist.all_reduce(tensor)
        self._wait()  # compiled and connected from here on
        started = time.perf_counter()
        for _ in range(iterations):
            self._dist.all_reduce(tensor)
            self._wait()
        return (time.perf_counter() - started) / iterations


def _xla() -> tuple[Callable[[], Any], Callable[[], None]]:
    """Function that gives the device, and one that waits until it has done what it was told."""
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.xla_backend  # noqa: F401 - registers the backend

    def wait() -> None:
        xm.mark_step()
        xm.wait_device_ops()

    return xm.xla_device, wait


def sizes(smallest: int, largest: int) -> Iterator[int]:
    """Tensor sizes in bytes, each four times the one before; the largest is always among them."""
    size = smallest
    while size < largest:
        yield size
        size *= 4
    yield largest


def run(group: Group, arguments: argparse.Namespace) -> int:
    """Exit code of this rank."""
    steps = [size // FLOAT_BYTES for size in sizes(arguments.min_bytes, arguments.max_bytes)]
    for count in steps:
        if not group.is_right(count):
            sys.stderr.write(f"rank {group.rank}: wrong sum of {count} numbers over {group.ranks} ranks\n")
            return 1
    measurements = []
    for count in steps:
        seconds = group.seconds(count, arguments.iterations)
        measurements.append(report.measurement(size=count * FLOAT_BYTES, seconds=seconds, ranks=group.ranks))
        _tell(group, measurements[-1])
    if group.rank != 0:
        return 0  # ranks measure slightly different times; rank 0 decides
    outcome = report.result(measurements, ranks=group.ranks, min_gbps=arguments.min_gbps)
    _tell(group, outcome)
    return 0 if outcome.ok else 1


def _tell(group: Group, what: report.Measurement | report.Result) -> None:
    if group.rank == 0:
        sys.stdout.write(f"{report.line(what)}\n")
        sys.stdout.flush()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Correctness, then bandwidth, of all-reduce between all ranks.")
    parser.add_argument("--backend", choices=("xla", "gloo"), default="xla")
    parser.add_argument("--min-gbps", type=float, help="floor on bus bandwidth of the largest tensor, Gbit/s")
    parser.add_argument("--min-bytes", type=int, default=2**20)
    parser.add_argument("--max-bytes", type=int, default=2**28)
    parser.add_argument("--iterations", type=int, default=20)
    given = parser.parse_args(arguments)
    if not FLOAT_BYTES <= given.min_bytes <= given.max_bytes or given.iterations < 1:
        parser.error(f"expected {FLOAT_BYTES} <= --min-bytes <= --max-bytes and at least one iteration")
    return given


if __name__ == "__main__":
    options = parse(sys.argv[1:])
    sys.exit(run(TorchGroup(options.backend), options))
