"""Ports on which the containers of a multi-node Batch job reach each other."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

FIRST_PORT, LAST_PORT = 1024, 65535
"""torchrun's rendezvous, Gloo and the Neuron runtime's bootstrap choose ports above the privileged ones."""


class TaskPorts(Construct):
    """A rule of the VPC's default security group, which the containers of multi-node jobs carry.

    Each node's container has a network interface of its own. Its groups are the compute environment's; ours has none,
    since the launch template brings interfaces, and then Batch takes the VPC's default group. That group admits itself
    until somebody removes that rule, as a common security control does; this one does not depend on it. There is no
    rule for the way out: CloudFormation takes a group's own allow-all rule away when it adds the first one.
    https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
    https://github.com/aws/aws-cdk/issues/987
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
            description="Between the containers of multi-node jobs",
        )
