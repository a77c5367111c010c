"""FSx for Lustre: shared storage of the training nodes, linked to the artifact bucket where asked."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnResource, RemovalPolicy, Stack, aws_ec2 as ec2, aws_fsx as fsx, aws_iam as iam
from constructs import Construct, IDependable

from constructs_lib.artifact_bucket import ArtifactBucket
from spec.names import Prefix
from spec.versions import LUSTRE_PORTS, LUSTRE_VERSION


class LustreFileSystem(Construct):
    """FSx for Lustre file system with the rules its clients need, all of them in place before it.

    FSx checks the Lustre ports when it creates the file system's interfaces, so a rule that comes later fails the
    creation now and then. https://github.com/aws/aws-parallelcluster/issues/6181
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        vpc: ec2.IVpc,
        subnet: ec2.ISubnet,
        training_security_group_id: str,
        storage_capacity_gib: int,
        deployment_type: str,
        per_unit_storage_throughput: int | None,
        linked_bucket: ArtifactBucket | None,
        removal_policy: RemovalPolicy,
    ) -> None:
        """`per_unit_storage_throughput`: MB/s per TiB of storage; None for SCRATCH types, which have none to choose."""
        super().__init__(scope, id_)
        server = ec2.CfnSecurityGroup(self, "SecurityGroup", vpc_id=vpc.vpc_id, group_description="Lustre servers")
        client = ec2.CfnSecurityGroup(
            self, "ClientSecurityGroup", vpc_id=vpc.vpc_id, group_description="Lustre clients that carry no EFA group"
        )
        self.security_group_id = server.attr_group_id
        self.client_security_group_id = client.attr_group_id
        peers = {
            "Self": self.security_group_id,
            "Training": training_security_group_id,
            "Client": self.client_security_group_id,
        }
        rules = [
            rule
            for name, group_id in peers.items()
            for rule in self._lustre_rules(f"{name}ToServer", source=group_id, target=self.security_group_id)
        ]
        rules += self._lustre_rules("ServerToTraining", source=self.security_group_id, target=peers["Training"])
        rules += self._lustre_rules("ServerToClient", source=self.security_group_id, target=peers["Client"])

        file_system = fsx.CfnFileSystem(
            self,
            "Resource",
            file_system_type="LUSTRE",
            file_system_type_version=LUSTRE_VERSION,
            storage_capacity=storage_capacity_gib,
            storage_type="SSD",
            subnet_ids=[subnet.subnet_id],
            security_group_ids=[self.security_group_id],
            lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
                deployment_type=deployment_type,
                per_unit_storage_throughput=per_unit_storage_throughput,
                data_compression_type="LZ4",
                # SCRATCH types take no backup; nor does a file system that is linked to a bucket.
                automatic_backup_retention_days=None if deployment_type.startswith("SCRATCH") else 0,
            ),
        )
        # A file system that stays keeps using its group, whose deletion would then fail.
        for kept in (file_system, server, *rules[: len(LUSTRE_PORTS)]):
            kept.apply_removal_policy(removal_policy)
        for rule in rules:
            file_system.add_resource_dependency(rule)
        self.file_system_id = file_system.ref
        self.dns_name = file_system.attr_dns_name
        self.mount_name = file_system.attr_lustre_mount_name
        self.resource_arn = file_system.attr_resource_arn
        if linked_bucket is not None:
            self._link(linked_bucket)

    def grant_describe(self, grantee: iam.IGrantable) -> iam.Grant:
        """Let the CSI driver look the file system up."""
        return iam.Grant.add_to_principal(
            grantee=grantee, actions=["fsx:DescribeFileSystems"], resource_arns=[self.resource_arn]
        )

    def grant_create_more(self, grantee: iam.IGrantable) -> None:
        """Let the CSI driver create, grow and delete file systems for claims of the StorageClass.

        By hand because FSx has no grants: the actions are those of the driver's own documentation.
        https://github.com/kubernetes-sigs/aws-fsx-csi-driver/tree/v1.9.0/docs
        """
        stack = Stack.of(self)
        statements = (
            iam.PolicyStatement(
                actions=[
                    "fsx:CreateFileSystem",
                    "fsx:DeleteFileSystem",
                    "fsx:DescribeFileSystems",
                    "fsx:TagResource",
                    "fsx:UpdateFileSystem",
                ],
                resources=[stack.format_arn(service="fsx", resource="file-system", resource_name="*")],
            ),
            # The role with which FSx makes its network interfaces; it exists once per account.
            iam.PolicyStatement(
                actions=["iam:CreateServiceLinkedRole"],
                resources=[
                    stack.format_arn(
                        service="iam",
                        region="",
                        resource="role",
                        resource_name="aws-service-role/fsx.amazonaws.com/AWSServiceRoleForAmazonFSx",
                    )
                ],
                conditions={"StringEquals": {"iam:AWSServiceName": "fsx.amazonaws.com"}},
            ),
        )
        for statement in statements:
            grantee.grant_principal.add_to_principal_policy(statement)

    def _lustre_rules(self, id_: str, *, source: str, target: str) -> list[CfnResource]:
        return [
            ec2.CfnSecurityGroupIngress(
                self,
                f"{id_}{from_port}",
                group_id=target,
                source_security_group_id=source,
                ip_protocol="tcp",
                from_port=from_port,
                to_port=to_port,
                description="Lustre",
            )
            for from_port, to_port in LUSTRE_PORTS
        ]

    def _link(self, bucket: ArtifactBucket) -> None:
        """Datasets appear from the bucket; checkpoints and logs go to it. The rest of the file system stays local."""
        follow = ["NEW", "CHANGED", "DELETED"]
        association = fsx.CfnDataRepositoryAssociation
        directions: Mapping[Prefix, fsx.CfnDataRepositoryAssociation.S3Property] = {
            Prefix.DATASETS: association.S3Property(
                auto_import_policy=association.AutoImportPolicyProperty(events=follow)
            ),
            Prefix.CHECKPOINTS: association.S3Property(
                auto_export_policy=association.AutoExportPolicyProperty(events=follow)
            ),
            Prefix.LOGS: association.S3Property(auto_export_policy=association.AutoExportPolicyProperty(events=follow)),
        }
        previous: IDependable | None = None
        for prefix, direction in directions.items():
            link = fsx.CfnDataRepositoryAssociation(
                self,
                prefix.name.capitalize(),
                file_system_id=self.file_system_id,
                file_system_path=f"/{prefix.rstrip('/')}",
                data_repository_path=bucket.uri(prefix),
                batch_import_meta_data_on_create=True,
                s3=direction,
            )
            # FSx works on one association of a file system at a time and refuses the others meanwhile.
            if previous is not None:
                link.node.add_dependency(previous)
            previous = link
            link.node.add_dependency(bucket)
