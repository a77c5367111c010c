"""The cluster's API with AWS credentials; kubectl's way to the same; programs of others."""

from __future__ import annotations

import base64
import copy
import json
import os
import stat
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from botocore.exceptions import ClientError
from kubernetes.client import ApiException
from moto.batch.models import batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID
from urllib3.exceptions import MaxRetryError

from ops.aws import Account
from ops.cluster import PODS, create, delete, find, log_lines, objects
from ops.kube import TOKEN_SECONDS, explain, token
from ops.watch.runs import batch_runs
from ops.watch.top import top_on_batch
from tests.account.kubernetes_api import KubernetesApi
from tests.ops.conftest import BATCH_ONLY, EKS_ONLY, REGION, TeamWriter, Trn, World, WorldMaker


def test_a_token_is_a_signed_question_who_one_is() -> None:
    text = token(Account(REGION), "ours-cluster")
    assert text.startswith("k8s-aws-v1.") and "=" not in text
    body = text.removeprefix("k8s-aws-v1.")
    url = urlsplit(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode())
    query = {key: values[0] for key, values in parse_qs(url.query).items()}
    assert (url.scheme, url.netloc, url.path) == ("https", "sts.us-west-2.amazonaws.com", "/")
    assert (query["Action"], query["Version"]) == ("GetCallerIdentity", "2011-06-15")
    assert (query["X-Amz-SignedHeaders"], query["X-Amz-Expires"]) == ("host;x-k8s-aws-id", str(TOKEN_SECONDS))
    assert query["X-Amz-Credential"].endswith("/us-west-2/sts/aws4_request")
    assert query["X-Amz-Signature"]


def test_another_cluster_is_another_token() -> None:
    account = Account(REGION)
    assert token(account, "one") != token(account, "two")


def answered(status: int, body: str | None = None) -> ApiException:
    error = ApiException(status=status, reason="the reason")
    error.body = body
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (answered(401), "add its role to eks.admins"),
        (answered(403, '{"message": "jobs is forbidden"}'), "not allowed: jobs is forbidden; "),
        (answered(404, '{"message": "jobs \\"x\\" not found"}'), 'not found: jobs "x" not found'),
        (answered(409, '{"message": "it exists"}'), "answered 409: it exists"),
        (answered(429), "wait a minute"),
        (answered(500, "not JSON"), "answered 500: the reason"),
        (MaxRetryError(None, "https://x"), "may be private"),  # type: ignore[arg-type]
    ],
)
def test_what_errors_mean(error: ApiException | MaxRetryError, words: str) -> None:
    assert words in explain(error)


@pytest.mark.parametrize("status", [401, 403, 404, 409, 429, 500])
def test_an_error_of_the_api_keeps_its_status_and_its_words(kubernetes: KubernetesApi, status: int) -> None:
    kubernetes.fail(status, message="these words")
    pod = {"metadata": {"name": "p", "namespace": "bert"}, "spec": {"containers": [{"name": "c"}]}}
    for call in (
        lambda api: objects(api, PODS, "bert"),
        lambda api: create(api, PODS, {"metadata": {"name": "p"}}, "bert"),
        lambda api: [*log_lines(api, pod, follow=True)],
    ):
        with pytest.raises(ApiException) as told:
            call(kubernetes.client())
        assert (told.value.status, json.loads(told.value.body)["message"]) == (status, "these words")


def test_what_is_not_there_is_no_error(kubernetes: KubernetesApi) -> None:
    api = kubernetes.client()
    assert find(api, PODS, "p", "bert") is None
    assert delete(api, PODS, "p", "bert") is False
    create(api, PODS, {"metadata": {"name": "p"}}, "bert")
    assert delete(api, PODS, "p", "bert") is True


def test_objects_by_label_and_field(kubernetes: KubernetesApi) -> None:
    for name, labels in (("a", {"color": "red"}), ("b", {"color": "blue"}), ("c", {})):
        kubernetes.put("/api/v1", "pods", {"metadata": {"name": name, "namespace": "bert", "labels": labels}})
    api = kubernetes.client()
    assert [it["metadata"]["name"] for it in objects(api, PODS, labels={"color": ""})] == ["a", "b"]
    assert [it["metadata"]["name"] for it in objects(api, PODS, "bert", labels={"color": "red"})] == ["a"]
    assert [it["metadata"]["name"] for it in objects(api, PODS, "bert", fields={"metadata.name": "c"})] == ["c"]
    assert objects(api, PODS, "vision") == []


