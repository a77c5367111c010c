"""Job files: what is accepted, and what their user is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from spec.job import Job
from spec.job_file import check_job, load_job
from spec.names import POD_NAME_LIMIT, longest_pod_name
from tests.spec.samples import edited

SAMPLE = """\
name: pretrain
image: bert
script: train.py
nodes: 2
"""

Told = Callable[[str], list[str]]
JobMaker = Callable[[str], Job]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    def tell(text: str) -> list[str]:
        path = tmp_path / "job.yaml"
        path.write_text(text, encoding="utf-8")
        return [str(finding).removeprefix(f"{path}:") for finding in check_job(path)[1]]

    return tell


@pytest.fixture
def job(tmp_path: Path) -> JobMaker:
    def make(text: str) -> Job:
        path = tmp_path / "job.yaml"
        path.write_text(text)
        return load_job(path)

    return make


def test_the_least_that_is_enough(told: Told) -> None:
    assert told(SAMPLE) == []


def test_every_key(told: Told) -> None:
    assert (
        told(
            SAMPLE + "args: ['{grad_accum_usteps}', --x]\nworkers_per_node: 32\n"
            "parallelism: {global_batch_size: 1024, micro_batch_size: 2, tensor_parallel_size: 8}\n"
            "bf16: false\ncache: c\nprecompile: {steps: 10}\nenv: {A: '1'}\nqueue: q\nnode_group: g\n"
            "rendezvous: etcd\nmax_retries: 0\nttl_hours: 1\nshare: s\n"
        )
        == []
    )


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("name: pretrain", "name: Pretrain"), "1: name: got Pretrain, expected a DNS label"),
        (("name: pretrain", "name: 1st"), "1: name: got 1st, expected a DNS label"),
        (("image: bert", "image: org/bert"), "2: image: got org/bert, expected a folder of images/"),
        (("image: bert", "image: a.b/bert:latest"), "2: image: got a.b/bert:latest, expected a folder of images/"),
        (("image: bert", "image: BERT"), "2: image: got BERT, expected a folder of images/"),
        (("script: train.py", "script: ../train.py"), "3: script: got ../train.py, expected a path inside the image"),
        (
            ("script: train.py", "script: ."),
            "3: script: got ., expected the path of a Python script, which ends",
        ),
        (("script: train.py", "script: -c"), "3: script: got -c, expected the path of a Python script"),
        (("nodes: 2", "nodes: 0"), "4: nodes: got 0, expected a whole number from 1 to 1000"),
        (("nodes: 2", "nodes: 2\nargs: [16]"), '5: args.0: got 16 (a number), expected a quoted string such as "16"'),
        (("nodes: 2", "nodes: 2\nenv: {A: 1}"), '5: env.A: got 1 (a number), expected a quoted string such as "1"'),
        (("nodes: 2", "nodes: 2\nenv: {A-B: x}"), "5: env.A-B: got the key A-B, expected the name of an environment"),
        (("nodes: 2", "nodes: 2\nenv: {TRN_JOB: x}"), "5: env.TRN_JOB: got the key TRN_JOB, expected a variable that"),
        (
            ("nodes: 2", "nodes: 2\nenv: {RANK: x}"),
            "5: env.RANK: got the key RANK, expected another variable: torchrun",
        ),
        (("nodes: 2", "nodes: 2\ncach: x"), "5: cach: got an unknown key, expected one of name, "),
        (("nodes: 2", "nodes: 2\npath: x"), "5: path: got an unknown key, expected one of name, "),
    ],
)
def test_wrong_values(told: Told, change: tuple[str, str], line: str) -> None:
    (finding,) = told(edited(SAMPLE, change))
    assert finding.startswith(line)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("precompile: {steps: 3}\n", "5: precompile: got precompile without cache, expected cache: NAME"),
        ("args: ['{nope}']\n", "5: args.0: got {nope}, expected text, or one of {nodes}, "),
        ("args: ['--x={grad_accum_usteps}']\n", "5: args.0: got --x={grad_accum_usteps}, expected parallelism"),
        ("args: [--rdzv_id=1]\n", "5: args.0: got --rdzv_id=1, expected an argument of the script, not of torchrun"),
        ("args: [--rdzv-endpoint, x]\n", "5: args.0: got --rdzv-endpoint, expected an argument of the script"),
        (
            "env: {NEURON_RT_ROOT_COMM_ID: 'localhost:48620'}\n",
            "5: env.NEURON_RT_ROOT_COMM_ID: got localhost:48620, expected no such variable",
        ),
        (
            "workers_per_node: 32\nparallelism: {global_batch_size: 1012, tensor_parallel_size: 8}\n",
            "4: nodes: got 2, expected a number that divides global_batch_size 1012 evenly with 32 workers",
        ),
        ("max_retries: 2\n", "5: warning: max_retries: got 2, expected 0, unless the script resumes by itself"),
    ],
)
def test_rules(told: Told, more: str, line: str) -> None:
    (finding,) = told(SAMPLE + more)
    assert finding.startswith(line)


def test_a_secret_is_refused_and_not_repeated(told: Told) -> None:
    (finding,) = told(SAMPLE + "env: {HF_TOKEN: hf_abc, TOKENIZERS_PARALLELISM: 'false'}\n")
    assert finding.startswith("5: env.HF_TOKEN: got the key HF_TOKEN, expected a variable without a secret")
    assert "hf_abc" not in finding


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("env: {NEURON_RT_ROOT_COMM_ID: localhost}", "env.NEURON_RT_ROOT_COMM_ID"),
        ("env: {NEURON_RT_ROOT_COMM_ID: 'Localhost:1'}", "env.NEURON_RT_ROOT_COMM_ID"),
        ("env: {NEURON_RT_ROOT_COMM_ID: '0.0.0.0:5'}", "env.NEURON_RT_ROOT_COMM_ID"),
        ("env: {NEURON_RT_ROOT_COMM_ID: '[::1]:41000'}", "env.NEURON_RT_ROOT_COMM_ID"),
        ("env: {FI_PROVIDER: tcp}", "env.FI_PROVIDER"),
        ("env: {NEURON_CC_FLAGS: '--model-type transformer --cache_dir=/tmp/x'}", "env.NEURON_CC_FLAGS"),
        ("env: {PET_STANDALONE: '1'}", "env.PET_STANDALONE"),
        ("env: {LOGLEVEL: ERROR}", "env.LOGLEVEL"),
        ("env: {NODE_RANK: '0'}", "env.NODE_RANK"),
        ("env: {hf_token: x}", "env.hf_token"),
        ("args: ['--a={grad_accum_stps}']", "args.0"),
        ('args: ["a\\0b"]', "args.0"),
        ('env: {A: "a\\0b"}', "env.A"),
    ],
)
def test_what_would_go_past_the_launcher(told: Told, more: str, key: str) -> None:
    (finding,) = told(f"{SAMPLE}{more}\n")
    assert finding.startswith(f"5: {key}: got ")


def test_braces_of_the_script_s_own_stay(told: Told) -> None:
    assert told(SAMPLE + "args: ['--format={asctime} {message}', '{{nodes}}', '{\"a\": 1}']\n") == []


def test_an_empty_file(told: Told) -> None:
    assert told("") == ["1: file: got an empty file, expected at least the keys name, image, script and nodes"]


def test_one_node_may_talk_to_itself(told: Told) -> None:
    text = edited(SAMPLE, ("nodes: 2", "nodes: 1")) + "env: {NEURON_RT_ROOT_COMM_ID: 'localhost:48620'}\n"
    assert told(text) == []


@pytest.mark.parametrize(("nodes", "precompile"), [(1, False), (2, True), (1000, True), (11, False)])
def test_the_longest_name_that_fits_a_pod(told: Told, nodes: int, precompile: bool) -> None:
    app = "-precompile" if precompile else ""
    longest = POD_NAME_LIMIT - len(longest_pod_name(app, nodes))
    more = "cache: c\nprecompile: {steps: 1}\n" if precompile else ""
    text = edited(SAMPLE, ("nodes: 2", f"nodes: {nodes}")) + more
    assert told(edited(text, ("name: pretrain", f"name: {'x' * longest}"))) == []
    (finding,) = told(edited(text, ("name: pretrain", f"name: {'x' * (longest + 1)}")))
    assert f"expected at most {longest} characters" in finding


def test_a_name_that_is_too_long_is_told_so(told: Told) -> None:
    (finding,) = told(edited(SAMPLE, ("name: pretrain", f"name: {'x' * 80}")))
    assert "(80 characters), expected at most 37 characters" in finding


def test_placeholders_follow_the_nodes(job: JobMaker) -> None:
    text = SAMPLE + (
        "parallelism: {global_batch_size: 1024, tensor_parallel_size: 8}\n"
        "args: ['--a={grad_accum_usteps}', '{data_parallel_size}/{world_size}', '{nodes}x{workers_per_node}',"
        " '{}', '{x}y']\n"
    )
    assert job(text).arguments(32) == ["--a=128", "8/64", "2x32", "{}", "{x}y"]
    four = edited(text, ("nodes: 2", "nodes: 4"))
    assert job(four).arguments(32)[:2] == ["--a=64", "16/128"]


def test_the_tutorials_numbers() -> None:
    """4 nodes: gradient accumulation 64; 16 nodes: 16. Three nodes do not divide the batch."""
    llama2 = load_job(Path(__file__).parents[2] / "jobs" / "llama2-7b.yaml")
    assert llama2.parallelism is not None
    assert "--grad_accum_usteps=64" in llama2.arguments(32)
    assert "--grad_accum_usteps=16" in llama2.model_copy(update={"nodes": 16}).arguments(32)
    assert not llama2.parallelism.divides(3 * 32)


def test_wrong_values_do_not_hide_rules(told: Told) -> None:
    findings = told(edited(SAMPLE, ("image: bert", "image: BERT")) + "args: [--nnodes=2]\n")
    assert [finding.split(" got ")[0] for finding in findings] == ["2: image:", "5: args.0:"]
