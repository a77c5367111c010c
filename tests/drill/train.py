"""The script of the drill: all-reduces over every worker, a checkpoint every few steps, a resume from the newest."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

STEPS = int(sys.argv[1])
STEPS_PER_CHECKPOINT = 5
SECONDS_PER_STEP = 0.1


def newest(folder: Path) -> int:
    """Step of the newest checkpoint; 0 without one."""
    return max((int(path.stem) for path in folder.glob("*.pt")), default=0)


def save(folder: Path, step: int, state: torch.Tensor) -> None:
    """Under another name first: a file that is there is whole."""
    partial = folder / f"{step}.partial"
    torch.save(state, partial)
    partial.rename(folder / f"{step}.pt")


def main() -> None:
    folder = Path(os.environ["TRN_CHECKPOINTS"])
    folder.mkdir(parents=True, exist_ok=True)
    dist.init_process_group("gloo")
    rank, workers = dist.get_rank(), dist.get_world_size()
    first = newest(folder)
    state = torch.load(folder / f"{first}.pt") if first else torch.zeros(1, dtype=torch.int64)
    if rank == 0:
        print(f"DRILL start={first} workers={workers}", flush=True)
    (folder / f"worker-{os.environ['TRN_ATTEMPT']}-{rank}").write_text(str(os.getpid()))
    for step in range(first + 1, STEPS + 1):
        total = torch.tensor([rank + 1])
        dist.all_reduce(total)
        state += total
        if rank == 0:
            print(f"DRILL step={step}", flush=True)
            if step % STEPS_PER_CHECKPOINT == 0:
                save(folder, step, state)
        time.sleep(SECONDS_PER_STEP)
    expected = STEPS * workers * (workers + 1) // 2
    if rank == 0:
        print(f"DRILL end={STEPS} sum={int(state)} expected={expected}", flush=True)
    dist.destroy_process_group()
    sys.exit(int(state) != expected)


main()
