"""What trn-job adds to Llama-2's command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.images.container import Container


@pytest.fixture
def lustre(container: Container) -> dict[str, str]:
    data = container.root / "data"
    container.dataset(data / "datasets" / "llama2", "data-00000-of-00001.arrow")
    return {
        "TRN_PROFILE": "llama2",
        "TRN_DATASETS": str(data / "datasets"),
        "TRN_CHECKPOINTS": str(data / "checkpoints" / "job"),
        "TRN_LOGS": str(data / "logs" / "job"),
    }


def test_a_run_on_a_shared_file_system(container: Container, lustre: dict[str, str]) -> None:
    done = container.job(**lustre)
    assert done.returncode == 0, done.stderr
    assert container.arguments == [
        "script.py",
        "--model_path=7B_config_llama2",
        f"--data_dir={lustre['TRN_DATASETS']}/llama2",
        "--use_mix_precision",
        f"--output_dir={lustre['TRN_LOGS']}",
        f"--checkpoint_dir={lustre['TRN_CHECKPOINTS']}",
        "--checkpoint_freq=100",
        "--num_kept_checkpoint=2",
        "--loading_step=latest_if_exists",
        "--steps_this_run=-1",
    ]
    assert Path(lustre["TRN_CHECKPOINTS"]).is_dir()
    assert Path(lustre["TRN_LOGS"]).is_dir()


def test_checkpoints_go_to_s3_directly_and_curves_are_copied(container: Container) -> None:
    container.dataset(container.s3 / "bucket" / "datasets" / "llama2", "data-00000-of-00001.arrow")
    container.program("torchrun", 'printf "%s\\n" "$@" > "$SEEN/arguments"; echo x > "$SEEN/work/logs/a.tfevents.1"\n')
    done = container.job(
        TRN_PROFILE="llama2",
        TRN_DATASETS="s3://bucket/datasets",
        TRN_CHECKPOINTS="s3://bucket/checkpoints/job",
        TRN_LOGS="s3://bucket/logs/job",
    )
    assert done.returncode == 0, done.stderr
    assert "--checkpoint_dir=s3://bucket/checkpoints/job" in container.arguments
    assert f"--output_dir={container.work}/logs" in container.arguments
    assert (container.s3 / "bucket/logs/job/a.tfevents.1").exists()
    assert not (container.root / "s3:").exists()


def test_what_the_job_file_says_stays(container: Container, lustre: dict[str, str]) -> None:
    given = [
        "--model_path=/m",
        "--data_dir=/d",
        f"--output_dir={container.root}/o",
        f"--checkpoint_dir={container.root}/c",
        "--checkpoint_freq=5",
        "--num_kept_checkpoint=-1",
        "--loading_step=40",
        "--steps_this_run=9",
    ]
    container.job(*given, TRN_BF16="0", **lustre)
    assert container.arguments == ["script.py", *given]


def test_compiler_flags_are_the_same_in_precompile_and_training(container: Container, lustre: dict[str, str]) -> None:
    names = ("NEURON_CC_FLAGS", "NEURON_FUSE_SOFTMAX", "MALLOC_ARENA_MAX", "NEURON_COMPILE_CACHE_URL")
    container.program("neuron_parallel_compile", 'env > "$SEEN/environment"\necho "Total failed compilations: 0"\n')
    found = []
    for steps in ("", "10"):
        container.job(TRN_PRECOMPILE_STEPS=steps, NEURON_COMPILE_CACHE_URL="s3://bucket/cache", **lustre)
        found.append([container.seen[name] for name in names])
    assert found[0] == found[1] == ["--model-type transformer", "1", "64", "s3://bucket/cache"]


def test_compiler_flags_of_the_job_file_win(container: Container, lustre: dict[str, str]) -> None:
    container.job(NEURON_CC_FLAGS="--optlevel=1", **lustre)
    assert container.seen["NEURON_CC_FLAGS"] == "--optlevel=1"
