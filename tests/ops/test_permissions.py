"""docs/preflight.md lists the IAM actions that each command needs: all that it calls, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from spec.price_file import load_prices
from tests.conftest import ROOT

CALLS = (
    re.compile(r'client\("([\w-]+)"\)\s*\.(\w+)\('),
    re.compile(r'pages\(\s*"([\w-]+)",\s*"(\w+)"'),
)
PREFIXES = {"service-quotas": "servicequotas"}
"""IAM's name of a service where it is not boto3's."""
OTHER_ACTIONS = {"s3:HeadBucket": "s3:ListBucket"}
"""https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html"""
PAGE = (ROOT / "docs" / "preflight.md").read_text()
STACKS = "cloudformation:DescribeStacks"


def called(*patterns: str) -> Iterator[str]:
    for path in [path for pattern in patterns for path in sorted((ROOT / "ops").glob(pattern))]:
        for call in CALLS:
            for service, method in call.findall(path.read_text()):
                operation = boto3.client(service, "us-west-2").meta.method_to_api_mapping[method]
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


def test_the_price_file_of_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    assert load_prices(path).own == {"trn2.48xlarge", "fsx.PERSISTENT_2.250"}
