"""docs/preflight.md and docs/operate.md list the IAM actions of each command: all that it calls, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from spec.price_file import load_prices
from tests.conftest import ROOT

CALLS = (
    re.compile(r'(?:client|once)\("([\w-]+)"\)\s*\.(\w+)\('),
    re.compile(r'pages\(\s*"([\w-]+)",\s*"(\w+)"'),
)
PREFIXES = {"service-quotas": "servicequotas"}
"""IAM's name of a service where it is not boto3's."""
OTHER_ACTIONS = {
    "s3:HeadBucket": "s3:ListBucket",
    "s3:ListObjectsV2": "s3:ListBucket",
    "s3:UploadFile": "s3:PutObject",
    "resourcegroupstaggingapi:GetResources": "tag:GetResources",
}
"""https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html"""
PAGE = (ROOT / "docs" / "preflight.md").read_text()
STACKS = "cloudformation:DescribeStacks"


def called(*patterns: str) -> Iterator[str]:
    for path in [path for pattern in patterns for path in sorted((ROOT / "ops").glob(pattern))]:
        for call in CALLS:
            for service, method in call.findall(path.read_text()):
                operation = boto3.client(service, "us-west-2").meta.method_to_api_mapping.get(method, "UploadFile")
                action = f"{PREFIXES.get(service, service)}:{operation}"
                yield OTHER_ACTIONS.get(action, action)


def documented(heading: str) -> set[str]:
    section = PAGE.partition(f"## `trn {heading}")[2].partition("\n## ")[0]
    return set(re.findall(r"`([a-z0-9]+:[A-Z]\w+)`", section.partition("Permissions")[2]))


@pytest.mark.parametrize(
    ("heading", "patterns", "more"),
    [
        ("preflight", ("preflight/*.py", "zones.py", "deployed.py"), {STACKS}),
        ("scale", ("nodes/*.py",), {STACKS}),
        ("cost", ("cost/*.py", "deployed.py"), {STACKS}),
    ],
)
def test_permissions(heading: str, patterns: tuple[str, ...], more: set[str]) -> None:
    found = set(called(*patterns))
    assert len(found) > 3
    assert documented(heading) == found | more


OPERATE = (ROOT / "docs" / "operate.md").read_text()
EVERYWHERE = {STACKS, "eks:DescribeCluster", "sts:GetCallerIdentity"}
"""Named above the table."""
RUNS = {"batch:ListJobs", "batch:DescribeJobs"}
WATCHED = ("watch/batch_logs.py", "watch/cancel.py", "watch/top.py", "watch/runs.py")


def operate_row(command: str) -> set[str]:
    section = OPERATE.partition("### Permissions")[2]
    (row,) = re.findall(rf"^\| `{command}`.*\|$", section, re.MULTILINE)
    return set(re.findall(r"`([a-z0-9]+:[A-Z]\w+)`", row))


@pytest.mark.parametrize(
    ("command", "patterns", "more"),
    [
        # Tags are sent with the job; Batch asks for the permission to write them.
        ("run", ("launch/*.py",), {*RUNS, "batch:TagResource"}),
        ("status", ("watch/status.py",), RUNS),
        ("logs", WATCHED, set()),
        (
            "images",
            ("images/*.py",),
            {
                "ecr:GetAuthorizationToken",
                "ecr:BatchGetImage",
                *(f"ecr:{it}" for it in ("BatchCheckLayerAvailability", "InitiateLayerUpload", "UploadLayerPart")),
                *("ecr:CompleteLayerUpload", "ecr:PutImage"),
            },
        ),
        ("data stage llama2", ("data/*.py",), {"s3:PutObject", "s3:AbortMultipartUpload"}),
        ("cleanup", ("cleanup/*.py",), {*RUNS, "batch:TerminateJob"}),
    ],
)
def test_permissions_of_operating(command: str, patterns: tuple[str, ...], more: set[str]) -> None:
    assert operate_row(command) == (set(called(*patterns)) | more) - EVERYWHERE


def test_permissions_of_every_command_are_above_the_table() -> None:
    above = OPERATE.partition("### Permissions")[2].partition("\n|")[0]
    assert set(re.findall(r"`([a-z0-9]+:[A-Z]\w+)`", above)) == EVERYWHERE


def test_the_price_file_of_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    assert load_prices(path).own == {"trn2.48xlarge", "fsx.PERSISTENT_2.250"}
