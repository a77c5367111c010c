"""The all-reduce test in numbers: bandwidths, the lines that rank 0 prints, and what a log of them says.

`python3 report.py < LOG` prints a table. Exit code: 0 all good, 1 wrong or too slow, 2 no result in the log.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

RESULT = "RESULT"


@dataclass(frozen=True, slots=True)
class Measurement:
    """One tensor size. Bandwidths in Gbit/s, the unit of EC2's network figures; nccl-tests prints GB/s, an eighth."""

    bytes: int
    seconds: float
    algbw_gbps: float
    """Tensor size by time."""
    busbw_gbps: float
    """What every rank's link carries: comparable between numbers of ranks.
    https://github.com/NVIDIA/nccl-tests/blob/03a204a1f38aaea17f1a777885bb2d9600ba7eff/doc/PERFORMANCE.md"""


@dataclass(frozen=True, slots=True)
class Result:
    ranks: int
    busbw_gbps: float
    """Of the largest tensor."""
    min_gbps: float | None
    """The user's floor."""
    ok: bool


@dataclass(frozen=True, slots=True)
class Report:
    measurements: tuple[Measurement, ...]
    result: Result | None

    @property
    def exit_code(self) -> int:
        if self.result is None:
            return 2
        return 0 if self.result.ok else 1


def measurement(*, size: int, seconds: float, ranks: int) -> Measurement:
    algorithm = size * 8 / seconds / 1e9
    return Measurement(size, seconds, algorithm, algorithm * 2 * (ranks - 1) / ranks)


def result(measurements: Sequence[Measurement], *, ranks: int, min_gbps: float | None) -> Result:
    largest = max(measurements, key=lambda one: one.bytes)
    return Result(ranks, largest.busbw_gbps, min_gbps, min_gbps is None or largest.busbw_gbps >= min_gbps)


def line(what: Measurement | Result) -> str:
    """One line of output."""
    text = json.dumps(asdict(what))
    return f"{RESULT} {text}" if isinstance(what, Result) else text


def parse(lines: Iterable[str]) -> Report:
    """The report in a log; torchrun's prefixes and other programs' lines are skipped. The last result counts."""
    measurements: dict[int, Measurement] = {}
    last: Result | None = None
    for text in lines:
        found = re.search(rf"({RESULT} )?(\{{.*\}})\s*$", text)
        if found is None:
            continue
        try:
            fields = json.loads(found[2])
            if found[1]:
                last = Result(**fields)
            else:
                one = Measurement(**fields)
                measurements[one.bytes] = one
        except (json.JSONDecodeError, TypeError):
            continue
    return Report(tuple(measurements[size] for size in sorted(measurements)), last)


def table(report: Report) -> str:
    rows = [f"{'bytes':>12} {'ms':>10} {'algbw Gbit/s':>13} {'busbw Gbit/s':>13}"]
    rows += [
        f"{one.bytes:>12} {one.seconds * 1000:>10.3f} {one.algbw_gbps:>13.1f} {one.busbw_gbps:>13.1f}"
        for one in report.measurements
    ]
    return "\n".join([*rows, _verdict(report.result)])


def _verdict(outcome: Result | None) -> str:
    if outcome is None:
        return f"no {RESULT} line: the test did not end, or a rank found a wrong sum; see the log"
    floor = "no floor given" if outcome.min_gbps is None else f"floor {outcome.min_gbps:g}"
    word = "ok" if outcome.ok else "TOO SLOW"
    return f"{word}: {outcome.ranks} ranks, bus bandwidth {outcome.busbw_gbps:.1f} Gbit/s, {floor}"


if __name__ == "__main__":
    found = parse(sys.stdin)
    sys.stdout.write(f"{table(found)}\n")
    sys.exit(found.exit_code)
