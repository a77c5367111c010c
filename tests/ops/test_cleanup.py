"""`trn cleanup`: the plan, its order, halves of it, and what is left."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from moto.batch.models import batch_backends
from moto.core.models import DEFAULT_ACCOUNT_ID

from ops.cleanup.command import clean_up, cluster_if_there
from ops.cleanup.plan import Named, Plan, StoredImage, destroy_line
from ops.cleanup.queue_state import queue_command, set_volcano_queue
from ops.cleanup.read import plan
from ops.cleanup.receipt import kind_of, receipt, rows
from ops.cleanup.steps import CleanUp, carry_out
from ops.errors import INTERRUPTED, UnfinishedError
from ops.teams import TEAMS_DIR, find_team
from ops.waiting import StillThereError
from spec.hardware import NEURON_RESOURCE
from spec.names import LUSTRE_CLAIM, TEAM_TAG, Output, StackName, repository_uri_output
from tests.account.kubernetes_api import KubernetesApi, Request
from tests.ops.conftest import (
    BATCH_ONLY,
    BOTH,
    CORE,
    EKS_ONLY,
    REGION,
    SCHEDULING,
    VOLCANO,
    TeamWriter,
    Trn,
    World,
    WorldMaker,
    no_pause,
)

BATCH_API = "/apis/batch/v1"
COMMANDS = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands"


def object_(world: World, plural: str, name: str, namespace: str, **spec: Any) -> None:
    metadata = {"name": name, "namespace": namespace}
    world.kubernetes.put(CORE, plural, {"metadata": metadata, "spec": spec})


def queue(world: World, name: str, state: str = "Open") -> None:
    spec = {"capability": {NEURON_RESOURCE: "32"}}
    metadata = {"name": name, "uid": f"uid-{name}"}
    world.kubernetes.put(SCHEDULING, "queues", {"metadata": metadata, "spec": spec, "status": {"state": state}})


@pytest.fixture(autouse=True)
def controllers(kubernetes: KubernetesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Volcano's queue controller: carries out a Command and deletes it."""
    answer = kubernetes.answer

    def answered(request: Request) -> tuple[int, Any]:
        result = answer(request)
        if request.path == COMMANDS and result[0] == 201:
            state = {"CloseQueue": "Closed", "OpenQueue": "Open"}[request.body["action"]]
            kubernetes.objects[SCHEDULING, "queues", "", request.body["target"]["name"]]["status"]["state"] = state
        return result

    monkeypatch.setattr(kubernetes, "answer", answered)


@pytest.fixture
def full(world: World) -> World:
    """A team with something of everything."""
    world.volcano_job("bert-abc")
    world.volcano_job("bert-old", state="Completed")
    queue(world, "bert")
    queue(world, "vision")
    object_(world, "persistentvolumeclaims", LUSTRE_CLAIM, "bert")
    object_(
        world,
        "persistentvolumeclaims",
        "scratch",
        "bert",
        resources={"requests": {"storage": "1200Gi"}},
        volumeName="pvc-1",
    )
    object_(world, "services", "notebook", "elsewhere", type="LoadBalancer")
    object_(world, "services", "tensorboard", "trn-training", type="ClusterIP")
    ecr = world.account.client("ecr")
    values = {}
    for name in world.team.repositories:
        uri = ecr.create_repository(repositoryName=f"ours-{name}")["repository"]["repositoryUri"]
        values[repository_uri_output(name)] = uri
    for tag in ("one", "two"):
        media = "application/vnd.docker.distribution.manifest.v2+json"
        manifest = json.dumps({"schemaVersion": 2, "mediaType": media, "tag": tag})
        ecr.put_image(repositoryName="ours-bert", imageManifest=manifest, imageTag=tag)
    world.deploy(StackName.STORAGE, values)
    return world


def planned(world: World, *, images: bool = False) -> CleanUp:
    api = world.kubernetes.client()
    return CleanUp(world.account, world.team, api, plan(world.account, world.team, api, images=images), no_pause)


