"""cdk-nag's AwsSolutions pack: every finding is acknowledged with a reason, and no acknowledgement is idle."""

from __future__ import annotations

from pathlib import Path

import pytest
from aws_cdk import App

from spec.team_file import find_team_files, load_team
from stacks.acknowledged import ACKNOWLEDGED
from stacks.team_stage import TeamStage
from stacks.validation import acknowledgement, nag_findings, nag_report
from tests.conftest import CONTEXT, ROOT, TeamFactory


@pytest.fixture(scope="module")
def app(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> App:
    """The sample teams, and one that takes every other branch that changes what nag sees."""
    teams = [load_team(path) for path in find_team_files(ROOT / "teams")]
    network = {"training_zone": "usw2-az4", "second_zone": "usw2-az3", "nat": "none"}
    node_group = {"name": "trn1", "instance_type": "trn1.32xlarge"}
    teams.append(
        make_team(
            "open",
            network=network,
            storage={"bucket": "one-that-exists"},
            eks={"node_groups": [node_group], "public_access_cidrs": ["203.0.113.0/24"]},
            batch={"instance_type": "trn1.32xlarge", "max_nodes": 2},
        )
    )
    teams.append(
        make_team(
            "temporary",
            storage={"on_delete": "delete", "lustre": {}},
            batch={"instance_type": "trn1.32xlarge", "max_nodes": 2},
        )
    )
    outdir: Path = tmp_path_factory.mktemp("nag")
    app = App(outdir=str(outdir), context=CONTEXT, analytics_reporting=False, builtin_cloud_formation_validation=False)
    for team in teams:
        TeamStage(app, team.name, team=team)
    app.synth()
    return app


def test_every_finding_is_acknowledged(app: App) -> None:
    lines, passed = nag_report(app)
    assert [line for line in lines if line.startswith("not acknowledged")] == []
    assert passed


def test_every_acknowledgement_covers_a_finding(app: App) -> None:
    used = {acknowledgement(finding, path) for finding, path in nag_findings(app)}
    assert [row for row in ACKNOWLEDGED if row not in used] == []


def test_the_report_gives_each_reason(app: App) -> None:
    lines, _ = nag_report(app)
    for row in ACKNOWLEDGED:
        assert f"acknowledged {row.finding}: {row.reason}" in lines


@pytest.mark.parametrize(
    ("finding", "path"),
    [
        ("AwsSolutions-IAM5[Resource::*]", "bert/Batch/JobRole/DefaultPolicy/Resource"),
        ("AwsSolutions-IAM5[Action::s3:*]", "bert/Batch/JobRole/DefaultPolicy/Resource"),
        ("AwsSolutions-IAM5[Resource::bucket/*]", "bert/Batch/JobRole/DefaultPolicy/Resource"),
        ("AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/AdministratorAccess]", "bert/Batch/JobRole/X"),
        ("AwsSolutions-EC23", "bert/Network/EfaSecurityGroup/IngressFromSelf"),
    ],
)
def test_fails_on_what_nobody_acknowledged(finding: str, path: str) -> None:
    assert acknowledgement(finding, path) is None
