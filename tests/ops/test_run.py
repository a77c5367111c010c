"""`trn run` against an account that moto plays and a cluster's API on loopback: what is sent, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from botocore.exceptions import EndpointConnectionError, NoCredentialsError
from botocore.parsers import ResponseParserError
from botocore.stub import ANY, Stubber
from kubernetes import client
from urllib3.exceptions import HTTPError

import ops.aws
import ops.launch.run_batch
import ops.launch.run_eks
from ops.aws import Outputs
from ops.cli import run
from ops.cluster import find
from ops.launch.yaml_text import to_yaml
from ops.watch.eks_logs import EksLogs
from spec.hardware import NEURON_RESOURCE
from spec.names import JobLabel, Output, StackName, job_definition_arn_output, repository_uri_output
from tests.account.kubernetes_api import KubernetesApi
from tests.conftest import ROOT
from tests.ops.conftest import BATCH_ONLY, BOTH, EKS_ONLY, SCHEDULING, VOLCANO, TeamWriter, World, WorldMaker
from tests.ops.launches import fixed_suffix

BERT = str(ROOT / "jobs" / "bert-pretrain.yaml")
RUN = "bert-pretrain-xxxxxxxxxxxxxx"
MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
PRECOMPILE = "bert-pretrain-precompile-xxxxxxxxxxxxxx"
JOBS = f"{VOLCANO}/namespaces/bert/jobs"


@pytest.fixture(autouse=True)
def no_chance() -> Iterator[None]:
    with fixed_suffix():
        yield


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ops.launch.run_eks, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(ops.launch.run_eks, "WATCH_SECONDS", 0)


def deploy(world: World, *, pushed: bool = True) -> World:
    """The stacks that a launch reads, and the queues."""
    repository = world.account.client("ecr").create_repository(repositoryName="ours-bert")["repository"]
    if pushed:
        world.account.client("ecr").put_image(
            repositoryName="ours-bert",
            imageManifest=json.dumps(
                {"schemaVersion": 2, "mediaType": MANIFEST, "config": {"digest": "sha256:0"}, "layers": []}
            ),
            imageTag=world.team.image_tag,
        )
    world.deploy(
        StackName.STORAGE,
        {Output.BUCKET_NAME: "ours-bucket", repository_uri_output("bert"): repository["repositoryUri"]},
    )
    for queue, devices in (("bert", 32), ("vision", 16)):
        world.kubernetes.put(
            SCHEDULING,
            "queues",
            {
                "metadata": {"name": queue},
                "spec": {"capability": {NEURON_RESOURCE: str(devices)}},
                "status": {"state": "Open"},
            },
        )
    return world


@pytest.fixture
def eks(make_world: WorldMaker) -> World:
    return deploy(make_world(EKS_ONLY))


def start(world: World, *more: str) -> int:
    return run(["run", BERT, "--team", str(world.team.path), "--queue", "bert", *more])


def posted(api: KubernetesApi) -> list[Any]:
    return [request.body for request in api.requests if request.method == "POST"]


def test_what_the_dry_run_shows_is_what_is_sent(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(eks, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert posted(eks.kubernetes) == []
    assert start(eks) == 0
    assert capsys.readouterr().out == f"{RUN}\n"
    uri = eks.values[repository_uri_output("bert")]
    assert posted(eks.kubernetes) == [yaml.safe_load(shown.replace("${RepositoryUriBert}", uri))]
    assert eks.kubernetes.sent("POST") == [JOBS]


def test_a_dry_run_needs_no_account(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def no_client(*_: Any, **__: Any) -> None:
        raise AssertionError("a client was made")

    monkeypatch.setattr("boto3.Session.client", no_client)
    for arguments in ((BERT, "--team", "bert"), (str(ROOT / "jobs/llama2-7b.yaml"), "--team", "llama2")):
        assert run(["run", *arguments, "--dry-run", "--precompile"]) == 0
    assert capsys.readouterr().out.count("-precompile") > 1


def test_training_waits_for_the_precompile_run(eks: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def compiled(_: float) -> None:
        seen.append(eks.kubernetes.names("jobs")[0])
        eks.kubernetes.objects[(VOLCANO, "jobs", "bert", PRECOMPILE)]["status"] = {"state": {"phase": "Completed"}}

    monkeypatch.setattr(ops.launch.run_eks, "sleep", compiled)
    assert start(eks, "--precompile") == 0
    assert seen == [PRECOMPILE]
    assert [body["metadata"]["name"] for body in posted(eks.kubernetes)] == [PRECOMPILE, RUN]


def test_a_precompile_run_is_looked_at_soon_and_then_less_often(eks: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 5:
            run = eks.kubernetes.objects[(VOLCANO, "jobs", "bert", PRECOMPILE)]
            run["status"] = {"state": {"phase": "Completed"}}

    monkeypatch.setattr(ops.launch.run_eks, "WATCH_SECONDS", 3)
    monkeypatch.setattr(ops.launch.run_eks, "sleep", pause)
    assert start(eks, "--precompile") == 0
    assert pauses == [1, 2, 3, 3, 3]


@pytest.mark.parametrize("phase", ["Failed", "Terminated", "Aborted"])
def test_no_training_after_a_failed_precompile_run(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], phase: str
) -> None:
    def failed(_: float) -> None:
        eks.kubernetes.objects[(VOLCANO, "jobs", "bert", PRECOMPILE)]["status"] = {"state": {"phase": phase}}

    monkeypatch.setattr(ops.launch.run_eks, "sleep", failed)
    assert start(eks, "--precompile") == 1
    told = capsys.readouterr().err
    assert f"trn: precompile run {PRECOMPILE} ended as {phase}\n  not done: training run of bert-pretrain\n" in told
    assert len(posted(eks.kubernetes)) == 1


def test_ctrl_c_while_compiling_says_how_to_go_on(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ops.launch.run_eks, "sleep", interrupt)
    assert start(eks, "--precompile") == 130
    told = capsys.readouterr().err
    assert f"done: precompile run {PRECOMPILE} submitted; it goes on" in told
    assert "starts training" in told


def test_a_cache_in_use_is_refused_before_anything_is_sent(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    running = eks.volcano_job("other-run", job="other")
    running["metadata"]["labels"][JobLabel.CACHE] = "bert-large"
    assert start(eks) == 2
    told = capsys.readouterr().err
    assert "cache: got bert-large, which run other-run (other, Running) uses, expected a cache that no run uses" in told
    assert posted(eks.kubernetes) == []
    running["status"]["state"]["phase"] = "Completed"
    assert start(eks) == 0


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        ({"status": {"state": "Closed"}}, 2, "queue bert: got Closed, expected Open"),
        (
            {"spec": {"capability": {NEURON_RESOURCE: "16"}}},
            2,
            "nodes: got 2, which take 32 Neuron devices, expected at most",
        ),
        (None, 1, "queue bert: not in the cluster; run `.venv/bin/cdk deploy 'ours/*'` first"),
    ],
)
def test_the_deployed_queue_counts(
    eks: World, capsys: pytest.CaptureFixture[str], change: dict[str, Any] | None, code: int, text: str
) -> None:
    key = (SCHEDULING, "queues", "", "bert")
    if change is None:
        del eks.kubernetes.objects[key]
    else:
        eks.kubernetes.objects[key] |= change
    assert start(eks) == code
    assert text in capsys.readouterr().err
    assert posted(eks.kubernetes) == []


def test_an_image_that_nobody_pushed_is_refused(make_world: WorldMaker, capsys: pytest.CaptureFixture[str]) -> None:
    world = deploy(make_world(EKS_ONLY), pushed=False)
    assert start(world) == 2
    told = capsys.readouterr().err
    assert (
        f"image bert: the repository has no tag {world.team.image_tag}; run `trn images push ours bert` first" in told
    )
    assert posted(world.kubernetes) == []


def test_a_webhook_that_starts_is_waited_for(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    away = 'failed calling webhook "mutatejob.volcano.sh": no endpoints available for service'
    eks.kubernetes.fail(500, method="POST", times=2, message=away)
    assert start(eks) == 0
    assert capsys.readouterr().err.count("Volcano's webhook does not answer; trying again") == 2
    assert len(eks.kubernetes.names("jobs")) == 1


def test_a_webhook_that_stays_away_is_said(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ops.launch.run_eks, "WEBHOOK_SECONDS", 0)
    eks.kubernetes.fail(500, method="POST", message="failed calling webhook: connection refused")
    assert start(eks) == 1
    told = capsys.readouterr().err
    assert "Volcano's webhook has not answered" in told
    assert "nothing was submitted" in told


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, "the cluster does not know this IAM identity"),
        (403, "not allowed: no; researchers of a queue work in its namespace only"),
        (429, "the cluster's API keeps refusing requests"),
    ],
)
def test_what_the_cluster_answers_is_explained(
    eks: World, capsys: pytest.CaptureFixture[str], status: int, text: str
) -> None:
    eks.kubernetes.fail(status, method="POST", message="no")
    assert start(eks) == 1
    told = capsys.readouterr().err
    assert text in told
    assert "Traceback" not in told


def test_a_broken_connection_is_not_taken_for_a_refusal(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from urllib3.exceptions import ProtocolError

    def broken(*_: Any) -> None:
        raise ProtocolError("Connection aborted")

    monkeypatch.setattr(ops.launch.run_eks, "submit", broken)
    assert start(eks) == 1
    told = capsys.readouterr().err
    assert f"not done: perhaps {RUN}" in told
    assert "`trn status ours` shows whether it is there" in told


def test_a_team_that_is_not_deployed(make_world: WorldMaker, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(make_world(EKS_ONLY)) == 1
    assert (
        "stack ours-Storage: not deployed in us-west-2; run `.venv/bin/cdk deploy 'ours/*'`" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ExpiredTokenException", "the AWS credentials have expired or are unknown"),
        ("AccessDenied", "not allowed: DescribeStacks: no; the role in use lacks this permission"),
        ("Throttling", "AWS keeps throttling DescribeStacks; wait a minute"),
    ],
)
def test_what_aws_answers_is_explained(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: str, text: str
) -> None:
    cloudformation = eks.account.client("cloudformation")
    stubber = Stubber(cloudformation)
    stubber.add_client_error("describe_stacks", service_error_code=code, service_message="no")
    monkeypatch.setattr(ops.launch.run_eks, "account_of", lambda _: eks.account)
    with stubber:
        assert start(eks) == 1
    told = capsys.readouterr().err
    assert text in told
    assert "Traceback" not in told


def test_both_paths_must_be_told_apart(write_team: TeamWriter, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", BERT, "--team", str(write_team(BOTH).path)]) == 2
    assert "--on: got nothing, expected eks or batch; team ours has both" in capsys.readouterr().err
    assert run(["run", BERT, "--team", str(write_team(BATCH_ONLY).path), "--on", "eks"]) == 2
    assert "--on: got eks, expected batch" in capsys.readouterr().err


def test_follow_prints_the_log_of_rank_0(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    followed: list[str] = []

    def lines(self: EksLogs, *_: Any) -> Iterator[str]:
        followed.append(self.run.id)
        yield "step_loss 1"

    with mock.patch.object(EksLogs, "follow", lines):
        assert start(eks, "--follow") == 0
    assert capsys.readouterr().out == f"{RUN}\nstep_loss 1\n"
    assert followed == [RUN]


@pytest.fixture
def batch(make_world: WorldMaker, monkeypatch: pytest.MonkeyPatch) -> tuple[World, Stubber]:
    """A team on Batch whose SubmitJob is stubbed: moto knows no overrides of nodes."""
    world = make_world(BATCH_ONLY)
    stack = world.values
    deploy(world)
    values = {job_definition_arn_output("bert"): "arn:aws:batch:us-west-2:1:job-definition/bert:1"}
    monkeypatch.setattr(ops.launch.run_batch, "account_of", lambda _: world.account)
    original = ops.aws.outputs
    monkeypatch.setattr(ops.launch.run_batch, "outputs", lambda *it: {**original(*it), **values})
    stack |= values
    monkeypatch.setattr(ops.launch.run_batch, "batch_runs", lambda *_: [])
    return world, Stubber(world.account.once("batch"))


def submission(world: World, *more: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """What the dry run shows, with the values of the deployment."""
    assert run(["run", BERT, "--team", str(world.team.path), "--dry-run", *more]) == 0
    text = capsys.readouterr().out
    for key, value in world.values.items():
        text = text.replace(f"${{{key}}}", value)
    return json.loads(text)


def test_batch_gets_what_the_dry_run_shows(batch: tuple[World, Stubber], capsys: pytest.CaptureFixture[str]) -> None:
    world, stubber = batch
    expected = submission(world, capsys=capsys)
    assert "${" not in json.dumps({**expected, "nodeOverrides": None})
    stubber.add_response("submit_job", {"jobId": "id-1", "jobName": "bert-pretrain"}, expected)
    with stubber:
        assert run(["run", BERT, "--team", str(world.team.path)]) == 0
    assert capsys.readouterr().out == "id-1\n"


def test_batch_training_depends_on_precompiling(
    batch: tuple[World, Stubber], capsys: pytest.CaptureFixture[str]
) -> None:
    world, stubber = batch
    first, second = submission(world, "--precompile", capsys=capsys)
    assert first["jobName"] == "bert-pretrain-precompile"
    assert "dependsOn" not in first
    stubber.add_response("submit_job", {"jobId": "id-1", "jobName": "p"}, first)
    stubber.add_response("submit_job", {"jobId": "id-2", "jobName": "t"}, second | {"dependsOn": [{"jobId": "id-1"}]})
    with stubber:
        assert run(["run", BERT, "--team", str(world.team.path), "--precompile"]) == 0
    assert capsys.readouterr().out == "id-2\n"
    stubber.assert_no_pending_responses()


def test_half_a_submission_says_what_is_there(batch: tuple[World, Stubber], capsys: pytest.CaptureFixture[str]) -> None:
    world, stubber = batch
    stubber.add_response(
        "submit_job", {"jobId": "id-1", "jobName": "p"}, dict.fromkeys(submission(world, capsys=capsys), ANY)
    )
    stubber.add_client_error("submit_job", service_error_code="TooManyRequestsException", service_message="no")
    with stubber:
        assert run(["run", BERT, "--team", str(world.team.path), "--precompile"]) == 1
    told = capsys.readouterr().err
    assert "AWS keeps throttling SubmitJob" in told
    assert "done: precompile job id-1 submitted\n  not done: training job bert-pretrain\n" in told
    assert "`trn cancel id-1 --team ours` takes the precompile job back" in told


@pytest.mark.parametrize(
    ("error", "code"), [(EndpointConnectionError(endpoint_url="https://batch"), 1), (KeyboardInterrupt(), 130)]
)
def test_a_lost_answer_of_batch_is_not_taken_for_a_refusal(
    batch: tuple[World, Stubber], capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    world, _ = batch
    client = world.account.once("batch")
    with mock.patch.object(client, "submit_job", side_effect=error):
        assert run(["run", BERT, "--team", str(world.team.path), "--precompile"]) == code
    told = capsys.readouterr().err
    assert "not done: perhaps bert-pretrain-precompile: whether Batch took it is not known" in told
    assert "`trn status ours` shows what is there" in told


def test_a_disabled_queue_is_refused(batch: tuple[World, Stubber], capsys: pytest.CaptureFixture[str]) -> None:
    world, _ = batch
    world.account.client("batch").update_job_queue(jobQueue=world.values[Output.JOB_QUEUE_ARN], state="DISABLED")
    assert run(["run", BERT, "--team", str(world.team.path)]) == 2
    told = capsys.readouterr().err
    assert "queue ours-queue: got DISABLED, expected ENABLED" in told
    assert "`trn cleanup ours --reopen` opens it again" in told


def test_batch_is_asked_once(batch: tuple[World, Stubber]) -> None:
    """SubmitJob has no token: a second try after a lost answer would be a second run."""
    world, _ = batch
    assert world.account.once("batch").meta.config.retries["total_max_attempts"] == 1
    assert world.account.client("batch").meta.config.retries["total_max_attempts"] > 1


@pytest.mark.parametrize(
    ("failures", "code"),
    [
        ([HTTPError("reset"), client.ApiException(status=503)], 0),
        ([client.ApiException(status=401)], 1),
        ([NoCredentialsError()], 1),
    ],
)
def test_waiting_outlives_what_passes(
    eks: World,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failures: list[Exception],
    code: int,
) -> None:
    coming = iter(failures)

    def find_run(api: Any, kind: Any, name: str, namespace: str | None = None) -> Any:
        if name != PRECOMPILE:
            return find(api, kind, name, namespace)
        for failure in coming:
            raise failure
        eks.kubernetes.objects[(VOLCANO, "jobs", "bert", PRECOMPILE)]["status"] = {"state": {"phase": "Completed"}}
        return find(api, kind, name, namespace)

    monkeypatch.setattr(ops.launch.run_eks, "find", find_run)
    monkeypatch.setattr(ops.launch.run_eks, "sleep", lambda _: None)
    assert start(eks, "--precompile") == code
    told = capsys.readouterr().err
    assert (f"done: precompile run {PRECOMPILE} submitted; it goes on" in told) == bool(code)


def test_a_cluster_that_stays_silent_ends_the_wait(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    eks.kubernetes.fail(503, method="GET", path=PRECOMPILE)
    monkeypatch.setattr(ops.launch.run_eks, "SILENT_SECONDS", -1)
    assert start(eks, "--precompile") == 1
    assert "it goes on" in capsys.readouterr().err


def test_somebody_who_came_while_compiling_is_seen(
    eks: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compiled(_: float) -> None:
        eks.kubernetes.objects[(VOLCANO, "jobs", "bert", PRECOMPILE)]["status"] = {"state": {"phase": "Completed"}}
        eks.volcano_job("other-run", job="other")["metadata"]["labels"][JobLabel.CACHE] = "bert-large"

    monkeypatch.setattr(ops.launch.run_eks, "sleep", compiled)
    assert start(eks, "--precompile") == 2
    assert "which run other-run (other, Running) uses" in capsys.readouterr().err
    assert len(posted(eks.kubernetes)) == 1


def test_a_stack_without_the_output_is_told(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first deployment failed, or an image was added to the team file since."""
    storage = Outputs({"BucketName": "ours-bucket"}, stack="ours-Storage", status="ROLLBACK_COMPLETE", team="ours")
    with mock.patch("ops.launch.run_eks.outputs", lambda *_: storage):
        assert start(eks) == 1
    told = capsys.readouterr().err
    assert "stack ours-Storage: is ROLLBACK_COMPLETE and has no output RepositoryUriBert; run `.venv/bin/cdk" in told