def test_the_plan_names_everything_in_order(full: World, trn: Trn) -> None:
    told = trn("cleanup", "ours", "--dry-run")
    lines = told.out.splitlines()
    assert told.code == 0
    assert [line for line in lines if not line.startswith(" ")] == [
        "1. cancel runs",
        "2. close queues to new work; CloudFormation deletes them",
        "3. delete Jobs that stage data, with their pods",
        "4. delete claims, WITH THEIR FILE SYSTEMS AND DATA",
        "5. delete load balancers, by their Services",
        "6. keep images (--images deletes them)",
    ]
    assert lines[1].startswith("   bert-abc (bert, training): 2 nodes on EKS, Running, submitted ")
    assert lines[3:6] == ["   bert", "   vision", f"   {full.values[Output.JOB_QUEUE_ARN]}"]
    assert "   bert/scratch (1200Gi, volume pvc-1)" in lines
    assert "   elsewhere/notebook" in lines
    assert lines[-1] == "   ours-bert: one, two"
    assert {request.method for request in full.kubernetes.requests} == {"GET"}


def test_the_plan_as_json(full: World, trn: Trn) -> None:
    it = json.loads(trn("cleanup", "ours", "--json").out)
    assert [run["id"] for run in it["runs"]] == ["bert-abc"]
    assert it["volcano_queues"] == ["bert", "vision"]
    assert it["claims"] == [{"namespace": "bert", "name": "scratch", "note": "(1200Gi, volume pvc-1)"}]
    assert [image["tags"] for image in it["images"]["ours-bert"]] == [["one"], ["two"]]
    assert {request.method for request in full.kubernetes.requests} == {"GET"}


def test_nothing_is_done_without_a_yes(full: World, trn: Trn) -> None:
    told = trn("cleanup", "ours")
    assert (told.code, told.err) == (2, "trn: nothing was changed. Without a terminal to ask at, give --yes\n")
    assert {request.method for request in full.kubernetes.requests} == {"GET"}


def test_everything_in_the_right_order(full: World, trn: Trn) -> None:
    told = trn("cleanup", "ours", "--yes")
    assert told.code == 0
    sent = [f"{it.method} {it.path}" for it in full.kubernetes.requests if it.method != "GET"]
    assert sent == [
        f"DELETE {VOLCANO}/namespaces/bert/jobs/bert-abc",
        f"POST {COMMANDS}",
        f"POST {COMMANDS}",
        "DELETE /api/v1/namespaces/bert/persistentvolumeclaims/scratch",
        "DELETE /api/v1/namespaces/elsewhere/services/notebook",
    ]
    assert LUSTRE_CLAIM in full.kubernetes.names("persistentvolumeclaims")
    assert full.kubernetes.names("jobs") == ["bert-old"]
    queue_state = full.account.client("batch").describe_job_queues()["jobQueues"][0]["state"]
    assert queue_state == "DISABLED"
    assert len(full.account.client("ecr").describe_images(repositoryName="ours-bert")["imageDetails"]) == 2
    assert ".venv/bin/cdk destroy -c teams_dir=" in told.out
    assert "trn cleanup ours --reopen" in told.err


def test_images_go_only_where_it_is_asked_for(full: World) -> None:
    carry_out(planned(full, images=True))
    assert full.account.client("ecr").describe_images(repositoryName="ours-bert")["imageDetails"] == []


def test_images_go_where_the_team_file_says_so(make_world: WorldMaker) -> None:
    world = make_world(BOTH | {"storage": {"on_delete": "delete"}})
    assert planned(world).plan.delete_images


def test_a_second_time_there_is_nothing_to_do(full: World, trn: Trn) -> None:
    carry_out(planned(full))
    before = len(full.kubernetes.requests)
    told = trn("cleanup", "ours")
    assert told.code == 0
    assert {request.method for request in full.kubernetes.requests[before:]} == {"GET"}


