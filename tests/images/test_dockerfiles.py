"""Rules for every image: what is fetched is pinned, nothing secret goes in, and what is copied is in the context."""

from __future__ import annotations

import re

import pytest

from spec.compatibility import NEURON_SDKS
from spec.names import JOB_COMMAND
from tests.conftest import ROOT
from trn_job.profiles import PROFILES

IMAGES = ROOT / "images"
DOCKERFILES = {path.parent.name: path.read_text().replace("\\\n", " ") for path in IMAGES.glob("*/Dockerfile")}
TRAINING = ("allreduce", "bert", "llama2")
OTHERS = ("shell", "tensorboard")

# The pinned training programs; each was read at that commit.
SAMPLES = "aws-neuron/aws-neuron-samples/2015d650cd89e4c671ae5bd1b5f1d4499d94d4dd"
BERT = f"{SAMPLES}/torch-neuronx/training/dp_bert_hf_pretrain"
LLAMA = "aws-neuron/neuronx-distributed/fbac349b61a3adbb123c2983835af692840ff62f/examples/training/llama"
PROGRAMS = {
    "allreduce": {},
    "bert": {
        f"{BERT}/dp_bert_large_hf_pretrain_hdf5.py": "8cb9bd61592d3a8c0db3844f53a01415c6ac09eab9f33f0dbbc6de5a7891cc43",
        f"{BERT}/lamb.py": "fdd5e1c9efaaa6bda2b3b5d0a1556da07bed42c887c9732b898a8ef4590fe0d0",
    },
    "llama2": {
        f"{LLAMA}/tp_zero1_llama_hf_pretrain/{name}": checksum
        for name, checksum in {
            "tp_zero1_llama_hf_pretrain.py": "c127461bacaf910c72dcb52cb7d4498b832a04922cb1565fc221f653c829815d",
            "logger.py": "1d97f3c7cfc757ec51cf1ea951a65119205443c002bd08fa7f7124f2a8ff4e8d",
            "7B_config_llama2/config.json": "f6e92eec757b4c6fd64de729a5816f77a443b1eb3e6011391385d2c03f538e4e",
        }.items()
    }
    | {
        f"{LLAMA}/modeling_llama_nxd.py": "182a0c12bffa603a57131a81ba482a840e529c67ea714181123890d16cb01301",
        f"{LLAMA}/training_utils.py": "7672fe025e572f2a0012587f2e6fff21068cb95f3c32376e4407dd93749ad80b",
        f"{LLAMA}/lr.py": "e587743a0235ff0c550b02ffa6e74287c7f6aa478dde8e5404d633b476183c51",
        f"{LLAMA}/get_dataset.py": "d755dbba8abcff06ba1eafee442217132f7e4496bc5559d217aab64ad629a2fb",
    },
    "shell": {},
    "tensorboard": {},
}
OF_THE_BASE_IMAGE = r"torch.*|.*neuron.*|numpy|protobuf|nvidia.*|setuptools"


def test_every_image_is_here() -> None:
    assert sorted(DOCKERFILES) == sorted((*TRAINING, *OTHERS))


@pytest.mark.parametrize("image", DOCKERFILES)
def test_programs_are_fetched_by_commit_and_checksum(image: str) -> None:
    found = re.findall(
        r"^ADD --checksum=sha256:([0-9a-f]{64})\s+https://raw\.githubusercontent\.com/(\S+) \S+$",
        DOCKERFILES[image],
        re.MULTILINE,
    )
    assert {url: checksum for checksum, url in found} == PROGRAMS[image]
    assert len(found) == len(re.findall(r"^ADD", DOCKERFILES[image], re.MULTILINE))


def test_upstreams_folders_stay_as_the_script_expects() -> None:
    assert re.search(r"7B_config_llama2/config\.json 7B_config_llama2/$", DOCKERFILES["llama2"], re.MULTILINE)


@pytest.mark.parametrize("image", DOCKERFILES)
@pytest.mark.parametrize(
    "never",
    [r"\b(curl|wget|apt-get|git clone|ADD http)\b", r"latest", r"(?i)secret|token\b|password|access_key|credential"],
)
def test_nothing_else_is_fetched_and_nothing_is_secret(image: str, never: str) -> None:
    instructions = "\n".join(line for line in DOCKERFILES[image].splitlines() if not line.startswith("#"))
    assert not re.search(never, instructions)


@pytest.mark.parametrize("image", DOCKERFILES)
def test_the_syntax_is_pinned(image: str) -> None:
    assert re.match(r"# syntax=docker/dockerfile:1\.\d+\.\d+\n", DOCKERFILES[image])


@pytest.mark.parametrize("image", TRAINING)
def test_training_images_stand_on_the_image_of_the_teams_sdk(image: str) -> None:
    assert re.findall(r"^(?:ARG|FROM) .*$", DOCKERFILES[image], re.MULTILINE) == [
        "ARG BASE_IMAGE",  # no default: the launcher knows the team's
        "FROM ${BASE_IMAGE}",
    ]
    assert not any(str(sdk.training_image_tag) in DOCKERFILES[image] for sdk in NEURON_SDKS.values())


@pytest.mark.parametrize("image", OTHERS)
def test_other_images_stand_on_a_pinned_python(image: str) -> None:
    assert re.search(r"^FROM \S+/python:3\.12\.\d+-slim-bookworm$", DOCKERFILES[image], re.MULTILINE)


@pytest.mark.parametrize("image", TRAINING)
def test_training_images_have_the_entrypoint(image: str) -> None:
    text = DOCKERFILES[image]
    assert f"ln -s /opt/trn/{JOB_COMMAND} /usr/local/bin/{JOB_COMMAND}" in text
    assert f"ENV TRN_PROFILE={image}\n" in text
    assert "USER root\n" in text
    assert "ENTRYPOINT []\n" in text
    assert "HEALTHCHECK NONE\n" in text
    assert "--no-deps" in text


def test_every_profile_has_an_image() -> None:
    assert set(PROFILES) <= set(TRAINING)


@pytest.mark.parametrize("image", OTHERS)
def test_other_images_run_as_the_charts_user(image: str) -> None:
    from k8s_charts.tensorboard import NOBODY

    assert re.findall(r"^USER (.*)$", DOCKERFILES[image], re.MULTILINE)[-1] == f"{NOBODY}:{NOBODY}"


@pytest.mark.parametrize("image", DOCKERFILES)
def test_python_packages_are_pinned_by_hash(image: str) -> None:
    text = (IMAGES / image / "requirements.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    assert [
        line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+(\s+--hash=sha256:[0-9a-f]{64})+\s*", line)
    ] == []
    assert "--require-hashes" in DOCKERFILES[image]


@pytest.mark.parametrize("image", TRAINING)
def test_the_base_images_packages_stay(image: str) -> None:
    names = re.findall(r"^([a-z0-9-]+)==", (IMAGES / image / "requirements.txt").read_text(), re.MULTILINE)
    assert [name for name in names if re.fullmatch(OF_THE_BASE_IMAGE, name)] == []
    assert "python-etcd" in names  # the rendezvous `etcd`
