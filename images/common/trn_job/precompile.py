"""Fills the Neuron compile cache before a training job: every node collects graphs, one compiles them.

https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/api-reference-guide/training/pytorch-neuron-parallel-compile.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from trn_job.messages import FAILED, complain, say
from trn_job.supervisor import Supervisor

TOTAL = re.compile(r"Total (successful|failed) compilations: (\d+)")


class Totals:
    """Successful and failed compilations, from the log of neuron_parallel_compile; None until it says so."""

    def __init__(self) -> None:
        self.successful: int | None = None
        self.failed: int | None = None

    def read(self, line: str) -> None:
        found = TOTAL.search(line)
        if found is None:
            return
        if found[1] == "failed":
            self.failed = (self.failed or 0) + int(found[2])
        else:
            self.successful = (self.successful or 0) + int(found[2])


def run(
    supervisor: Supervisor,
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    is_main: bool,
    others: Callable[[], int],
) -> int:
    """Exit code. Nodes that compiled the same graphs at once would break each other's entries in the cache.

    https://github.com/aws-neuron/aws-neuron-sdk/issues/742
    `others` waits until all other nodes have collected theirs, and gives 0 or the exit code to stop with.
    """
    code = supervisor.run(["neuron_parallel_compile", "--command", "collect", *command], environment)
    if code or supervisor.received or not is_main:
        return code
    code = others()
    if code:
        return code
    totals = Totals()
    code = supervisor.run(
        ["neuron_parallel_compile", "--command", "compile", *command], environment, on_line=totals.read
    )
    return code if supervisor.received else verdict(totals, code)


def verdict(totals: Totals, code: int) -> int:
    """Exit code of the job. The tool has exited with 0 after failed compilations in some releases."""
    if totals.failed:
        complain(
            f"{totals.failed} compilations failed, {totals.successful or 0} succeeded; see the compiler's message: "
            "clear the cache entry or set NEURON_CC_FLAGS=--retry_failed_compilation to try again"
        )
        return FAILED
    if code:
        return code
    if totals.failed is None or totals.successful is None:
        complain(
            "neuron_parallel_compile ended without its totals, so nothing tells that the cache is filled: "
            "read its log above, then run precompile again"
        )
        return FAILED
    say(f"{totals.successful} compilations succeeded, none failed")
    return 0
