"""FSx for Lustre: shared storage of the training nodes, linked to the artifact bucket where asked."""

from __future__ import annotations

from aws_cdk import CfnResource, RemovalPolicy, Stack, aws_ec2 as ec2, aws_fsx as fsx, aws_iam as iam
from constructs import Construct

from constructs_lib.artifact_bucket import ArtifactBucket
from constructs_lib.data_repository import link_to_bucket
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
        own_rules = self._lustre_rules("SelfToServer", source=self.security_group_id, target=self.security_group_id)
        rules = list(own_rules)
        for name, group_id in (("Training", training_security_group_id), ("Client", self.client_security_group_id)):
            rules += self._lustre_rules(f"{name}ToServer", source=group_id, target=self.security_group_id)
            rules += self._lustre_rules(f"ServerTo{name}", source=self.security_group_id, target=group_id)

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
        for kept in (file_system, server, *own_rules):
            kept.apply_removal_policy(removal_policy)
        for rule in rules:
            file_system.add_resource_dependency(rule)
        self.file_system_id = file_system.ref
        self.dns_name = file_system.attr_dns_name
        self.mount_name = file_system.attr_lustre_mount_name
        self.resource_arn = file_system.attr_resource_arn
        if linked_bucket is not None:
            link_to_bucket(self, file_system_id=self.file_system_id, bucket=linked_bucket)

    def grant_describe(self, grantee: iam.IGrantable) -> iam.Grant:
        """Let the CSI driver look the file system up."""
        return iam.Grant.add_to_principal(
            grantee=grantee, actions=["fsx:DescribeFileSystems"], resource_arns=[self.resource_arn]
        )

    def grant_create_more(self, grantee: iam.IGrantable, *, tag_key: str, tag_value: str) -> None:
        """Let the CSI driver create file systems for claims of the StorageClass, and grow and delete those alone.

        By hand because FSx has no grants: the actions are those of the driver's own documentation. What it creates
        carries the tag, which the StorageClass asks for; the team's own file system carries it too, hence the Deny.
        https://github.com/kubernetes-sigs/aws-fsx-csi-driver/tree/v1.9.0/docs
        """
        stack = Stack.of(self)
        any_file_system = stack.format_arn(service="fsx", resource="file-system", resource_name="*")
        service_role = stack.format_arn(
            service="iam",
            region="",
            resource="role",
            resource_name="aws-service-role/fsx.amazonaws.com/AWSServiceRoleForAmazonFSx",
        )
        statements = (
            iam.PolicyStatement(
                actions=["fsx:CreateFileSystem"],
                resources=[any_file_system],
                conditions={"StringEquals": {f"aws:RequestTag/{tag_key}": tag_value}},
            ),
            # Only what has no owner yet: with the tag it could grow and delete another team's file system.
            iam.PolicyStatement(
                actions=["fsx:TagResource"],
                resources=[any_file_system],
                conditions={
                    "StringEquals": {f"aws:RequestTag/{tag_key}": tag_value},
                    "Null": {f"aws:ResourceTag/{tag_key}": "true"},
                },
            ),
            iam.PolicyStatement(
                actions=["fsx:DeleteFileSystem", "fsx:UpdateFileSystem"],
                resources=[any_file_system],
                conditions={"StringEquals": {f"aws:ResourceTag/{tag_key}": tag_value}},
            ),
            iam.PolicyStatement(actions=["fsx:DescribeFileSystems"], resources=[any_file_system]),
            iam.PolicyStatement(
                effect=iam.Effect.DENY,
                actions=["fsx:DeleteFileSystem", "fsx:UpdateFileSystem"],
                resources=[self.resource_arn],
            ),
            # The role with which FSx makes its network interfaces; it exists once per account.
            iam.PolicyStatement(
                actions=["iam:CreateServiceLinkedRole"],
                resources=[service_role],
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
