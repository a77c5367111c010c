"""A VPC whose zones are chosen by zone id."""

from __future__ import annotations

from aws_cdk import RemovalPolicy, aws_ec2 as ec2, aws_logs as logs
from constructs import Construct

from spec.subnets import PRIVATE_PREFIX_DELTA, PUBLIC_PREFIX_LENGTH
from spec.versions import INTERFACE_ENDPOINTS


class TrainingNetwork(Construct):
    """VPC with a private training subnet, a second private subnet where given, and one NAT gateway or none.

    Without NAT the subnets are isolated and every AWS service is reached by VPC endpoint.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        cidr: str,
        training_zone_id: str,
        second_zone_id: str | None,
        nat_gateway: bool,
    ) -> None:
        super().__init__(scope, id_)
        zone_ids = [training_zone_id] + ([second_zone_id] if second_zone_id else [])
        vpc_prefix_length = int(cidr.partition("/")[2])
        private = ec2.SubnetConfiguration(
            name="private",
            subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS if nat_gateway else ec2.SubnetType.PRIVATE_ISOLATED,
            cidr_mask=vpc_prefix_length + PRIVATE_PREFIX_DELTA,
        )
        public = ec2.SubnetConfiguration(
            name="public",
            subnet_type=ec2.SubnetType.PUBLIC,
            cidr_mask=PUBLIC_PREFIX_LENGTH,
            map_public_ip_on_launch=False,
        )
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr(cidr),
            availability_zones=zone_ids,
            nat_gateways=1 if nat_gateway else 0,
            subnet_configuration=[private, public] if nat_gateway else [private],
            # Batch attaches the VPC's default group to the tasks of multi-node jobs whose launch template brings its
            # own interfaces; without that group's own rules they could not reach the main node.
            # https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
            restrict_default_security_group=False,
        )
        subnets = self.vpc.private_subnets if nat_gateway else self.vpc.isolated_subnets
        self.training_subnet: ec2.ISubnet = subnets[0]
        self.private_subnets: list[ec2.ISubnet] = subnets
        for tier in (subnets, self.vpc.public_subnets):
            for subnet, zone_id in zip(tier, zone_ids, strict=False):
                _pin_zone(subnet, zone_id)
        self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        self._log_flows()
        if not nat_gateway:
            self._reach_services_by_endpoint(cidr)

    def _log_flows(self) -> None:
        log_group = logs.LogGroup(
            self, "FlowLogs", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        self.vpc.add_flow_log("FlowLog", destination=ec2.FlowLogDestination.to_cloud_watch_logs(log_group))

    def _reach_services_by_endpoint(self, cidr: str) -> None:
        group = ec2.CfnSecurityGroup(
            self,
            "EndpointSecurityGroup",
            vpc_id=self.vpc.vpc_id,
            group_description="HTTPS from the VPC to AWS service endpoints",
            security_group_ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp", from_port=443, to_port=443, cidr_ip=cidr, description="HTTPS from the VPC"
                )
            ],
        )
        security_group = ec2.SecurityGroup.from_security_group_id(self, "Endpoints", group.attr_group_id)
        for service in INTERFACE_ENDPOINTS:
            self.vpc.add_interface_endpoint(
                service,
                service=ec2.InterfaceVpcEndpointAwsService(service),
                security_groups=[security_group],
                # One zone is enough for a cluster placement group's nodes, and each further one costs by the hour.
                subnets=ec2.SubnetSelection(subnets=[self.training_subnet]),
                open=False,
            )


def _pin_zone(subnet: ec2.ISubnet, zone_id: str) -> None:
    # The L2 writes what it was given into AvailabilityZone, which takes names only; names differ between accounts.
    # https://github.com/aws/aws-cdk/issues/28265
    resource = subnet.node.default_child
    assert isinstance(resource, ec2.CfnSubnet)
    resource.add_property_override("AvailabilityZoneId", zone_id)
    resource.add_property_deletion_override("AvailabilityZone")
