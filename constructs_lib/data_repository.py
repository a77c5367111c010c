"""What a Lustre file system and the artifact bucket have in common."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_fsx as fsx
from constructs import Construct, IDependable

from constructs_lib.artifact_bucket import ArtifactBucket
from spec.names import Prefix

EVENTS = ["NEW", "CHANGED", "DELETED"]
IMPORTED = fsx.CfnDataRepositoryAssociation.S3Property(
    auto_import_policy=fsx.CfnDataRepositoryAssociation.AutoImportPolicyProperty(events=EVENTS)
)
EXPORTED = fsx.CfnDataRepositoryAssociation.S3Property(
    auto_export_policy=fsx.CfnDataRepositoryAssociation.AutoExportPolicyProperty(events=EVENTS)
)
DIRECTIONS: Mapping[Prefix, fsx.CfnDataRepositoryAssociation.S3Property] = {
    Prefix.DATASETS: IMPORTED,
    Prefix.CHECKPOINTS: EXPORTED,
    Prefix.LOGS: EXPORTED,
}
"""Datasets appear from the bucket; checkpoints and logs go to it. The rest of the file system stays local."""


def link_to_bucket(scope: Construct, *, file_system_id: str, bucket: ArtifactBucket) -> None:
    """Define one data repository association per linked prefix, at the folder of the same name."""
    previous: IDependable | None = None
    for prefix, direction in DIRECTIONS.items():
        link = fsx.CfnDataRepositoryAssociation(
            scope,
            prefix.name.capitalize(),
            file_system_id=file_system_id,
            file_system_path=f"/{prefix.rstrip('/')}",
            data_repository_path=bucket.uri(prefix),
            batch_import_meta_data_on_create=True,
            s3=direction,
        )
        link.node.add_dependency(bucket)
        # FSx works on one association of a file system at a time and refuses the others meanwhile.
        if previous is not None:
            link.node.add_dependency(previous)
        previous = link
