"""What trn-job adds to BERT's command line, and where its checkpoints are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.images.container import Container, checkpoint


@pytest.fixture
def lustre(container: Container) -> dict[str, str]:
    """Environment of a job with a shared file system."""
    data = container.root / "data"
    container.dataset(data / "datasets" / "bert")
    return {
        "TRN_PROFILE": "bert",
        "TRN_DATASETS": str(data / "datasets"),
        "TRN_CHECKPOINTS": str(data / "checkpoints" / "job"),
        "TRN_LOGS": str(data / "logs" / "job"),
    }


@pytest.fixture
def checkpoints(lustre: dict[str, str]) -> Path:
    return Path(lustre["TRN_CHECKPOINTS"])


def test_a_first_run_starts_from_nothing(container: Container, lustre: dict[str, str], checkpoints: Path) -> None:
    done = container.job(**lustre)
    assert done.returncode == 0, done.stderr
    assert container.arguments == [
        "script.py",
        f"--data_dir={lustre['TRN_DATASETS']}/bert",
        f"--output_dir={checkpoints}",
        "--shards_per_ckpt=1",
        "--num_ckpts_to_keep=2",
    ]
    assert checkpoints.is_dir()
    assert container.calls == []


def test_what_the_job_file_says_stays(container: Container, lustre: dict[str, str]) -> None:
    given = ["--data_dir", "/mine", f"--output_dir={container.root}/out", "--shards_per_ckpt=7", "--enable_fp32"]
    container.job(*given, "--num_ckpts_to_keep", "-1", TRN_BF16="0", **lustre)
    assert container.arguments == ["script.py", *given, "--num_ckpts_to_keep", "-1"]


def test_full_precision_is_asked_for(container: Container, lustre: dict[str, str]) -> None:
    container.job(TRN_BF16="0", **lustre)
    assert "--enable_fp32" in container.arguments


def test_resumes_where_there_is_a_complete_checkpoint(
    container: Container, lustre: dict[str, str], checkpoints: Path
) -> None:
    checkpoint(checkpoints / "ckpt_90.pt")
    checkpoint(checkpoints / "ckpt_100.pt")  # newest by step, not by name
    done = container.job(**lustre)
    assert container.arguments[-1] == "--resume_ckpt"
    assert f"newest complete checkpoint: {checkpoints}/ckpt_100.pt" in done.stdout


def test_an_incomplete_checkpoint_is_set_aside_not_deleted(
    container: Container, lustre: dict[str, str], checkpoints: Path
) -> None:
    checkpoint(checkpoints / "ckpt_100.pt")
    size = checkpoint(checkpoints / "ckpt_200.pt", cut=True).stat().st_size
    done = container.job(**lustre)
    assert container.arguments[-1] == "--resume_ckpt"
    assert sorted(path.name for path in checkpoints.iterdir()) == ["ckpt_100.pt", "ckpt_200.pt.partial"]
    assert (checkpoints / "ckpt_200.pt.partial").stat().st_size == size
    assert "ckpt_200.pt is incomplete" in done.stdout


def test_an_incomplete_checkpoint_alone_is_no_reason_to_resume(
    container: Container, lustre: dict[str, str], checkpoints: Path
) -> None:
    checkpoint(checkpoints / "ckpt_200.pt", cut=True)
    assert container.job(**lustre).returncode == 0
    assert "--resume_ckpt" not in container.arguments


def test_only_the_main_node_renames_on_a_shared_file_system(
    container: Container, lustre: dict[str, str], checkpoints: Path
) -> None:
    checkpoint(checkpoints / "ckpt_200.pt", cut=True)
    container.job(TRN_NODES="2", TORCHX_RANK0_HOST="other", **lustre)
    assert (checkpoints / "ckpt_200.pt").exists()
    assert "--resume_ckpt" not in container.arguments


@pytest.mark.parametrize("choice", ["--resume_ckpt_path=/x/ckpt_5.pt", "--resume_step=5"])
def test_a_choice_of_checkpoint_is_the_users(
    container: Container, lustre: dict[str, str], checkpoints: Path, choice: str
) -> None:
    checkpoint(checkpoints / "ckpt_100.pt")
    container.job(choice, **lustre)
    assert "--resume_ckpt" not in container.arguments


def test_tensorboard_finds_the_curves_beside_the_checkpoints(
    container: Container, lustre: dict[str, str], checkpoints: Path
) -> None:
    for _ in range(2):  # the second run finds the link
        assert container.job(**lustre).returncode == 0
    assert (Path(lustre["TRN_LOGS"]) / "run").resolve() == checkpoints


def test_without_storage_the_loss_is_told(container: Container) -> None:
    done = container.job("--data_dir=/mine", TRN_PROFILE="bert")
    assert done.returncode == 0
    assert f"--output_dir={container.work}/checkpoints" in container.arguments
    assert done.stdout.count("checkpoints stay in the container and are lost with it") == 1


@pytest.mark.parametrize(("profile", "pattern"), [("bert", "*.hdf5"), ("llama2", "*.arrow")])
def test_fails_without_a_dataset(container: Container, profile: str, pattern: str) -> None:
    done = container.job(TRN_PROFILE=profile, TRN_DATASETS=str(container.root))
    assert done.returncode == 78
    assert f"dataset {profile}: got no {pattern} in {container.root}/{profile}" in done.stderr
    assert "trn data stage" in done.stderr
    done = container.job(TRN_PROFILE=profile)
    assert done.returncode == 78
    assert f"dataset {profile}: got no shared storage" in done.stderr


def test_a_dataset_in_s3_is_copied_first(container: Container) -> None:
    container.dataset(container.s3 / "bucket" / "datasets" / "bert")
    done = container.job(TRN_PROFILE="bert", TRN_DATASETS="s3://bucket/datasets")
    local = container.work / "datasets" / "bert"
    assert done.returncode == 0, done.stderr
    assert f"--data_dir={local}" in container.arguments
    assert list(local.glob("*.hdf5"))
    assert f"copying s3://bucket/datasets/bert/ to {local}" in done.stdout


def test_fails_when_the_dataset_cannot_be_copied(container: Container) -> None:
    done = container.job(TRN_PROFILE="bert", TRN_DATASETS="s3://bucket/datasets", FAIL="sync")
    assert done.returncode == 74
    assert "s3://bucket/datasets/bert: aws exited with 254" in done.stderr


def test_fails_without_the_aws_cli(container: Container) -> None:
    (container.bin / "aws").unlink()
    done = container.job("--data_dir=/mine", TRN_PROFILE="bert", TRN_CHECKPOINTS="s3://bucket/checkpoints/job")
    assert done.returncode == 127
    assert "the AWS CLI is not in this image" in done.stderr
