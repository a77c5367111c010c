"""Mutants of what the FSx CSI driver may do."""

from __future__ import annotations

from typing import Any

from tests.mutants.mutant import Change, Mutant, plus, to
from tests.rules import csi_driver

STATIC, SHARED = "bert/Cluster", "shared/Cluster"
POLICY = "AWS::IAM::Policy TrainingFsxCsiRole"


def request_tag(team: str) -> dict[str, Any]:
    return {"StringEquals": {"aws:RequestTag/trn-training:team": team}}


def _allows(statement: dict[str, Any], effect: str, action: str) -> bool:
    actions = statement["Action"]
    return statement["Effect"] == effect and action in ([actions] if isinstance(actions, str) else actions)


def in_statement(effect: str, action: str, **keys: Any) -> Change:
    """Set keys of the statements about an action; None removes a key."""

    def change(old: list[dict[str, Any]]) -> list[dict[str, Any]]:
        changed = [statement | keys if _allows(statement, effect, action) else statement for statement in old]
        return [{key: value for key, value in statement.items() if value is not None} for statement in changed]

    return change


def without_statement(effect: str, action: str) -> Change:
    return lambda old: [statement for statement in old if not _allows(statement, effect, action)]


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "csi-driver-deletes-file-systems",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        STATIC,
        POLICY,
        "PolicyDocument.Statement.0.Action",
        to(["fsx:DescribeFileSystems", "fsx:DeleteFileSystem"]),
    ),
    Mutant(
        "csi-driver-with-full-access",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        STATIC,
        "AWS::IAM::Role TrainingFsxCsiRole",
        "ManagedPolicyArns",
        plus("arn:aws:iam::aws:policy/AmazonFSxFullAccess"),
    ),
    Mutant(
        "csi-driver-creates-without-a-tag",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Allow", "fsx:CreateFileSystem", Condition=None),
    ),
    Mutant(
        "csi-driver-tags-as-another-team",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Allow", "fsx:TagResource", Condition=request_tag("bert")),
    ),
    Mutant(
        "csi-driver-deletes-what-others-made",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Allow", "fsx:DeleteFileSystem", Condition=None),
    ),
    Mutant(
        "csi-driver-grows-by-what-the-request-says",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Allow", "fsx:UpdateFileSystem", Condition=request_tag("shared")),
    ),
    Mutant(
        "csi-driver-may-delete-the-team-s-data",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        without_statement("Deny", "fsx:DeleteFileSystem"),
    ),
    Mutant(
        "csi-driver-may-delete-the-team-s-data-by-day",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Deny", "fsx:DeleteFileSystem", Condition={"Bool": {"aws:ViaAWSService": "true"}}),
    ),
    Mutant(
        "csi-driver-may-delete-other-data-alone",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Deny", "fsx:DeleteFileSystem", Resource=["arn:aws:fsx:us-west-2:111122223333:file-system/fs-1"]),
    ),
    Mutant(
        "csi-driver-cannot-look",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        without_statement("Allow", "fsx:DescribeFileSystems"),
    ),
    Mutant(
        "csi-driver-makes-any-service-s-role",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        in_statement("Allow", "iam:CreateServiceLinkedRole", Condition=None),
    ),
    Mutant(
        "csi-driver-takes-backups-away",
        csi_driver.the_csi_driver_touches_only_its_own_file_systems,
        SHARED,
        POLICY,
        "PolicyDocument.Statement",
        plus(
            {"Effect": "Allow", "Action": "fsx:DeleteBackup", "Resource": "arn:aws:fsx:us-west-2:111122223333:backup/*"}
        ),
    ),
)
