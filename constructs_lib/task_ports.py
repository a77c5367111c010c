"""Ports on which the containers of a multi-node Batch job reach each other, and AWS."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.efa_security_group import ANYWHERE

FIRST_PORT, LAST_PORT = 1024, 65535
"""torchrun's rendezvous, Gloo and the Neuron runtime's bootstrap choose ports above the privileged ones."""
BETWEEN_TASKS = "Between the containers of multi-node jobs"


class TaskPorts(Construct):
    """Rules of the VPC's default security group, which the containers of multi-node jobs carry.

    Each node's container has a network interface of its own. Its groups are the compute environment's; ours has none,
    since the launch template brings interfaces, and then Batch takes the VPC's default group. That group admits itself
    and lets everything out until somebody removes its rules, as a common security control does; these do not depend on
    them. https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
    """

    def __init__(self, scope: Construct, id_: str, *, vpc: ec2.Vpc) -> None:
        super().__init__(scope, id_)
        group = vpc.vpc_default_security_group
        ec2.CfnSecurityGroupIngress(
            self,
            "FromTask",
            group_id=group,
            source_security_group_id=group,
            ip_protocol="tcp",
            from_port=FIRST_PORT,
            to_port=LAST_PORT,
            description=BETWEEN_TASKS,
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "ToTask",
            group_id=group,
            destination_security_group_id=group,
            ip_protocol="tcp",
            from_port=FIRST_PORT,
            to_port=LAST_PORT,
            description=BETWEEN_TASKS,
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "ToAws",
            group_id=group,
            cidr_ip=ANYWHERE,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            description="To AWS services",
        )
