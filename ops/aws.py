"""The AWS account of a team: clients, and what its stacks put out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from ops.errors import OpsError, RefusedError
from spec.names import StackName, stack_name
from spec.team import Team

# Throttled calls are tried again with growing pauses before anybody hears of them.
# https://docs.aws.amazon.com/boto3/latest/guide/retries.html
CONFIG = Config(retries={"mode": "standard", "total_max_attempts": 6}, connect_timeout=10, read_timeout=60)
ONCE = CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))

EXPIRED = (
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
)
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError")
# https://docs.aws.amazon.com/boto3/latest/guide/retries.html#standard-retry-mode
THROTTLED = (
    *("Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "RequestThrottled"),
    *("TooManyRequestsException", "RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException"),
    *(
        "ProvisionedThroughputExceededException",
        "TransactionInProgressException",
        "SlowDown",
        "PriorRequestNotComplete",
    ),
    "EC2ThrottledException",
)
NO_CREDENTIALS = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.TokenRetrievalError,
    exceptions.UnauthorizedSSOTokenError,
    exceptions.SSOTokenLoadError,
    exceptions.ProfileNotFound,
)


@dataclass(frozen=True)
class Account:
    """Clients in one Region, made when they are first asked for."""

    region: str
    session: boto3.Session = field(default_factory=boto3.Session)
    clients: dict[str, Any] = field(default_factory=dict)
    """By service; a test puts stubbed ones here."""

    def once(self, service: str) -> Any:
        """A client that sends each request once, for operations that must not happen twice."""
        return self._made(f"{service}, once", service, ONCE)

    def client(self, service: str) -> Any:
        """The boto3 client of a service."""
        return self._made(service, service, CONFIG)

    def _made(self, name: str, service: str, config: Config) -> Any:
        if name not in self.clients:
            self.clients[name] = self.session.client(service, region_name=self.region, config=config)
        return self.clients[name]

    def pages(self, service: str, operation: str, key: str, **arguments: Any) -> Iterator[Any]:
        """Every item under `key` of a paginated operation."""
        for page in self.client(service).get_paginator(operation).paginate(**arguments):
            yield from page.get(key, ())


def regional_accounts(regions: Sequence[str]) -> list[Account]:
    """One account per Region, all on the same credentials, which are asked for once."""
    session = boto3.Session()
    return [Account(region, session) for region in dict.fromkeys(regions)]


def account_of(team: Team) -> Account:
    """The account that the credentials in the environment belong to; RefusedError where the team file names another."""
    account = Account(team.region)
    if team.account is not None:
        found = account.client("sts").get_caller_identity()["Account"]
        if found != team.account:
            raise RefusedError(
                f"{team.path}: account: got credentials of {found}, expected of {team.account}; "
                "set AWS_PROFILE to a profile of that account"
            )
    return account


class Outputs(dict[str, str]):
    """Values by output key of a deployed stack; OpsError for one that it does not put out."""

    def __init__(self, values: Mapping[str, str], *, stack: str, status: str, team: str) -> None:
        super().__init__(values)
        self._told = f"stack {stack}: is {status} and has no output", f"run `.venv/bin/cdk deploy '{team}/*'` first"

    def __missing__(self, key: str) -> str:
        stack, command = self._told
        raise OpsError(f"{stack} {key}; {command}")


def outputs(account: Account, team: Team, stack: StackName) -> Outputs:
    """Values by output key of a team's deployed stack; OpsError where it is not deployed."""
    name = stack_name(team.name, stack)
    try:
        found = account.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    except exceptions.ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError" and "does not exist" in str(error):
            found = []
        else:
            raise
    alive = [one for one in found if one["StackStatus"] != "DELETE_COMPLETE"]
    if not alive:
        raise OpsError(
            f"stack {name}: not deployed in {account.region}; run `.venv/bin/cdk deploy '{team.name}/*'` first"
        )
    values = {output["OutputKey"]: output["OutputValue"] for output in alive[0].get("Outputs", ())}
    return Outputs(values, stack=name, status=alive[0]["StackStatus"], team=team.name)


def ends_every_call(error: exceptions.BotoCoreError | exceptions.ClientError) -> bool:
    """Whether every further call would fail alike: credentials are missing or have expired."""
    if isinstance(error, exceptions.ClientError):
        return error.response.get("Error", {}).get("Code") in EXPIRED
    return isinstance(error, NO_CREDENTIALS)


def explain(error: exceptions.BotoCoreError | exceptions.ClientError) -> str:
    """What an error of boto3 means and what to do about it."""
    if isinstance(error, exceptions.ClientError):
        return _explain_answer(error)
    if isinstance(error, exceptions.NoCredentialsError | exceptions.PartialCredentialsError):
        return "no AWS credentials found; set AWS_PROFILE, or log in with `aws sso login`"
    if isinstance(error, exceptions.TokenRetrievalError | exceptions.UnauthorizedSSOTokenError):
        return "the AWS SSO session has expired; log in again with `aws sso login`"
    if isinstance(error, exceptions.ProfileNotFound):
        return f"{error}; AWS_PROFILE must name a profile of ~/.aws/config"
    if isinstance(error, exceptions.HTTPClientError | exceptions.EndpointConnectionError):
        return f"AWS was not reached: {error}; check the network and the Region, and run the command again"
    return str(error)


def _explain_answer(error: exceptions.ClientError) -> str:
    code = error.response.get("Error", {}).get("Code", "")
    text = error.response.get("Error", {}).get("Message", str(error))
    operation = error.operation_name
    if code in EXPIRED:
        return f"the AWS credentials have expired or are unknown ({operation}: {code}); log in again, then repeat"
    if code in DENIED:
        return f"not allowed: {operation}: {text}; the role in use lacks this permission"
    if code in THROTTLED:
        return f"AWS keeps throttling {operation}; wait a minute and run the command again"
    return f"{operation}: {code}: {text}"
