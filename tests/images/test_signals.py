"""How a job ends when it is told to: torchrun first, then the last copy, then an exit code that says so."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from tests.images.container import JOB, WRITES, Container, checkpoint, end, wait_for


def test_sigterm_reaches_torchrun_and_copies(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", f'trap "touch $SEEN/told; exit 0" TERM; {WRITES}while sleep 0.02; do :; done\n')
    process = container.start(*JOB, **s3)
    wait_for(container.root / "started")
    code, out, _ = end(process)
    assert code == 143
    assert (container.root / "told").exists()
    assert (bucket / "ckpt_30.pt").exists()
    assert "SIGTERM: stopping" in out


def test_a_torchrun_that_does_not_stop_is_killed(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", f'trap "" TERM; {WRITES}while :; do sleep 0.02; done\n')
    process = container.start(*JOB, TRN_GRACE_SECONDS="0.2", **s3)
    wait_for(container.root / "started")
    assert end(process)[0] == 143
    assert (bucket / "ckpt_30.pt").exists()


def test_sigint_is_like_sigterm(container: Container) -> None:
    container.program("torchrun", 'trap "exit 0" INT; touch "$SEEN/started"; while sleep 0.02; do :; done\n')
    process = container.start("trn-job", "torchrun", "script.py")
    wait_for(container.root / "started")
    assert end(process, signal.SIGINT)[0] == 130


def test_sigterm_before_torchrun_starts_ends_the_job(container: Container) -> None:
    container.dataset(container.s3 / "bucket" / "datasets" / "bert")
    process = container.start(
        "trn-job", "torchrun", "script.py", TRN_PROFILE="bert", TRN_DATASETS="s3://bucket/datasets", SLOW="30"
    )
    wait_for(container.root / "calls")
    started = time.monotonic()
    assert end(process)[0] == 143
    assert time.monotonic() - started < 15
    assert not (container.root / "arguments").exists()
