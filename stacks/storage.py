"""The storage stack: everything of a team that holds data."""

from __future__ import annotations

from constructs import Construct

from constructs_lib.artifact_bucket import ArtifactBucket
from constructs_lib.lustre import LustreFileSystem
from constructs_lib.repositories import Repositories
from spec.names import Output, repository_uri_output
from spec.team import Team
from stacks.network import NetworkStack
from stacks.team_stack import TeamStack, removal_policy


class StorageStack(TeamStack):
    """Artifact bucket, image repositories and, where asked, the Lustre file system."""

    def __init__(self, scope: Construct, id_: str, *, team: Team, network: NetworkStack) -> None:
        super().__init__(scope, id_, team=team, description="bucket, image repositories and Lustre file system")
        self.bucket = ArtifactBucket(
            self, "Artifacts", existing=team.storage.bucket, removal_policy=removal_policy(team)
        )
        self.output(Output.BUCKET_NAME, self.bucket.bucket.bucket_name, "Datasets, compile cache, checkpoints, logs")

        self.repositories = Repositories(
            self, "Repositories", images=team.repositories, removal_policy=removal_policy(team)
        ).by_image
        for image, repository in self.repositories.items():
            self.output(repository_uri_output(image), repository.repository_uri, f"Repository of image {image}")

        self.file_system = self._lustre(network)
        if self.file_system is not None:
            self.output(Output.FILE_SYSTEM_ID, self.file_system.file_system_id, "Lustre file system")
            self.output(Output.FILE_SYSTEM_DNS_NAME, self.file_system.dns_name, "DNS name that clients mount")
            self.output(Output.FILE_SYSTEM_MOUNT_NAME, self.file_system.mount_name, "Mount name that clients mount")
            self.output(
                Output.FILE_SYSTEM_SECURITY_GROUP_ID, self.file_system.security_group_id, "Group of Lustre servers"
            )

    def _lustre(self, network: NetworkStack) -> LustreFileSystem | None:
        lustre = self.team.storage.lustre
        if lustre is None:
            return None
        return LustreFileSystem(
            self,
            "Lustre",
            vpc=network.vpc,
            subnet=network.training_subnet,
            training_security_group_id=network.efa_security_group.security_group_id,
            storage_capacity_gib=lustre.capacity_gib,
            deployment_type=lustre.deployment,
            per_unit_storage_throughput=lustre.throughput,
            linked_bucket=self.bucket if lustre.s3_link else None,
            removal_policy=removal_policy(self.team),
        )
