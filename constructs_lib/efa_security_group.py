"""The security group that lets EFA traffic pass between training nodes."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

ALL_TRAFFIC = "-1"
ANYWHERE = "0.0.0.0/0"


class EfaSecurityGroup(Construct):
    """Security group with all traffic to and from itself, and to the internet, each as a rule of its own.

    EFA's SRD packets match a rule only when it names the group itself, in both directions; a CIDR rule does not cover
    them. The L2 security group drops such an egress rule silently. https://github.com/aws/aws-cdk/issues/38558
    """

    def __init__(self, scope: Construct, id_: str, *, vpc: ec2.IVpc) -> None:
        super().__init__(scope, id_)
        group = ec2.CfnSecurityGroup(
            self,
            "Resource",
            vpc_id=vpc.vpc_id,
            group_description="EFA between training nodes",
            # Written inline because EC2 adds the same rule by itself to a group created without one; a separate
            # resource would then be refused as a duplicate.
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol=ALL_TRAFFIC, cidr_ip=ANYWHERE, description="To AWS services and the internet"
                )
            ],
        )
        self.security_group_id = group.attr_group_id
        ec2.CfnSecurityGroupIngress(
            self,
            "IngressFromSelf",
            group_id=self.security_group_id,
            source_security_group_id=self.security_group_id,
            ip_protocol=ALL_TRAFFIC,
            description="EFA from training nodes",
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "EgressToSelf",
            group_id=self.security_group_id,
            destination_security_group_id=self.security_group_id,
            ip_protocol=ALL_TRAFFIC,
            description="EFA to training nodes",
        )
