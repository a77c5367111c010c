"""`trn data stage`: the Job, its progress and its end; tokenizing and uploading."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from syrupy.assertion import SnapshotAssertion

import stage_bert as stage_bert_program
from ops.cluster import JOBS
from ops.data import llama2 as llama2_data
from ops.data.llama2 import KEY_PREFIX, OUT, TOKENIZER_FILES, plan, tokenize, tokenize_command, upload
from ops.data.staging import namespace_for, progress_in, stage_bert
from ops.data.staging_job import DESTINATION, NAME, bert_job
from ops.errors import OpsError, RefusedError, StoppedError, UnfinishedError
from spec.hardware import NEURON_RESOURCE
from spec.names import (
    DATA_PATH,
    LLAMA2_IMAGE,
    SHELL_IMAGE,
    JobEnv,
    Output,
    Prefix,
    StackName,
    repository_uri_output,
)
from tests.conftest import ROOT
from tests.images.test_tokenize import GET_DATASET
from tests.k8s.snapshots import YamlSnapshot
from tests.k8s.validation import VERSIONS, problems
from tests.ops.conftest import BATCH_ONLY, CORE, EKS_ONLY, TeamWriter, Trn, World, WorldMaker, no_pause
from trn_job.datasets import directory
from trn_job.settings import Settings

IMAGE = "repository/shell:sdk2.28.0-r1"
PREFIX = "/apis/batch/v1"
LOG = """\
fetching
{"bytes": 1000, "total": 4000, "percent": 25}
{"bytes": 4000, "total": 4000, "percent": 100}
checked
"""


@pytest.fixture
def bucket(world: World) -> str:
    world.account.client("s3").create_bucket(
        Bucket="ours", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    repositories = {repository_uri_output(name): f"r/{name}" for name in world.team.repositories}
    world.deploy(StackName.STORAGE, {Output.BUCKET_NAME: "ours"} | repositories)
    return "ours"


# BERT ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_the_job_is_one_that_kubernetes_takes(version: str) -> None:
    assert problems([bert_job("bert", IMAGE)], version=version) == []


def test_the_job_needs_no_trainium_and_no_privilege() -> None:
    pod = bert_job("bert", IMAGE)["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert NEURON_RESOURCE not in str(container["resources"])
    (term,) = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "trn-training/node-group", "operator": "DoesNotExist"}]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    assert all("hostPath" not in volume for volume in pod["volumes"])
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert (container["securityContext"]["runAsUser"], container["securityContext"]["runAsGroup"]) == (0, 0)
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_job_runs_a_program_of_its_image_with_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    (container,) = bert_job("bert", IMAGE)["spec"]["template"]["spec"]["containers"]
    interpreter, program, *arguments = container["command"]
    assert interpreter == "python3"
    dockerfile = (ROOT / "images" / SHELL_IMAGE / "Dockerfile").read_text()
    assert f"COPY images/{SHELL_IMAGE}/stage_bert.py {program}\n" in dockerfile
    staged: list[Path] = []

    def stage(place: Path) -> str:
        staged.append(place)
        return ""

    monkeypatch.setattr(stage_bert_program, "stage", stage)
    assert stage_bert_program.main(arguments) == 0
    assert staged == [Path(DATA_PATH, Prefix.DATASETS, "bert")]


def test_snapshot_of_the_job(snapshot: SnapshotAssertion) -> None:
    assert [bert_job("bert", IMAGE)] == snapshot(extension_class=YamlSnapshot)


def test_a_dry_run_prints_the_job(write_team: TeamWriter, trn: Trn) -> None:
    write_team(EKS_ONLY)
    told = trn("data", "stage", "bert", "--team", "ours", "--queue", "vision", "--dry-run")
    assert told.code == 0
    assert yaml.safe_load(told.out) == bert_job("vision", "${RepositoryUriShell}:sdk2.28.0-r1")


@pytest.mark.parametrize(
    ("keys", "queue", "words"),
    [
        (BATCH_ONLY, None, "eks: got nothing"),
        ({key: value for key, value in EKS_ONLY.items() if key != "storage"}, None, "storage.lustre: got none"),
        (EKS_ONLY | {"eks": EKS_ONLY["eks"] | {"queues": []}}, None, "eks.queues: got none"),  # type: ignore[operator]
        (EKS_ONLY, "other", "--queue: got other, expected one of bert, vision"),
    ],
)
def test_where_it_cannot_run(keys: dict[str, Any], queue: str | None, words: str, write_team: TeamWriter) -> None:
    with pytest.raises(RefusedError, match=words):
        namespace_for(write_team(keys), queue)


@pytest.mark.parametrize(
    ("line", "figures"),
    [
        ('{"bytes": 5, "total": 10, "percent": 50}', (5, 10)),
        ('{"bytes": 5, "total": null}', (5, None)),
        ('{"other": 5}', None),
        ("[1]", None),
        ("7", None),
        ("unpacking", None),
    ],
)
def test_progress_in_a_line(line: str, figures: tuple[int, int | None] | None) -> None:
    assert progress_in(line) == figures


def ended(world: World, kind: str, **more: str) -> None:
    """Play Kubernetes: the Job has a pod, and has ended."""
    job = world.kubernetes.objects[PREFIX, "jobs", "bert", NAME]
    job["status"] = {"conditions": [{"type": kind, "status": "True"} | more]}


def job_pod(world: World, phase: str, log: str | None = None, **status: Any) -> None:
    name = f"{NAME}-{phase.lower()}"
    metadata = {"name": name, "namespace": "bert", "labels": {"batch.kubernetes.io/job-name": NAME}}
    body = {
        "metadata": metadata,
        "spec": {"containers": [{"name": NAME, "image": IMAGE}]},
        "status": {"phase": phase} | status,
    }
    world.kubernetes.put(CORE, "pods", body)
    if log is not None:
        world.kubernetes.logs["bert", name] = log


def test_staging_shows_progress_to_the_end(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    api = world.kubernetes.client()

    def play(_: float) -> None:
        if "pods" not in {plural for _, plural, _, _ in world.kubernetes.objects}:
            job_pod(world, "Running", LOG)
        else:
            ended(world, "Complete")

    stage_bert(api, world.team, "bert", IMAGE, play)
    assert world.kubernetes.sent("POST") == [JOBS.path("bert")]
    assert world.kubernetes.requests[1].body == bert_job("bert", IMAGE)
    told = capsys.readouterr().err.splitlines()
    assert told[:2] == ["staging bert: 20 %", "staging bert: 100 %"]
    assert told[-1] == f"staged: {DESTINATION}"


def test_a_running_job_is_attached_to(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.kubernetes.put(PREFIX, "jobs", bert_job("bert", IMAGE))
    job_pod(world, "Running", LOG)
    stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, lambda _: ended(world, "Complete"))
    assert world.kubernetes.sent("POST") == []
    assert capsys.readouterr().err.startswith(f"Job {NAME} in namespace bert runs already\n")


def test_a_job_that_is_done_is_not_run_again(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.kubernetes.put(PREFIX, "jobs", bert_job("bert", IMAGE))
    ended(world, "Complete")
    stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, no_pause)
    assert world.kubernetes.sent("POST") == []
    assert capsys.readouterr().err.startswith(f"staged already: {DESTINATION}; ")


def test_a_failed_job_is_made_anew(world: World) -> None:
    world.kubernetes.put(PREFIX, "jobs", bert_job("bert", IMAGE))
    ended(world, "Failed")
    world.kubernetes.linger = 2

    def play(_: float) -> None:
        world.kubernetes.linger = 0
        if len(world.kubernetes.sent("POST")) == 1:
            ended(world, "Complete")

    stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, play)
    assert (len(world.kubernetes.sent("DELETE")), len(world.kubernetes.sent("POST"))) == (1, 1)


def test_a_failed_job_that_stays_is_said(world: World) -> None:
    world.kubernetes.put(PREFIX, "jobs", bert_job("bert", IMAGE))
    ended(world, "Failed")
    world.kubernetes.linger = 1_000_000
    with pytest.raises(OpsError, match=f"still there after 15 minutes: Job {NAME}"):
        stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, no_pause)


def test_a_team_without_the_image_or_the_file_system_is_refused_before_aws_is_asked(
    write_team: TeamWriter, trn: Trn
) -> None:
    write_team(BATCH_ONLY | {"account": "111122223333"})
    told = trn("data", "stage", "bert", "--team", "ours")
    assert (told.code, "eks: got nothing" in told.err) == (2, True)
    write_team(EKS_ONLY)
    assert trn("data", "stage", "bert", "--team", "ours", "--queue", "no", "--dry-run").code == 2


def test_a_failure_shows_the_last_lines(world: World) -> None:
    def play(_: float) -> None:
        job_pod(world, "Failed", "fetching\nno space left\n")
        ended(world, "Failed", reason="BackoffLimitExceeded", message="too many")

    with pytest.raises(OpsError) as told:
        stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, play)
    assert str(told.value).splitlines() == [
        "staging failed: too many",
        "    fetching",
        "    no space left",
        "Fetch it from the beginning with `trn data stage bert --team ours --queue bert`",
    ]


def test_an_image_that_was_not_pushed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]
    job_pod(world, "Pending", containerStatuses=waiting)
    stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, lambda _: ended(world, "Complete"))
    assert f"ImagePullBackOff: {IMAGE} cannot be pulled; push it: `trn images push ours shell`" in (
        capsys.readouterr().err
    )


def test_ctrl_c_leaves_it_running(world: World) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(StoppedError) as told:
        stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, interrupted)
    assert str(told.value) == (
        f"stopped watching; Job {NAME} in namespace bert goes on. "
        "Watch it again: `trn data stage bert --team ours --queue bert`"
    )
    assert world.kubernetes.names("jobs") == [NAME]


def test_a_researcher_is_told_who_may(world: World, bucket: str, trn: Trn) -> None:
    world.kubernetes.fail(403, method="POST")
    told = trn("data", "stage", "bert", "--team", "ours")
    assert told.code == 1
    assert "trn: not allowed to create a Job in namespace bert: " in told.err
    assert "one of eks.admins" in told.err


def test_a_job_that_is_deleted_meanwhile(world: World) -> None:
    with pytest.raises(OpsError, match="was deleted; start it again"):
        stage_bert(world.kubernetes.client(), world.team, "bert", IMAGE, lambda _: world.kubernetes.objects.clear())


# Llama-2 ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    folder = tmp_path / "tokenized"
    (folder / "train").mkdir(parents=True)
    (folder / "train" / "data-0.arrow").write_bytes(b"a" * 100)
    (folder / "dataset_info.json").write_bytes(b"{}")
    return folder


def test_a_dataset_is_uploaded_below_its_prefix(world: World, bucket: str, tokenized: Path, trn: Trn) -> None:
    told = trn("data", "stage", "llama2", "--team", "ours", "--tokenized", str(tokenized))
    assert told.code == 0
    assert told.err.splitlines()[-1] == f"uploaded: s3://ours/{KEY_PREFIX} (2 files sent, 0 were there)"
    keys = [it["Key"] for it in world.account.client("s3").list_objects_v2(Bucket="ours")["Contents"]]
    assert keys == ["datasets/llama2/dataset_info.json", "datasets/llama2/train/data-0.arrow"]


def test_what_is_there_in_the_same_size_is_not_sent_again(world: World, bucket: str, tokenized: Path) -> None:
    s3 = world.account.client("s3")
    s3.put_object(Bucket="ours", Key=f"{KEY_PREFIX}train/data-0.arrow", Body=b"b" * 100)
    s3.put_object(Bucket="ours", Key=f"{KEY_PREFIX}dataset_info.json", Body=b"{")
    it = plan(world.account, "ours", tokenized)
    assert [key for _, key in it.missing] == [f"{KEY_PREFIX}dataset_info.json"]
    assert (it.there, it.there_bytes, it.total) == (1, 100, 102)


def test_half_an_upload_says_how_to_go_on(
    world: World, bucket: str, tokenized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3 = world.account.client("s3")
    send = s3.upload_file
    outcomes: list[BaseException | None] = [None, KeyboardInterrupt()]

    def upload_file(*arguments: Any, **more: Any) -> None:
        outcome = outcomes.pop(0)
        if outcome:
            raise outcome
        send(*arguments, **more)

    monkeypatch.setattr(s3, "upload_file", upload_file)
    with pytest.raises(StoppedError) as told:
        upload(world.account, world.team, "ours", tokenized)
    again = f"trn data stage llama2 --team ours --tokenized {tokenized}"
    assert str(told.value) == f"stopped: 1 of 2 files are in the bucket. Go on with `{again}`"


def test_an_upload_that_fails_says_how_to_go_on(
    world: World, bucket: str, tokenized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plan(world.account, "ours", tokenized)
    monkeypatch.setattr(llama2_data, "plan", lambda *_: before)
    world.account.client("s3").delete_bucket(Bucket="ours")
    with pytest.raises(UnfinishedError, match="NoSuchBucket") as told:
        upload(world.account, world.team, "ours", tokenized)
    assert "  not done: 2 files" in str(told.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--tokenizer: got nothing"),
        (("--tokenizer", "/nowhere"), f"expected a folder with {TOKENIZER_FILES[0]} or {TOKENIZER_FILES[1]}"),
        (("--tokenized", "/nowhere"), "--tokenized: got /nowhere, expected a folder with the tokenized dataset"),
    ],
)
def test_folders_that_are_not_there(arguments: tuple[str, ...], words: str, bucket: str, trn: Trn) -> None:
    told = trn("data", "stage", "llama2", "--team", "ours", *arguments)
    assert told.code == 2
    assert words in told.err


DOCKER = """\
#!/bin/sh
echo "$@" >> {noted}
case "$1" in
    image) exit {inspect} ;;
    login) cat >> {noted}; exit 0 ;;
    pull) exit {pull} ;;
    info) echo "[{security}]" ;;
    run) /bin/mkdir -p {out}/llama2 && echo tokens > {out}/llama2/tokens.arrow && echo > {out}/llama2/dataset_info.json
        exit {run} ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a tokenizer and a PATH that is empty."""
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "tokenizer" / "tokenizer.model").write_bytes(b"x")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def docker(machine: Path, *, inspect: int = 0, pull: int = 0, run: int = 0, security: str = "name=seccomp") -> Path:
    noted = machine / "noted"
    script = machine / "bin" / "docker"
    values = {"noted": noted, "inspect": inspect, "pull": pull, "run": run, "out": machine / OUT, "security": security}
    script.write_text(DOCKER.format(**values))
    script.chmod(0o755)
    return noted


def test_tokenizing_here_then_uploading(world: World, bucket: str, machine: Path, trn: Trn) -> None:
    noted = docker(machine)
    told = trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer")
    assert told.code == 0
    assert noted.read_text().splitlines()[-1] == (
        "run --rm --init --name trn-tokenize-ours --platform linux/amd64 "
        f"--user {os.getuid()}:{os.getgid()} --env USER=trn "
        f"--mount type=bind,src={machine}/tokenizer,dst=/tokenizer,readonly "
        f"--mount type=bind,src={machine}/{OUT},dst=/out "
        "r/llama2:sdk2.28.0-r1 trn-tokenize /tokenizer /out"
    )
    keys = [it["Key"] for it in world.account.client("s3").list_objects_v2(Bucket="ours")["Contents"]]
    assert keys == [f"{KEY_PREFIX}dataset_info.json", f"{KEY_PREFIX}tokens.arrow"]  # and no tokenizer


def test_a_docker_without_a_root_of_its_own_makes_the_caller_root(
    world: World, bucket: str, machine: Path, trn: Trn
) -> None:
    noted = docker(machine, security="name=seccomp name=rootless")
    assert trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer").code == 0
    assert "--user" not in noted.read_text().splitlines()[-1]


def test_paths_with_colons_and_commas_are_mounted(world: World, machine: Path) -> None:
    docker(machine)
    odd = machine / "a:b,c"
    command = tokenize_command("docker", world.team, "image", odd, machine)
    assert command[command.index("--mount") + 1] == f'type=bind,"src={odd}",dst=/tokenizer,readonly'


def test_ctrl_c_while_tokenizing_stops_the_container(
    world: World, bucket: str, machine: Path, trn: Trn, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = docker(machine)

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(llama2_data, "run", interrupted)
    told = trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer")
    assert told.code == 130
    assert noted.read_text().splitlines()[-1] == "stop trn-tokenize-ours"
    assert "nothing was sent. From the beginning: `trn data stage llama2 --team ours --tokenizer tokenizer`" in told.err


@pytest.mark.usefixtures("bucket")
def test_what_is_made_here_is_found_by_the_job(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """trn-tokenize as docker runs it, the keys of an upload, and the place where the entrypoint looks."""
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "tokenizer" / "tokenizer.model").touch()
    (tmp_path / "get_dataset.py").write_text(GET_DATASET)

    def run(command: list[str]) -> int:
        mounts = [next(csv.reader([line])) for line in command[command.index("--mount") :] if line.startswith("type=")]
        places = {mount[2].removeprefix("dst="): mount[1].removeprefix("src=") for mount in mounts}
        program, *arguments = command[command.index("image") + 1 :]
        line = [str(ROOT / "images" / LLAMA2_IMAGE / program), *(places[it] for it in arguments)]
        variables = os.environ | {"GET_DATASET": str(tmp_path / "get_dataset.py")}
        return subprocess.run(line, env=variables, check=False).returncode

    monkeypatch.setattr(llama2_data, "run", run)
    monkeypatch.setattr(llama2_data, "docker_that_runs", lambda _: "docker")
    monkeypatch.setattr(llama2_data, "ask", lambda _: (0, ""))
    made = tokenize(world.account, world.team, "image", tmp_path / "tokenizer", tmp_path / "out")
    assert made == tmp_path / "out" / "llama2"

    datasets = tmp_path / "datasets"
    for path, key in plan(world.account, "ours", made).missing:
        copied = tmp_path / key
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(path.read_bytes())
    settings = Settings.read({JobEnv.DATASETS: str(datasets)})
    assert directory(settings, LLAMA2_IMAGE, pattern="*.arrow") == str(datasets / LLAMA2_IMAGE)


@pytest.mark.parametrize("arguments", [("--tokenized", "out"), ("--tokenized", "out/llama2.partial")])
def test_a_folder_that_is_not_the_dataset_is_refused(
    arguments: tuple[str, ...], world: World, bucket: str, machine: Path, trn: Trn
) -> None:
    (machine / "out" / "llama2").mkdir(parents=True)
    (machine / "out" / "llama2" / "dataset_info.json").touch()
    (machine / "out" / "llama2.partial").mkdir()
    (machine / "out" / "llama2.partial" / "data.arrow").touch()
    told = trn("data", "stage", "llama2", "--team", "ours", *arguments)
    assert told.code == 2
    assert f"--tokenized: got {arguments[1]}, expected a folder with the tokenized dataset: " in told.err
    assert ("; did you mean out/llama2?" in told.err) is (arguments[1] == "out")
    assert "Contents" not in world.account.client("s3").list_objects_v2(Bucket="ours")


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (EndpointConnectionError(endpoint_url="https://s3"), "Could not connect"),
        (NoCredentialsError(), "no AWS credentials found"),
        (
            ClientError({"Error": {"Code": "ExpiredToken", "Message": "no"}}, "PutObject"),
            "the AWS credentials have expired",
        ),
    ],
)
def test_a_connection_that_is_lost_in_an_upload(
    error: Exception, words: str, world: World, tokenized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(world.account.client("s3"), "upload_file", lost)
    with pytest.raises(UnfinishedError, match=words) as told:
        upload(world.account, world.team, "ours", tokenized)
    assert "  done: 0 files are in the bucket\n  not done: 2 files\nGo on with `trn data" in str(told.value)


def test_an_image_that_was_only_pushed_is_pulled(bucket: str, machine: Path, trn: Trn) -> None:
    noted = docker(machine, inspect=1)
    assert trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer").code == 0
    said = noted.read_text()
    assert "login --username AWS --password-stdin r\n" in said
    assert "pull --platform linux/amd64 r/llama2:sdk2.28.0-r1\n" in said
    assert said.index("pull ") < said.index("run ")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (None, "docker: not found on PATH; tokenizing on this machine needs it"),
        (
            {"inspect": 1, "pull": 1},
            "r/llama2:sdk2.28.0-r1: not on this machine, and not to be pulled; `trn images push",
        ),
        ({"run": 5}, "tokenizing failed: docker ended with exit code 5"),
    ],
)
def test_what_keeps_it_from_tokenizing(
    broken: dict[str, int] | None, words: str, bucket: str, machine: Path, trn: Trn
) -> None:
    if broken is not None:
        docker(machine, **broken)  # type: ignore[arg-type]
    told = trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer")
    assert told.code == 1
    assert words in told.err


def test_a_team_without_a_llama2_image(make_world: WorldMaker, machine: Path, trn: Trn) -> None:
    world = make_world(BATCH_ONLY | {"images": ["bert"]})
    world.deploy(StackName.STORAGE, {Output.BUCKET_NAME: "ours"})
    told = trn("data", "stage", "llama2", "--team", "ours", "--tokenizer", "tokenizer")
    assert told.code == 2
    assert "images: got llama2, expected one of bert" in told.err
