"""The Kubernetes API of a team's cluster, with AWS credentials alone: neither kubectl nor a kubeconfig is needed."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botocore.signers import RequestSigner
from kubernetes import client
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from ops.aws import Account, outputs
from spec.names import Output, StackName
from spec.team import Team

TOKEN_SECONDS = 60
"""How long the signed request in a token is good; EKS takes a token for 15 minutes after that.
https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/v0.7.0/README.md"""

RETRIES = Retry(total=3, connect=1, backoff_factor=0.5, raise_on_status=False)
"""An endpoint that is not there is tried twice. An answer, such as 429, is given back as it is after the last try."""


@contextmanager
def cluster_api(account: Account, team: Team) -> Iterator[client.ApiClient]:
    """The API client of the team's cluster; OpsError where there is no cluster or no way to it."""
    name = outputs(account, team, StackName.CLUSTER)[Output.CLUSTER_NAME]
    cluster = account.client("eks").describe_cluster(name=name)["cluster"]
    configuration = client.Configuration(host=cluster["endpoint"])
    configuration.retries = RETRIES
    # The client adds a header only where there is a key already; the hook then makes each request a fresh one.
    configuration.api_key["authorization"] = ""
    configuration.refresh_api_key_hook = lambda it: it.api_key.update(authorization=f"Bearer {token(account, name)}")
    with tempfile.TemporaryDirectory() as directory:
        authority = Path(directory) / "ca.crt"
        authority.write_bytes(base64.b64decode(cluster["certificateAuthority"]["data"]))
        configuration.ssl_ca_cert = str(authority)
        with client.ApiClient(configuration) as api:
            try:
                yield api
            finally:
                api.rest_client.pool_manager.clear()  # the client itself leaves its connections open


def token(account: Account, cluster: str) -> str:
    """A bearer token that EKS takes for the caller's IAM identity: a signed sts:GetCallerIdentity, not yet sent.

    https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
    """
    sts = account.client("sts")
    signer = RequestSigner(
        sts.meta.service_model.service_id,
        account.region,
        "sts",
        "v4",
        account.session.get_credentials(),
        account.session.events,
    )
    request = {
        "method": "GET",
        "url": f"{sts.meta.endpoint_url}/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": cluster},
        "context": {},
    }
    url = signer.generate_presigned_url(
        request, region_name=account.region, expires_in=TOKEN_SECONDS, operation_name=""
    )
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def explain(error: client.ApiException | HTTPError) -> str:
    """What an error of the Kubernetes API means and what to do about it."""
    if isinstance(error, HTTPError):
        return (
            "the cluster's endpoint was not reached; it may be private: connect from inside the VPC, or add your "
            f"address to eks.public_access_cidrs ({error})"
        )
    text = _message(error)
    match error.status:
        case 401:
            return (
                "the cluster does not know this IAM identity, or its credentials have expired: log in again; or add "
                "its role to eks.admins, or to researchers of a queue"
            )
        case 403:
            return f"not allowed: {text}; researchers of a queue work in its namespace only"
        case 404:
            return f"not found: {text}"
        case 429:
            return "the cluster's API keeps refusing requests as too many; wait a minute and run the command again"
        case _:
            return f"the cluster's API answered {error.status}: {text}"


def _message(error: client.ApiException) -> str:
    try:
        return str(json.loads(error.body)["message"])
    except (TypeError, ValueError, KeyError):
        return str(error.reason)
