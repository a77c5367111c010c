"""Whether the service-linked roles of the services in use exist."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, Reporter
from spec.account import BATCH_ROLES, EKS_ROLES, LUSTRE_ROLES, ServiceLinkedRole
from spec.team import Team

REPORT = Reporter("service-linked role")


def check(account: Account, team: Team) -> Findings:
    for role in roles_of(team):
        try:
            account.client("iam").get_role(RoleName=role.name)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchEntity":
                raise
            expected = (
                "the deploying role may create it (iam:CreateServiceLinkedRole), or somebody does before: "
                f"aws iam create-service-linked-role --aws-service-name {role.service}"
            )
            yield REPORT.warning(role.name, "missing", expected)
        else:
            yield REPORT.ok(role.name, "exists", "exists")


def roles_of(team: Team) -> tuple[ServiceLinkedRole, ...]:
    return (
        *(EKS_ROLES if team.eks is not None else ()),
        *(BATCH_ROLES if team.batch is not None else ()),
        *(LUSTRE_ROLES if team.storage.lustre is not None else ()),
    )
