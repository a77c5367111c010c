"""Checkpoints of a job whose durable place is S3: restored, copied while it runs, copied when it is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.images.container import JOB, URI, WAITS, WRITES, Container, checkpoint, end, wait_for
from trn_job.checkpoints import is_complete


def test_the_newest_complete_one_is_restored(container: Container, s3: dict[str, str], bucket: Path) -> None:
    for step in (9, 10, 20):
        checkpoint(bucket / f"ckpt_{step}.pt", cut=step == 20)
    done = container.run(*JOB, **s3)
    assert done.returncode == 0, done.stderr
    local = container.work / "checkpoints"
    assert [path.name for path in local.glob("*.pt")] == ["ckpt_10.pt"]
    assert "--resume_ckpt" in container.arguments
    assert f"{URI}/ckpt_20.pt is incomplete" in done.stdout
    assert not [call for call in container.calls if call.startswith(f"s3 cp {local}")]  # nothing new to copy


def test_a_first_run_finds_none(container: Container, s3: dict[str, str]) -> None:
    assert container.run(*JOB, **s3).returncode == 0
    assert "--resume_ckpt" not in container.arguments


def test_fails_when_it_cannot_tell_whether_there_is_one(container: Container, s3: dict[str, str]) -> None:
    done = container.run(*JOB, FAIL="list-objects", **s3)
    assert done.returncode == 74
    assert "AccessDenied" in done.stderr
    assert not (container.root / "arguments").exists()


def test_new_ones_are_copied_while_it_runs(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES + WAITS)
    process = container.start(*JOB, TRN_COPY_SECONDS="0.05", **s3)
    wait_for(bucket / "ckpt_30.pt")
    assert end(process)[0] == 143


def test_new_ones_and_curves_are_copied_at_the_end(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    checkpoint(container.root / "new" / "ckpt_40.pt", cut=True)
    container.program(
        "torchrun", WRITES + 'mkdir "$OUT/neuron_tblogs"; echo x > "$OUT/neuron_tblogs/events.out.tfevents.1"\n'
    )
    done = container.run(*JOB, **s3)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in bucket.iterdir()] == ["ckpt_30.pt"]
    assert is_complete(bucket / "ckpt_30.pt")
    assert (container.s3 / "bucket/logs/job/neuron_tblogs/events.out.tfevents.1").exists()


def test_a_failure_is_passed_on_after_the_last_copy(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES + "exit 17\n")
    assert container.run(*JOB, **s3).returncode == 17
    assert (bucket / "ckpt_30.pt").exists()


def test_older_ones_are_removed_as_the_script_does(container: Container, s3: dict[str, str], bucket: Path) -> None:
    for step in (10, 20, 99):
        checkpoint(bucket / f"ckpt_{step}.pt")
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES)
    container.run(*JOB, "--resume_step=20", **s3)
    # 99 is of a run that went further; only what is older than the new one goes, beyond two.
    assert sorted(path.name for path in bucket.iterdir()) == ["ckpt_20.pt", "ckpt_30.pt", "ckpt_99.pt"]


def test_all_stay_when_the_job_file_says_so(container: Container, s3: dict[str, str], bucket: Path) -> None:
    for step in (10, 20, 25):
        checkpoint(bucket / f"ckpt_{step}.pt")
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES)
    container.run(*JOB, "--num_ckpts_to_keep=-1", **s3)
    assert len(list(bucket.iterdir())) == 4


def test_removing_older_ones_may_fail(container: Container, s3: dict[str, str], bucket: Path) -> None:
    for step in (10, 20):
        checkpoint(bucket / f"ckpt_{step}.pt")
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES)
    done = container.run(*JOB, FAIL="s3 rm", **s3)
    assert done.returncode == 0
    assert "older checkpoints stay" in done.stderr
    assert len(list(bucket.iterdir())) == 3


def test_fails_when_the_last_copy_fails(container: Container, s3: dict[str, str]) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    container.program("torchrun", WRITES)
    done = container.run(*JOB, FAIL=f"s3 cp {container.work}", **s3)
    assert done.returncode == 74
    assert "the last copy failed" in done.stderr


def test_a_copy_that_fails_is_tried_again(container: Container, s3: dict[str, str], bucket: Path) -> None:
    checkpoint(container.root / "new" / "ckpt_30.pt")
    aws = (container.bin / "aws").read_text()
    once = 'if "ckpt_30.pt" in ARGUMENTS[2] and not (ROOT / "x").exists():\n    (ROOT / "x").touch()\n    sys.exit(1)\n'
    container.s3.mkdir()
    (container.bin / "aws").write_text(aws.replace("time.sleep", once + "time.sleep"))
    container.program("torchrun", WRITES + WAITS)
    process = container.start(*JOB, TRN_COPY_SECONDS="0.05", **s3)
    wait_for(bucket / "ckpt_30.pt")
    code, _, err = end(process)
    assert code == 143
    assert "trying again" in err


@pytest.mark.parametrize("cut", [1, 10, 21, 22, 60])
def test_a_file_that_was_cut_off_is_incomplete(tmp_path: Path, cut: int) -> None:
    path = checkpoint(tmp_path / "ckpt_1.pt")
    assert is_complete(path)
    path.write_bytes(path.read_bytes()[:-cut])
    assert not is_complete(path)


def test_an_empty_file_and_no_file_are_incomplete(tmp_path: Path) -> None:
    (tmp_path / "ckpt_1.pt").touch()
    assert not is_complete(tmp_path / "ckpt_1.pt")
    assert not is_complete(tmp_path / "ckpt_2.pt")