def test_what_comes_while_queues_close_is_cancelled_too(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = planned(full)
    full.volcano_job("bert-late", "vision")
    late = full.batch_job("llama2")
    job = batch_backends[DEFAULT_ACCOUNT_ID][REGION]._jobs[late]

    def ends(_: float) -> None:
        job.status = "FAILED"

    carry_out(CleanUp(clean.account, clean.team, clean.api, clean.plan, ends))
    assert full.kubernetes.names("jobs") == ["bert-old"]
    assert job.job_stopped_reason is not None


def test_half_of_it_says_what_was_done_and_that_it_goes_on(full: World) -> None:
    full.kubernetes.fail(403, method="DELETE", path="/persistentvolumeclaims/", message="not you")
    with pytest.raises(UnfinishedError) as told:
        carry_out(planned(full))
    arn = full.values[Output.JOB_QUEUE_ARN]
    assert str(told.value).splitlines() == [
        "delete claim bert/scratch: not allowed: not you; researchers of a queue work in its namespace only",
        "  done: cancel run bert-abc",
        "  done: wait until the runs are gone",
        "  done: close queue bert",
        "  done: close queue vision",
        f"  done: disable {arn}",
        "  done: cancel runs that came meanwhile",
        "  not done: delete claim bert/scratch",
        "  not done: delete Service elsewhere/notebook and its load balancer",
        "Run `trn cleanup ours` again: it reads what there is and goes on from there",
    ]
    full.kubernetes.failures.clear()
    assert [name for name, _ in planned(full).steps()] == [
        "delete claim bert/scratch",
        "delete Service elsewhere/notebook and its load balancer",
    ]
    carry_out(planned(full))
    assert planned(full).plan.empty


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ThrottlingException", "AWS keeps throttling UpdateJobQueue; wait a minute"),
        ("AccessDeniedException", "not allowed: UpdateJobQueue"),
        ("ExpiredTokenException", "the AWS credentials have expired or are unknown"),
    ],
)
def test_errors_of_aws_half_way(make_world: WorldMaker, code: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(BATCH_ONLY)
    clean = planned_batch(world)

    def refused(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "UpdateJobQueue")

    monkeypatch.setattr(world.account.client("batch"), "update_job_queue", refused)
    with pytest.raises(UnfinishedError, match=words):
        carry_out(clean)


def planned_batch(world: World) -> CleanUp:
    return CleanUp(world.account, world.team, None, plan(world.account, world.team, None, images=False), no_pause)


def test_ctrl_c_half_way_is_the_same_with_130(full: World) -> None:
    clean = planned(full)
    full.kubernetes.linger = 5

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(UnfinishedError) as told:
        carry_out(CleanUp(clean.account, clean.team, clean.api, clean.plan, interrupted))
    assert told.value.exit_code == INTERRUPTED
    assert str(told.value).splitlines()[:3] == [
        "interrupted",
        "  done: cancel run bert-abc",
        "  not done: wait until the runs are gone",
    ]


def test_a_load_balancer_that_stays_is_said(full: World) -> None:
    clean = planned(full)
    full.kubernetes.linger = 1_000_000
    only = CleanUp(clean.account, clean.team, clean.api, Plan(services=clean.plan.services), no_pause)
    with pytest.raises(UnfinishedError, match="its load balancer: still there after 15 minutes: elsewhere/notebook"):
        carry_out(only)


def test_a_claim_is_gone_only_with_its_file_system(full: World) -> None:
    volume = {
        "metadata": {"name": "pvc-1"},
        "spec": {
            "persistentVolumeReclaimPolicy": "Delete",
            "claimRef": {"name": "scratch", "namespace": "bert"},
        },
    }
    full.kubernetes.put(CORE, "persistentvolumes", volume)
    clean = planned(full)
    rounds: list[float] = []

    def driver(_: float) -> None:
        rounds.append(1)
        full.kubernetes.objects.pop((CORE, "persistentvolumes", "", "pvc-1"), None)

    carry_out(CleanUp(clean.account, clean.team, clean.api, Plan(claims=clean.plan.claims), driver))
    assert rounds == [1]


def test_a_team_without_any_stack(write_team: TeamWriter, aws: None, trn: Trn) -> None:
    write_team(BOTH)
    told = trn("cleanup", "ours")
    assert told.code == 0
    assert "1. cancel runs\n   none\n" in told.out
    assert "nothing is left with the tag of team ours" in told.out


@pytest.mark.parametrize("keys", [EKS_ONLY, BATCH_ONLY])
def test_a_team_with_one_path(keys: dict[str, Any], make_world: WorldMaker, trn: Trn) -> None:
    make_world(keys)
    assert trn("cleanup", "ours", "--yes").code == 0


def test_a_cluster_that_cannot_be_reached_stops_it_before_anything_is_done(world: World, trn: Trn) -> None:
    world.kubernetes.fail(401)
    told = trn("cleanup", "ours", "--yes")
    assert told.code == 1
    assert "the cluster does not know this IAM identity" in told.err
    assert world.account.client("batch").describe_job_queues()["jobQueues"][0]["state"] == "ENABLED"


def test_queues_open_again(full: World, trn: Trn) -> None:
    carry_out(planned(full))
    told = trn("cleanup", "ours", "--reopen")
    assert told.code == 0
    states = {name: full.kubernetes.objects[SCHEDULING, "queues", "", name]["status"]["state"] for name in ("bert",)}
    assert states == {"bert": "Open"}
    assert full.account.client("batch").describe_job_queues()["jobQueues"][0]["state"] == "ENABLED"


def test_the_command_that_volcano_reads(world: World) -> None:
    queue(world, "bert")
    set_volcano_queue(world.kubernetes.client(), "bert", "CloseQueue", lambda _: None, no_pause)
    (sent,) = [request for request in world.kubernetes.requests if request.method == "POST"]
    target = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "name": "bert",
        "uid": "uid-bert",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    assert sent.path == COMMANDS
    assert sent.body["action"] == "CloseQueue"
    assert sent.body["target"] == target
    assert sent.body["metadata"]["ownerReferences"] == [target]
    assert sent.body["metadata"]["generateName"] == "bert-closequeue-"


def test_the_command_fits_its_definition() -> None:
    from k8s_charts.render import render
    from k8s_charts.volcano import VolcanoCrds
    from tests.k8s.validation import problems

    body = queue_command({"metadata": {"name": "bert", "uid": "u"}}, "CloseQueue")
    body["metadata"]["name"] = "bert-closequeue-1"
    assert problems([body], version="1.35", definitions=render(VolcanoCrds)) == []


# What is left ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (BATCH_ONLY, "'ours/*'"),
        (EKS_ONLY, "'ours/Nodes' 'ours/Cluster' 'ours/Storage'"),
        (BOTH, "'ours/Nodes' 'ours/Cluster' 'ours/Batch' 'ours/Storage'"),
        (BOTH | {"storage": {"lustre": {}, "on_delete": "delete"}}, "'ours/*'"),
        (EKS_ONLY | {"storage": {}}, "'ours/*'"),
    ],
)
def test_the_line_that_destroys_the_stacks(keys: dict[str, Any], line: str, write_team: TeamWriter) -> None:
    team = write_team(keys)
    assert destroy_line(team) == f".venv/bin/cdk destroy -c teams_dir={team.path.parent} {line}"


