"""What a valid team file becomes."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from spec.capacity import Capacity
from spec.findings import FILE, Finding, TeamFileError
from spec.hardware import HARDWARE
from spec.rules.network import zone_prefix
from spec.team import Batch, Eks, NodeGroup, Team
from spec.team_file import check_team, find_team_files, load_team
from tests.spec.samples import BATCH, EKS, edited

BLOCK = "cr-0123456789abcdef0"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path


def load(directory: Path, text: str, name: str = "ours.yaml") -> Team:
    path = directory / name
    path.write_text(text)
    return load_team(path)


def eks_of(team: Team) -> Eks:
    assert team.eks is not None
    return team.eks


def batch_of(team: Team) -> Batch:
    assert team.batch is not None
    return team.batch


def test_every_default_is_the_documented_one(directory: Path) -> None:
    team = load(directory, edited(EKS, ("eks:", "storage: {lustre: {}}\neks:")) + BATCH[BATCH.index("batch:") :])
    assert team.model_dump(mode="json", exclude={"path"}) == {
        "name": "ours",
        "region": "us-west-2",
        "account": None,
        "neuron_sdk": "2.28.0",
        "images": ["bert", "llama2", "allreduce"],
        "image_revision": 1,
        "network": {
            "cidr": "10.40.0.0/16",
            "training_zone": "usw2-az4",
            "second_zone": "usw2-az3",
            "nat": "single",
            "verified_zones": [],
        },
        "storage": {
            "bucket": None,
            "on_delete": "retain",
            "lustre": {"capacity_gib": 1200, "deployment": "PERSISTENT_2", "throughput": 250, "s3_link": True},
        },
        "eks": {
            "version": "1.35",
            "release_version": None,
            "upgrade_policy": "STANDARD",
            "service_ipv4_cidr": "172.20.0.0/16",
            "public_access_cidrs": [],
            "admins": ["arn:aws:iam::111122223333:role/Admin"],
            "rendezvous": "c10d",
            "system_nodes": {"instance_type": "m6i.large", "min": 2, "desired": 2, "max": 4},
            "node_groups": [
                {
                    "name": "trn1",
                    "instance_type": "trn1.32xlarge",
                    "min": 0,
                    "desired": 2,
                    "max": 2,
                    "efa_layout": "efa",
                    "placement_group": None,
                    "capacity": "on-demand",
                    "root_volume_gib": 500,
                    "taint": False,
                }
            ],
            "queues": [],
            "neuron_monitor": True,
            "tensorboard": True,
            "dynamic_volumes": False,
            "registry_mirrors": {},
        },
        "batch": {
            "instance_type": "trn1.32xlarge",
            "max_nodes": 4,
            "ami_id": None,
            "efa_layout": "efa",
            "placement_group": None,
            "capacity": "on-demand",
            "root_volume_gib": 500,
            "shares": {},
            "timeout_hours": 168,
            "attempts": 3,
            "max_runnable_minutes": 60,
        },
        "tags": {},
    }


def test_a_queue_has_a_weight(directory: Path) -> None:
    team = load(directory, EKS + "  queues: [{name: q, neuron_devices: 16}]\n")
    assert [(queue.name, queue.weight, queue.neuron_devices) for queue in eks_of(team).queues] == [("q", 1, 16)]


def test_values_derived_from_the_file(directory: Path) -> None:
    team = load(directory, f"{BATCH}neuron_sdk: 2.27.1\nimage_revision: 3\n")
    assert team.name == "ours"
    assert team.path == directory / "ours.yaml"
    assert team.image_tag == "sdk2.27.1-r3"
    assert batch_of(team).hardware is HARDWARE["trn1.32xlarge"]


@pytest.mark.parametrize(
    ("capacity", "option", "default"),
    [
        ("on-demand", Capacity("on-demand"), "create"),
        (f"{{reservation: {BLOCK}}}", Capacity("reservation", BLOCK), "none"),
        (f"{{capacity_block: {BLOCK}}}", Capacity("capacity-block", BLOCK), "none"),
    ],
)
@pytest.mark.parametrize("placement", [None, "create", "none", "ours"])
def test_capacity_and_the_three_ways_of_placement(
    capacity: str, option: Capacity, default: str, placement: str | None, directory: Path
) -> None:
    lines = f"      capacity: {capacity}\n" + (f"      placement_group: {placement}\n" if placement else "")
    group: NodeGroup = eks_of(load(directory, EKS + lines)).node_groups[0]
    assert group.capacity_option == option
    assert group.placement == (placement or default)


@pytest.mark.parametrize(
    ("sdk", "settings", "release"),
    [
        ("2.28.0", "", "1.35.6-20260625"),
        ("2.31.0", "", "1.35.6-20260714"),
        ("2.28.0", "  release_version: 1.35.5-20260610\n", "1.35.5-20260610"),
    ],
)
def test_node_release(sdk: str, settings: str, release: str, directory: Path) -> None:
    team = load(directory, f"neuron_sdk: {sdk}\n{EKS}{settings}")
    assert eks_of(team).node_release(team.neuron_sdk) == release


@pytest.mark.parametrize(
    ("deployment", "throughput"), [("SCRATCH_2", None), ("PERSISTENT_1", 200), ("PERSISTENT_2", 250)]
)
def test_lustre_throughput_follows_the_deployment(deployment: str, throughput: int | None, directory: Path) -> None:
    team = load(directory, f"{EKS}storage: {{lustre: {{deployment: {deployment}}}}}\n")
    assert team.storage.lustre is not None
    assert team.storage.lustre.throughput == throughput


def test_a_team_cannot_be_changed(directory: Path) -> None:
    team = load(directory, BATCH)
    with pytest.raises(ValidationError, match="frozen"):
        team.region = "us-east-1"  # type: ignore[misc]


def test_load_fails_with_every_finding(directory: Path) -> None:
    with pytest.raises(TeamFileError) as error:
        load(directory, edited(BATCH, ("usw2-az4", "usw2-az2"), ("max_nodes: 4", "max_nodes: 0")))
    path = directory / "ours.yaml"
    assert [(finding.severity, finding.line, finding.key) for finding in error.value.findings] == [
        ("warning", 3, "network.training_zone"),
        ("error", 6, "batch.max_nodes"),
    ]
    assert f"{path}:6: batch.max_nodes: got 0, expected a whole number from 1 to 1000" in str(error.value)


def test_load_accepts_warnings(directory: Path) -> None:
    assert load(directory, edited(BATCH, ("usw2-az4", "usw2-az2"))).network.training_zone == "usw2-az2"


@pytest.mark.parametrize("stem", ["Ours", "our_team", "our team", "1st", "ours-", "o" * 33])
def test_fails_on_the_name_of_the_file(stem: str, directory: Path) -> None:
    with pytest.raises(TeamFileError) as error:
        load(directory, BATCH, f"{stem}.yaml")
    assert str(error.value) == (
        f"{directory}/{stem}.yaml:1: file: got the name {stem}.yaml, "
        "expected a file name of 1 to 32 lower-case letters, digits and hyphens that starts with a letter"
    )


@pytest.mark.parametrize("name", ["ours.yml", "ours.json", "ours"])
def test_fails_on_the_suffix(name: str, directory: Path) -> None:
    with pytest.raises(TeamFileError) as error:
        load(directory, BATCH, name)
    assert str(error.value) == (
        f"{directory}/{name}:1: file: got the name {name}, expected a name that ends in .yaml: rename it to ours.yaml"
    )


def test_finds_team_files_in_order(directory: Path) -> None:
    for name in ("b.yaml", "a.yaml", "README.md", ".hidden.yaml.swp"):
        (directory / name).write_text("")
    assert find_team_files(directory) == [directory / "a.yaml", directory / "b.yaml"]


def test_finding_fails_on_a_file_that_would_be_left_out(directory: Path) -> None:
    (directory / "a.yml").write_text(BATCH)
    with pytest.raises(TeamFileError) as error:
        find_team_files(directory)
    assert error.value.findings == (
        Finding(
            "error",
            str(directory / "a.yml"),
            1,
            FILE,
            "the name a.yml",
            "a name that ends in .yaml: rename it to a.yaml",
        ),
    )


def test_finding_fails_without_a_directory(directory: Path) -> None:
    with pytest.raises(TeamFileError) as error:
        find_team_files(directory / "teems")
    assert str(error.value) == f"{directory}/teems:1: file: got no directory, expected a directory of .yaml files"


@pytest.mark.parametrize(
    ("today", "finding"),
    [
        (date(2026, 9, 1), None),
        (
            date(2026, 12, 2),
            "warning: eks.version: got 1.34, expected 1.35 or 1.36: standard support of 1.34 ends 2026-12-02",
        ),
        (
            date(2026, 12, 3),
            "eks.version: got 1.34, expected a version in standard support (1.35, 1.36), "
            "or eks.upgrade_policy: EXTENDED (charged; standard support of 1.34 ended 2026-12-02)",
        ),
        (
            date(2027, 12, 3),
            "eks.version: got 1.34, expected a version in standard support (1.36): support of 1.34 ended 2027-12-02",
        ),
    ],
)
def test_support_is_judged_by_the_day(today: date, finding: str | None, directory: Path) -> None:
    path = directory / "ours.yaml"
    path.write_text(EKS + '  version: "1.34"\n')
    expected = [f"{path}:10: {finding}"] if finding else []
    assert [str(item) for item in check_team(path, today=today)[1]] == expected


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("us-west-2", "usw2"),
        ("ap-southeast-4", "apse4"),
        ("ca-central-1", "cac1"),
        ("us-gov-west-1", "usgw1"),
        ("cn-northwest-1", "cnnw1"),
        ("us-wset-2", None),
    ],
)
def test_zone_ids_start_with_the_region(region: str, prefix: str | None) -> None:
    assert zone_prefix(region) == prefix


def test_zone_ids_of_every_row_start_with_their_region() -> None:
    for row in HARDWARE.values():
        for region, zones in row.zone_ids.items():
            assert all(zone.startswith(f"{zone_prefix(region)}-az") for zone in zones)


def test_loading_a_team_needs_no_cloud_library() -> None:
    code = "import sys, spec.team_file; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"aws_cdk", "jsii", "cdk8s", "boto3", "botocore", "typer", "rich", "torchx"}.intersection(loaded)
