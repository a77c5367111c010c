"""What a process needs of its surroundings before torchrun starts: open files, EFA, a root communicator."""

from __future__ import annotations

import re
import resource
from collections.abc import Mapping
from pathlib import Path

from spec.hardware import EFA_ENVIRONMENT, INFINIBAND_DIRECTORY, UVERBS
from trn_job.messages import say

# 32 workers open more files than the usual 1,024. https://github.com/aws-neuron/aws-neuron-sdk/issues/713
ENOUGH_FILES = 65536
# Programs that close every possible descriptor take minutes with the limits of a billion that some hosts set.
MOST_FILES = 1048576

ROOT_COMMUNICATOR = "NEURON_RT_ROOT_COMM_ID"


def raise_open_files() -> None:
    """Raise the limit on open files as far as the container may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft == resource.RLIM_INFINITY or soft > wanted:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    if wanted < ENOUGH_FILES:
        say(f"warning: at most {wanted} open files, {ENOUGH_FILES} are advised: raise nofile for this container")


def training_environment(environ: Mapping[str, str], *, nodes: int) -> dict[str, str]:
    """The environment for torchrun."""
    result = dict(environ)
    devices = Path(environ.get("TRN_INFINIBAND_DIR", INFINIBAND_DIRECTORY))
    if list(devices.glob(f"{UVERBS}*")):
        result = {**EFA_ENVIRONMENT, **result}
    root = result.get(ROOT_COMMUNICATOR, "")
    if nodes > 1 and _is_local(root):
        # Workers of other nodes would look for the communicator on themselves.
        # https://github.com/ray-project/ray/issues/65070
        say(f"{ROOT_COMMUNICATOR}={root} is unset: {nodes} nodes cannot meet there; the framework chooses")
        del result[ROOT_COMMUNICATOR]
    return result


def _is_local(address: str) -> bool:
    return re.fullmatch(r"\[?(localhost|127(\.\d+){3}|0\.0\.0\.0|::1?)\]?(:\d+)?", address.lower()) is not None
