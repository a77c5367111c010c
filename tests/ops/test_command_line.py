"""The command of a container, run: TorchX, the kubelet and a shell stand between a job file and its script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torchx.specs import named_resources

from ops.torchx_component import literal, training
from spec.hardware import EFA_RESOURCE, HARDWARE
from tests.conftest import ROOT
from tests.ops.launches import EFA_ROW, containers, rendered, requested, sample_job, team_of

NASTY = (
    "plain",
    "two words",
    "it's",
    'a "quote"',
    "$HOME",
    "${HOME}",
    "$(TRN_JOB)",
    "$$(TRN_JOB)",
    "$(rm -rf /)",
    "`id`",
    "$$",
    "$",
    "a$",
    "$é",
    "$$$(X)",
    "${app_id}",
    "$app_id $$replica_id",
    "back\\slash\\n",
    "*",
    "~",
    "a;b&c|d>e<f",
    "#no comment",
    "--x=1 --y",
    "",
    "-",
    "{nodes}{",
    "line\nbreak",
    "Ünïcode",
    "${BucketName}",
    "${RepositoryUriBert}",
)
RECORDER = (
    "#!/bin/sh\nexec {python} -c 'import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))' \"$@\"\n"
)


def expanded(text: str, environment: dict[str, str]) -> str:
    """What the kubelet makes of an argument or variable: $(NAME) filled in where NAME is known, $$ taken for $.

    https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
    """

    def replace(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        return environment.get(match[1], match[0])

    return re.sub(r"\$\$|\$\(([^)]*)\)", replace, text)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("trn-job", "torchrun"):
        (folder / name).write_text(RECORDER.format(python=sys.executable))
        (folder / name).chmod(0o755)
    return folder


def executed(command: list[str], environment: dict[str, str], tools: Path) -> tuple[list[str], dict[str, str]]:
    """(arguments, environment) that trn-job gets."""
    everything = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": "/root"} | environment
    done = subprocess.run(command, env=everything, capture_output=True, text=True, check=True, cwd=tools)
    arguments, seen = json.loads(done.stdout)
    return arguments, seen


def asked(folder: Path) -> tuple[Any, Any]:
    job = sample_job("bert-pretrain", EFA_ROW).model_copy(
        update={"args": NASTY, "env": {f"V{i}": v for i, v in enumerate(NASTY)}}
    )
    return job, team_of(EFA_ROW, folder)


def test_arguments_reach_the_script_on_eks_letter_by_letter(tmp_path: Path, tools: Path) -> None:
    job, team = asked(tmp_path)
    for container in containers(rendered(job, team)):
        environment: dict[str, str] = {}
        for it in container["env"]:
            if "value" in it:
                environment[it["name"]] = expanded(it["value"], environment)
        command = [expanded(word, environment) for word in container["command"]]
        arguments, seen = executed(command, environment | {"VC_WORKER_0_HOSTS": "first.job"}, tools)
        assert arguments[0] == "torchrun"
        assert arguments[arguments.index(job.script) + 1 :] == job.arguments(32)
        assert [seen[f"V{i}"] for i in range(len(NASTY))] == [*NASTY]
        host = "localhost" if "TORCHX_RANK0_HOST" in environment else "first.job"
        assert f"--rdzv_endpoint={host}:29500" in arguments


@pytest.mark.parametrize("index", [0, 1])
def test_arguments_reach_the_script_on_batch_letter_by_letter(index: int, tmp_path: Path, tools: Path) -> None:
    job, team = asked(tmp_path)
    request = requested(job, team)
    (override,) = request["nodeOverrides"]["nodePropertyOverrides"]
    environment = {it["name"]: it["value"] for it in override["containerOverrides"]["environment"]}
    batch = {"AWS_BATCH_JOB_NODE_INDEX": str(index)}
    if index:  # Batch does not tell the main node its own address
        batch["AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"] = "10.0.0.1"
    (tools / "hostname").write_text("#!/bin/sh\necho 10.0.0.9 10.0.0.10\n")
    (tools / "hostname").chmod(0o755)
    arguments, seen = executed(override["containerOverrides"]["command"], environment | batch, tools)
    assert arguments[arguments.index(job.script) + 1 :] == job.arguments(32)
    assert [seen[f"V{i}"] for i in range(len(NASTY))] == [*NASTY]
    assert f"--node_rank={index}" in arguments
    assert f"--master_addr={'10.0.0.1' if index else '10.0.0.9'}" in arguments


@pytest.mark.parametrize("text", NASTY)
def test_literal_is_undone_by_macros_and_kubelet(text: str) -> None:
    from torchx.specs import macros

    values = macros.Values(img_root="", app_id="run", replica_id="0", rank0_env="X")
    assert expanded(values.substitute(literal(text)), {"TRN_JOB": "wrong"}) == text


def test_plain_torchx_runs_the_component() -> None:
    """As somebody who knows TorchX would; a workspace would need a Docker daemon even for a dry run."""
    command = [
        str(Path(sys.executable).parent / "torchx"),
        *("run", "--dryrun", "--workspace=", "-s", "kubernetes"),
        *("-cfg", "queue=bert,namespace=bert,service_account=training"),
        "ops/torchx_component.py:training",
        *("--job", "jobs/bert-pretrain.yaml", "--team", "bert", "--image", "registry.example/bert:1"),
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert "exec trn-job torchrun --nnodes=2 --nproc_per_node=32 --rdzv_backend=c10d" in done.stdout
    assert "image: registry.example/bert:1" in done.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "queue: got nothing, expected one of vision, language; the team has several"),
        ({"--queue": "x"}, "queue: got x, expected one of vision, language"),
        ({"--team": "none"}, "team: got none, expected one of"),
        ({"--job": "none.yaml"}, "none.yaml:1: file: got no such file"),
        ({"--queue": "vision", "--teams_dir": "/nowhere"}, "no directory"),
    ],
)
def test_plain_torchx_is_told_what_is_wrong(change: dict[str, str], told: str) -> None:
    options = {"--job": "jobs/allreduce.yaml", "--team": "research", "--image": "r.io/x:1"} | change
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "torchx"),
            *("run", "--dryrun", "--workspace=", "-s", "kubernetes", "-cfg", "queue=vision,namespace=vision"),
            "ops/torchx_component.py:training",
            *(word for option in options.items() for word in option),
        ],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "TEAMS_DIR"} | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_plain_torchx_is_refused_where_it_would_wait_for_ever(tmp_path: Path) -> None:
    """TorchX writes no toleration. https://github.com/meta-pytorch/torchx/issues/753."""
    group = {"name": "trn", "instance_type": EFA_ROW.instance_type, "max": 4, "desired": 0, "taint": True}
    team = team_of(EFA_ROW, tmp_path, node_groups=[group])
    with pytest.raises(SystemExit) as refused:
        training(str(ROOT / "jobs" / "allreduce.yaml"), str(team.path), "r.io/x:1")
    assert refused.value.code == 2


def test_our_counts_are_torchxs() -> None:
    """TorchX names one Trn type; it calls Neuron devices by a name that the device plugin gave up in 2025."""
    theirs, ours = named_resources["aws_trn1.32xlarge"], HARDWARE["trn1.32xlarge"]
    assert (theirs.cpu, theirs.devices[EFA_RESOURCE]) == (ours.vcpus, ours.efa_interfaces)
    assert theirs.devices["aws.amazon.com/neurondevice"] == ours.neuron_devices