def test_a_kubeconfig_asks_for_tokens_and_holds_none(world: World, trn: Trn) -> None:
    told = trn("kubeconfig", "ours")
    config = yaml.safe_load(told.out)
    assert config["current-context"] == config["contexts"][0]["name"] == "ours"
    (cluster,), (user,) = config["clusters"], config["users"]
    assert cluster["cluster"]["server"] == world.kubernetes.url
    assert config["contexts"][0]["context"] == {"cluster": cluster["name"], "user": user["name"]}
    plugin = user["user"]["exec"]
    assert plugin["args"] == ["kube-token", "ours-cluster", "--region", REGION]
    assert plugin["apiVersion"] == "client.authentication.k8s.io/v1"
    assert Path(plugin["command"]).name == "trn" and os.access(plugin["command"], os.X_OK)
    assert "k8s-aws-v1" not in told.out


def test_the_plugin_prints_a_credential(capsys: pytest.CaptureFixture[str]) -> None:
    from ops.cli import run

    assert run(["kube-token", "ours-cluster", "--region", REGION]) == 0
    it = json.loads(capsys.readouterr().out)
    assert (it["apiVersion"], it["kind"]) == ("client.authentication.k8s.io/v1", "ExecCredential")
    assert it["status"]["token"].startswith("k8s-aws-v1.")
    assert it["status"]["expirationTimestamp"].endswith("Z")


@pytest.fixture
def bin_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, and empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def kubectl(folder: Path, code: int = 0) -> Path:
    """A kubectl that notes its arguments and the kubeconfig that it is given."""
    noted = folder / "noted"
    script = folder / "kubectl"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {noted}\n/bin/ls -l "$2" >> {noted}\nexit {code}\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return noted


def test_top_runs_neuron_top_in_the_pod(world: World, trn: Trn, bin_directory: Path) -> None:
    world.volcano_job("bert-abc")
    noted = kubectl(bin_directory, code=3)
    assert trn("top", "bert", "--team", "ours", "--node", "1").code == 3
    lines = noted.read_text().splitlines()
    assert [lines[0], *lines[2:-1]] == [
        *("--kubeconfig", "--namespace", "bert", "exec", "-it", "bert-abc-worker-1-0"),
        *("--container", "worker-1", "--", "neuron-top"),
    ]
    assert not Path(lines[1]).exists()


def test_without_kubectl_it_says_where_to_get_it(world: World, trn: Trn, bin_directory: Path) -> None:
    world.volcano_job("bert-abc")
    for command in (["top", "bert", "--team", "ours"], ["tensorboard", "ours"]):
        told = trn(*command)
        assert told.code == 1
        assert told.err.startswith("trn: kubectl: not found on PATH; ")
        assert "https://kubernetes.io/docs/tasks/tools/" in told.err


def test_top_of_a_pod_that_waits(world: World, trn: Trn, bin_directory: Path) -> None:
    kubectl(bin_directory)
    world.volcano_job("bert-abc", state="Pending")
    world.kubernetes.objects["/api/v1", "pods", "bert", "bert-abc-worker-0-0"]["status"]["phase"] = "Pending"
    told = trn("top", "bert", "--team", "ours")
    assert (told.code, told.err.partition(";")[0]) == (
        1,
        "trn: bert-abc-worker-0-0: the pod is Pending, expected Running",
    )