def test_team_files_of_the_checkout_need_no_folder() -> None:
    assert destroy_line(find_team("llama2", TEAMS_DIR)) == ".venv/bin/cdk destroy 'llama2/*'"


ARNS = (
    "arn:aws:ec2:us-west-2:111122223333:vpc/vpc-1",
    "arn:aws:fsx:us-west-2:111122223333:file-system/fs-1",
    "arn:aws:s3:::the-bucket",
    "arn:aws:logs:us-west-2:111122223333:log-group:/aws/x",
    "arn:aws:elasticloadbalancing:us-west-2:111122223333:loadbalancer/net/a/b",
    "arn:aws:ec2:us-west-2:111122223333:natgateway/nat-1",
)


def test_kinds_of_resources() -> None:
    assert [kind_of(arn) for arn in ARNS] == [
        "ec2:vpc",
        "fsx:file-system",
        "s3:bucket",
        "logs:log-group",
        "elasticloadbalancing:loadbalancer",
        "ec2:natgateway",
    ]


def test_the_receipt_has_first_what_costs_money() -> None:
    found = rows(ARNS, retain=True)
    assert [row["type"] for row in found] == [
        "ec2:natgateway",
        "elasticloadbalancing:loadbalancer",
        "fsx:file-system",
        "logs:log-group",
        "s3:bucket",
        "ec2:vpc",
    ]
    assert [bool(row["note"]) for row in found] == [False, False, True, True, True, False]
    assert not [row for row in rows(ARNS, retain=False) if row["note"]]


