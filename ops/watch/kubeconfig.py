"""A kubeconfig for kubectl whose user asks `trn kube-token`: no token, no secret is in it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ops.aws import Account, outputs
from ops.kube import token
from spec.names import Output, StackName
from spec.team import Team

EXEC_API = "client.authentication.k8s.io/v1"
"""https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins"""
TOKEN_MINUTES = 14
"""EKS takes a token for 15 minutes; a new one is asked for before that."""


def kubeconfig(account: Account, team: Team) -> dict[str, Any]:
    """The kubeconfig of a team's cluster; OpsError where it is not deployed."""
    name = outputs(account, team, StackName.CLUSTER)[Output.CLUSTER_NAME]
    cluster = account.client("eks").describe_cluster(name=name)["cluster"]
    plugin = {
        "apiVersion": EXEC_API,
        "command": str(Path(sys.executable).with_name("trn")),
        "args": ["kube-token", name, "--region", account.region],
        "interactiveMode": "Never",
    }
    authority = {"certificate-authority-data": cluster["certificateAuthority"]["data"]}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": cluster["endpoint"]} | authority}],
        "users": [{"name": name, "user": {"exec": plugin}}],
        "contexts": [{"name": team.name, "context": {"cluster": name, "user": name}}],
        "current-context": team.name,
    }


def credential(account: Account, cluster: str) -> dict[str, Any]:
    """What a credential plugin prints for kubectl."""
    until = datetime.now(UTC) + timedelta(minutes=TOKEN_MINUTES)
    status = {"token": token(account, cluster), "expirationTimestamp": until.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {"apiVersion": EXEC_API, "kind": "ExecCredential", "status": status}


@contextmanager
def kubeconfig_file(account: Account, team: Team) -> Iterator[Path]:
    """A kubeconfig that only this user can read, deleted at the end. JSON is YAML, too."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "kubeconfig"
        path.write_text(json.dumps(kubeconfig(account, team)))
        yield path