def test_top_of_a_batch_node_names_its_host(make_world: WorldMaker) -> None:
    from botocore.stub import Stubber

    world = make_world(BATCH_ONLY)
    job_id = world.batch_job("llama2")
    (run,) = batch_runs(world.account, world.team)
    arn = "arn:aws:ecs:us-west-2:123456789012:container-instance/the-cluster/0123"
    container = {"containerInstanceArn": arn, "taskArn": "arn:aws:ecs:us-west-2:123456789012:task/the-cluster/77"}
    node = f"{job_id}#1"
    detail = {"jobName": "j", "jobId": node, "jobQueue": "q", "status": "RUNNING", "startedAt": 1}
    batch, ecs = world.account.client("batch"), world.account.client("ecs")
    with Stubber(batch) as batch_stub, Stubber(ecs) as ecs_stub:
        batch_stub.add_response(
            "describe_jobs",
            {"jobs": [detail | {"jobDefinition": "d", "container": container}]},
            {"jobs": [node, job_id]},
        )
        ecs_stub.add_response(
            "describe_container_instances",
            {"containerInstances": [{"ec2InstanceId": "i-0abc"}]},
            {"cluster": "the-cluster", "containerInstances": [arn]},
        )
        text = top_on_batch(world.account, run, 1)
    assert "  aws ssm start-session --region us-west-2 --target i-0abc\n" in text
    assert f"label=com.amazonaws.ecs.task-arn={container['taskArn']} " in text


def test_top_of_a_batch_node_without_a_host(world: World, trn: Trn) -> None:
    job_id = world.batch_job("llama2", status="RUNNABLE")
    jobs = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs
    jobs[f"{job_id}#0"] = main = copy.copy(jobs[job_id])
    main.job_id = f"{job_id}#0"
    told = trn("top", job_id, "--team", "ours")
    assert told.code == 1
    assert f"run {job_id}: node 0 is on no host (RUNNABLE)" in told.err


def test_tensorboard_is_a_port_forward(world: World, trn: Trn, bin_directory: Path) -> None:
    noted = kubectl(bin_directory)
    told = trn("tensorboard", "ours", "--port", "7007")
    assert told.err == "TensorBoard: http://localhost:7007 (Ctrl-C ends the connection, not TensorBoard)\n"
    assert noted.read_text().splitlines()[2:-1] == [
        *("--namespace", "trn-training", "port-forward", "service/tensorboard", "7007:6006")
    ]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (BATCH_ONLY, "eks: got nothing, expected the EKS path"),
        ({key: value for key, value in EKS_ONLY.items() if key != "storage"}, "storage.lustre: got none"),
        (EKS_ONLY | {"eks": EKS_ONLY["eks"] | {"tensorboard": False}}, "eks.tensorboard: got false"),  # type: ignore[operator]
    ],
)
def test_a_team_without_tensorboard(
    keys: dict[str, object], words: str, write_team: TeamWriter, trn: Trn, aws: None
) -> None:
    write_team(keys)
    told = trn("tensorboard", "ours")
    assert told.code == 2
    assert words in told.err


@pytest.mark.parametrize(
    "case",
    [
        ("AccessDeniedException", "not allowed: DescribeCluster"),
        ("ExpiredTokenException", "the AWS credentials have expired"),
    ],
)
@pytest.mark.parametrize("command", [("kubeconfig", "ours"), ("tensorboard", "ours"), ("status", "ours")])
def test_a_cluster_that_one_may_not_describe(
    command: tuple[str, ...], case: tuple[str, str], make_world: WorldMaker, trn: Trn, bin_directory: Path
) -> None:
    code, words = case
    make_world(EKS_ONLY)
    kubectl(bin_directory)

    def refused(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeCluster")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moto.eks.responses.EKSResponse.describe_cluster", refused)
        told = trn(*command)
    assert (told.code, words in told.err) == (1, True)


@pytest.mark.parametrize("command", [("top", "bert", "--team", "ours"), ("tensorboard", "ours")])
def test_ctrl_c_in_kubectl_is_130(
    command: tuple[str, ...], world: World, trn: Trn, bin_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.volcano_job("bert-abc")
    kubectl(bin_directory)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ops.programs.subprocess.run", interrupted)
    assert trn(*command).code == 130


def test_top_that_one_may_not_run(world: World, trn: Trn, bin_directory: Path) -> None:
    world.volcano_job("bert-abc")
    kubectl(bin_directory)
    world.kubernetes.fail(403, path="/pods", message="pods is forbidden")
    told = trn("top", "bert", "--team", "ours")
    assert (told.code, "not allowed: pods is forbidden" in told.err) == (1, True)
