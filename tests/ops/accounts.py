"""Stand-ins for AWS accounts: moto where it holds real data, stubbed clients with exact parameters elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from moto import mock_aws

from ops.aws import Account
from ops.cli import run
from spec.names import StackName, stack_name
from spec.team import Team
from spec.team_file import load_team

REGION = "us-west-2"
ACCOUNT_ID = "123456789012"
"""Of moto's account."""

BATCH = {"instance_type": "trn1.32xlarge", "max_nodes": 4}
GROUP = {"name": "trn1", "instance_type": "trn1.32xlarge"}
ADMINS = ["arn:aws:iam::111122223333:role/Admin"]


@pytest.fixture
def moto_account() -> Iterator[Account]:
    """moto's account in one Region."""
    with mock_aws():
        yield Account(REGION)


class StubbedAccount:
    """An account whose clients answer what a test expects, in order; `close` fails where something was not asked."""

    def __init__(self, region: str = REGION) -> None:
        self.account = Account(region)
        self._stubs: dict[str, Stubber] = {}

    def stub(self, service: str) -> Stubber:
        if service not in self._stubs:
            client = boto3.client(service, region_name=self.account.region)
            self.account.clients[service] = client
            self._stubs[service] = Stubber(client)
            self._stubs[service].activate()
        return self._stubs[service]

    def answer(self, service: str, operation: str, answer: Mapping[str, Any], **parameters: Any) -> None:
        self.stub(service).add_response(operation, dict(answer), parameters)

    def fail(self, service: str, operation: str, code: str, **parameters: Any) -> None:
        self.stub(service).add_client_error(operation, code, f"{code} said AWS", expected_params=parameters)

    def not_deployed(self, team: Team, stack: StackName) -> None:
        name = stack_name(team.name, stack)
        self.stub("cloudformation").add_client_error(
            "describe_stacks", "ValidationError", f"Stack {name} does not exist", expected_params={"StackName": name}
        )

    def deployed(self, team: Team, stack: StackName, **outputs: str) -> None:
        name = stack_name(team.name, stack)
        self.answer(
            "cloudformation",
            "describe_stacks",
            {
                "Stacks": [
                    {
                        "StackName": name,
                        "CreationTime": "2026-11-30T00:00:00Z",
                        "StackStatus": "CREATE_COMPLETE",
                        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()],
                    }
                ]
            },
            StackName=name,
        )

    def close(self) -> None:
        for stub in self._stubs.values():
            stub.assert_no_pending_responses()


@pytest.fixture
def stubbed() -> Iterator[StubbedAccount]:
    account = StubbedAccount()
    yield account
    account.close()


TeamMaker = Callable[..., Team]


@pytest.fixture
def team_of(tmp_path: Path) -> TeamMaker:
    """A team from the keys of its file: `team_of(batch={...}, eks={...})`."""

    def make(name: str = "bert", **keys: Any) -> Team:
        network = {"training_zone": "usw2-az4", "second_zone": "usw2-az3"}
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps({"region": REGION, "network": network} | keys))
        return load_team(path)

    return make


def eks(*groups: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """The EKS path with these node groups."""
    return {"admins": ADMINS, "node_groups": [dict(group) for group in groups or (GROUP,)]} | keys


def expired(operation: str = "GetCallerIdentity") -> ClientError:
    return ClientError({"Error": {"Code": "ExpiredToken", "Message": "expired"}}, operation)


Trn = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Trn:
    """Run the command line: (exit code, standard output, standard error)."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def use(monkeypatch: pytest.MonkeyPatch, account: Account) -> None:
    """Give this account to every command that makes one."""
    monkeypatch.setattr("ops.aws.Account", lambda region: account)