def test_not_every_log_group_is_said_to_be_kept() -> None:
    notes = {row["type"]: row["note"] for row in rows(ARNS, retain=True)}
    assert notes["s3:bucket"] == "kept by storage.on_delete: retain"
    assert notes["logs:log-group"] == "the jobs' own is kept by storage.on_delete: retain"


def test_the_receipt_asks_by_the_teams_tag(write_team: TeamWriter, world: World) -> None:
    client = world.account.client("resourcegroupstaggingapi")
    with Stubber(client) as stub:
        found = {"ResourceTagMappingList": [{"ResourceARN": ARNS[1]}], "PaginationToken": ""}
        stub.add_response("get_resources", found, {"TagFilters": [{"Key": TEAM_TAG, "Values": ["ours"]}]})
        assert [row["resource"] for row in receipt(world.account, world.team)] == [ARNS[1]]


def test_only_the_receipt(world: World, trn: Trn) -> None:
    s3 = world.account.client("s3")
    s3.create_bucket(Bucket="kept", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_tagging(Bucket="kept", Tagging={"TagSet": [{"Key": TEAM_TAG, "Value": "ours"}]})
    found = json.loads(trn("cleanup", "ours", "--receipt", "--json").out)
    assert {"type": "s3:bucket", "costs": "what is in it", "resource": "arn:aws:s3:::kept"} | {
        "note": "kept by storage.on_delete: retain"
    } in found
    assert "arn:aws:s3:::kept" in trn("cleanup", "ours", "--receipt").out
    assert world.kubernetes.requests == []


def test_a_load_balancer_that_no_service_knows_is_a_warning(
    make_world: WorldMaker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(EKS_ONLY)
    client = world.account.client("resourcegroupstaggingapi")
    cluster = {
        "TagFilters": [{"Key": "kubernetes.io/cluster/ours-cluster", "Values": ["owned"]}],
        "ResourceTypeFilters": ["elasticloadbalancing:loadbalancer"],
    }
    left = {"ResourceTagMappingList": [{"ResourceARN": ARNS[4]}], "PaginationToken": ""}
    with Stubber(client) as stub:
        stub.add_response("get_resources", left, cluster)
        stub.add_response("get_resources", left, cluster)
        stub.add_response(
            "get_resources",
            {"ResourceTagMappingList": [], "PaginationToken": ""},
            {"TagFilters": [{"Key": TEAM_TAG, "Values": ["ours"]}]},
        )
        clean_up(world.account, world.team, images=False)
    assert f"warning: {ARNS[4]} is tagged as the cluster's and still there" in capsys.readouterr().err


def test_a_stack_that_is_not_deployed_has_no_cluster(write_team: TeamWriter, aws: None, make_world: WorldMaker) -> None:
    world = make_world(BATCH_ONLY)
    with cluster_if_there(world.account, write_team(BOTH)) as api:
        assert api is None


def test_reopening_as_a_dry_run_sends_nothing(full: World, trn: Trn) -> None:
    carry_out(planned(full))
    before = len(full.kubernetes.requests)
    told = trn("cleanup", "ours", "--reopen", "--dry-run")
    arn = full.values[Output.JOB_QUEUE_ARN]
    assert (told.code, told.out) == (0, f"open queue bert\nopen queue vision\nenable {arn}\n")
    assert {request.method for request in full.kubernetes.requests[before:]} <= {"GET"}
    assert full.account.client("batch").describe_job_queues()["jobQueues"][0]["state"] == "DISABLED"


def test_a_queue_that_is_not_there_is_not_opened(full: World, trn: Trn) -> None:
    del full.kubernetes.objects[SCHEDULING, "queues", "", "vision"]
    told = trn("cleanup", "ours", "--reopen")
    assert told.code == 1
    assert told.err.splitlines()[:4] == [
        "done: open queue bert",
        "trn: open queue vision: there is no such queue; a deployment makes it",
        "  done: open queue bert",
        "  not done: open queue vision",
    ]


def test_a_queue_that_stays_closed_is_said(full: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out(planned(full))

    def stays(*_: object, **__: object) -> bool:
        raise StillThereError(["queue bert"])

    monkeypatch.setattr("ops.cleanup.command.set_volcano_queue", stays)
    told = trn("cleanup", "ours", "--reopen")
    assert (told.code, "open queue bert: still there after 15 minutes" in told.err) == (1, True)


@pytest.mark.parametrize(
    "flags",
    [
        ("--receipt", "--reopen"),
        ("--receipt", "--images"),
        ("--reopen", "--images"),
        ("--receipt", "--dry-run"),
        ("--reopen", "--json"),
    ],
)
def test_flags_that_exclude_each_other(flags: tuple[str, str], world: World, trn: Trn) -> None:
    told = trn("cleanup", "ours", *flags)
    assert (told.code, f"{flags[0]}: got it together with {flags[1]}" in told.err) == (2, True)


def test_staging_jobs_go_before_claims(full: World, trn: Trn) -> None:
    full.kubernetes.put(BATCH_API, "jobs", {"metadata": {"name": "stage-bert", "namespace": "bert"}})
    clean = planned(full)
    assert clean.plan.staging_jobs == (Named("bert", "stage-bert"),)
    names = [name for name, _ in clean.steps()]
    assert names.index("delete Job bert/stage-bert and its pods") < names.index("delete claim bert/scratch")
    carry_out(clean)
    assert full.kubernetes.sent("DELETE")[1] == f"{BATCH_API}/namespaces/bert/jobs/stage-bert"


def test_a_claim_that_a_pod_holds_names_the_pod(full: World) -> None:
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "scratch"}}]
    object_(full, "pods", "notebook", "bert", volumes=volumes)
    clean = planned(full)
    full.kubernetes.linger = 1_000_000
    with pytest.raises(UnfinishedError, match="15 minutes: bert/scratch, held by pod notebook"):
        carry_out(CleanUp(clean.account, clean.team, clean.api, Plan(claims=clean.plan.claims), no_pause))