def test_too_much_for_what_is_on_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Batch takes up to 8192 characters of overrides and fails the job later; Linux takes 128 KiB an argument."""
    path = tmp_path / "job.yaml"

    def told(count: int, team: str) -> tuple[int, str]:
        args = "".join(f"  - {'z' * 4000}\n" for _ in range(count))
        path.write_text(f"name: x\nimage: bert\nscript: a.py\nnodes: 2\nargs:\n{args}")
        return run(["run", str(path), "--team", team, "--dry-run"]), capsys.readouterr().err

    assert told(1, "llama2")[0] == 0
    code, text = told(2, "llama2")
    assert code == 2
    assert "characters of container overrides on Batch, expected at most 8192" in text
    assert told(30, "bert")[0] == 0
    code, text = told(33, "bert")
    assert code == 2
    assert "bytes of one command line, expected at most 131071" in text


def test_yaml_is_the_same_to_every_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """kubectl reads YAML as Go's parser does, for which these are numbers and booleans."""
    numbers = "1e3 1e-4 5e-5 2e-05 0o17 1.e3 12e5 1E5 0x1f 010 1_000 .5 +1 -1"
    values = [*f"y n Y N yes No on OFF true null ~ {numbers}".split()]
    values += ["1:30", "2026-11-30", ".inf", "-.NaN", "", "plain", "a: b", "# no"]
    path = tmp_path / "job.yaml"
    path.write_text(
        json.dumps({"name": "y", "image": "bert", "script": "a.py", "nodes": 1, "cache": "n", "args": values})
    )
    assert run(["run", str(path), "--team", "bert", "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert 'trn-training/job: "y"' in text
    assert 'trn-training/cache: "n"' in text
    for value in values:
        dumped = to_yaml([{"k": value}])
        assert yaml.safe_load(dumped) == {"k": value}
        assert dumped[3] in "\"'" or re.fullmatch(r"k: [a-z]{3,}\n", dumped), dumped
        assert value == "plain" or dumped[3] in "\"'"


def test_options_of_the_other_path_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    allreduce = str(ROOT / "jobs" / "allreduce.yaml")
    for path, option in (("batch", "--queue"), ("batch", "--node-group"), ("eks", "--share")):
        assert run(["run", allreduce, "--team", "research", "--on", path, option, "x", "--dry-run"]) == 2
        assert f"{option}: got x, expected nothing: it means nothing on {path}" in capsys.readouterr().err
    assert run(["run", allreduce, "--team", "research", "--on", "eks", "--queue", "x", "--dry-run"]) == 2
    assert capsys.readouterr().err == "--queue: got x, expected one of vision, language\n"


def test_warnings_of_the_file_are_said_at_the_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("name: x\nimage: bert\nscript: a.py\nnodes: 2\nmax_retries: 3\n")
    assert run(["run", str(path), "--team", "bert", "--dry-run"]) == 0
    assert f"{path}:5: warning: max_retries: got 3, expected 0, unless" in capsys.readouterr().err


def test_what_is_not_aws_is_told_so(eks: World, capsys: pytest.CaptureFixture[str]) -> None:
    with mock.patch("ops.launch.run_eks.outputs", side_effect=ResponseParserError("Unable to parse: <html>\nx")):
        assert start(eks) == 1
    assert capsys.readouterr().err == "trn: what answered is not AWS, such as a proxy: Unable to parse: <html>\n"


def test_files_of_the_other_kind_are_recognized(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(ROOT / "teams/bert.yaml"), "--team", "bert"]) == 2
    assert "got a file that is not a job's, expected one with name, image, script and nodes" in capsys.readouterr().err
    assert run(["run", BERT, "--team", BERT]) == 2
    assert "which is a job file, expected a team file" in capsys.readouterr().err
    assert run(["run", BERT, "--team", "a" * 300]) == 2
    assert f"team: got {'a' * 80}..., expected one of bert" in capsys.readouterr().err
    assert run(["run", BERT, "--team", "a" * 300 + ".yaml"]) == 2


def test_wrong_files_are_told_with_every_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("name: X\nimage: bert\n")
    assert run(["run", str(path), "--team", "bert"]) == 2
    told = capsys.readouterr().err
    assert f"{path}:1: name: got X, expected a DNS label" in told
    assert f"{path}:1: script: got nothing, expected" in told
    assert run(["run", BERT, "--team", "brt"]) == 2
    assert "team: got brt, expected one of bert, llama2, research" in capsys.readouterr().err


def test_the_token_of_a_cluster_reaches_it(eks: World) -> None:
    assert start(eks) == 0
    assert {request.authorization[:18] for request in eks.kubernetes.requests if request.authorization} == {
        "Bearer k8s-aws-v1."
    }
    assert all(request.authorization for request in eks.kubernetes.requests)
    assert isinstance(client.ApiClient, type)