INDEX = StoredImage("sha256:index", ("one",), is_index=True)
CHILD = StoredImage("sha256:child")


def deletion(world: World, *answers: tuple[list[str], list[tuple[str, str]]]) -> None:
    """Delete the two images of a plan; each answer: (digests that are sent, failures)."""
    plan_ = Plan(images={"ours-bert": (CHILD, INDEX)}, delete_images=True)
    with Stubber(world.account.client("ecr")) as stub:
        for digests, failures in answers:
            failed = [
                {"imageId": {"imageDigest": digest}, "failureCode": code, "failureReason": f"{code}, says ECR"}
                for digest, code in failures
            ]
            asked = {"repositoryName": "ours-bert", "imageIds": [{"imageDigest": digest} for digest in digests]}
            stub.add_response("batch_delete_image", {"failures": failed}, asked)
        carry_out(CleanUp(world.account, world.team, None, plan_, no_pause))
        stub.assert_no_pending_responses()


def test_indexes_go_first_and_their_children_once_more(world: World) -> None:
    both = [INDEX.digest, CHILD.digest]
    deletion(world, (both, [(CHILD.digest, "ImageReferencedByManifestList")]), ([CHILD.digest], []))
    deletion(world, (both, [(CHILD.digest, "ImageNotFound")]))


def test_an_image_that_ecr_keeps_is_said(world: World) -> None:
    both = [INDEX.digest, CHILD.digest]
    with pytest.raises(UnfinishedError, match="1 images are not deleted; sha256:index: KmsError, says ECR"):
        deletion(world, (both, [(INDEX.digest, "KmsError")]))


def test_ctrl_c_at_the_question(full: World, trn: Trn, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True, readline=interrupted))
    told = trn("cleanup", "ours")
    assert (told.code, told.err.splitlines()[-1]) == (130, "trn: interrupted at the question; nothing was changed")
    assert {request.method for request in full.kubernetes.requests} == {"GET"}


def test_a_folder_with_a_space_is_quoted(write_team: TeamWriter) -> None:
    team = write_team(BATCH_ONLY)
    folder = team.path.parent / "my teams"
    folder.mkdir()
    team.path.rename(folder / team.path.name)
    assert f"-c 'teams_dir={folder}' " in destroy_line(find_team("ours", folder))
