"""Rules about the VPC: zones, private subnets, ways out, security group rules."""

from __future__ import annotations

import re
from typing import Any

from spec.versions import INTERFACE_ENDPOINTS
from tests.conftest import Synthesized
from tests.rules.cfn import EVERYWHERE, Resource, count, find, resources, target, targets
from tests.rules.training import NODE_GROUP, launches

ZONE_ID = re.compile(r"[a-z]+[0-9]-az[0-9]+")
SUBNET = "AWS::EC2::Subnet"


def zones_are_zone_ids(synthesized: Synthesized) -> list[str]:
    """Every subnet names its zone by an id of the team file: a zone's name means another place in each account."""
    network = synthesized.team.network
    wanted = {network.training_zone} | ({network.second_zone} if network.second_zone else set())
    found = []
    subnets = resources(synthesized, SUBNET)
    for subnet in subnets:
        zone = subnet.properties.get("AvailabilityZoneId")
        if "AvailabilityZone" in subnet.properties:
            found.append(f"{subnet.name}: AvailabilityZone beside the zone id")
        if not isinstance(zone, str) or not ZONE_ID.fullmatch(zone) or zone not in wanted:
            found.append(f"{subnet.name}: zone id {zone}, expected one of {sorted(wanted)}")
    tiers = 1 if network.nat == "none" else 2
    return found + count("subnets", len(subnets), tiers * len(wanted))


def everything_lies_in_one_vpc(synthesized: Synthesized) -> list[str]:
    """Subnets, groups and route tables of every stack name the team's one VPC, so that whatever meets can talk."""
    vpcs = [vpc.name for vpc in resources(synthesized, "AWS::EC2::VPC")]
    found = count("VPCs", len(vpcs), 1)
    for kind in (SUBNET, "AWS::EC2::SecurityGroup", "AWS::EC2::RouteTable", "AWS::EC2::VPCEndpoint"):
        placed = resources(synthesized, kind)
        found += [] if placed else [f"no {kind}"]
        for item in placed:
            vpc = target(synthesized, item.stack, item.properties.get("VpcId"))
            if vpc not in vpcs:
                found.append(f"{item.name}: lies in {vpc}")
    return found


def _training_subnets(synthesized: Synthesized) -> dict[str, list[str]]:
    """Where everything lives that must share one subnet, by name."""
    places: dict[str, list[str]] = {}
    for launch in launches(synthesized)[0]:
        holder = launch.user.properties.get("ComputeResources", launch.user.properties)
        places[launch.user.name] = targets(synthesized, launch.user.stack, holder.get("Subnets"))
    for file_system in resources(synthesized, "AWS::FSx::FileSystem"):
        places[file_system.name] = targets(synthesized, file_system.stack, file_system.properties.get("SubnetIds"))
    return places


def training_happens_in_one_subnet(synthesized: Synthesized) -> list[str]:
    """Node groups, compute environment and file system name one subnet, the same one, in the training zone.

    EFA, a cluster placement group and a Lustre file system all end at the zone's border.
    """
    places = _training_subnets(synthesized)
    found = [f"{user}: subnets {subnets}, expected one" for user, subnets in places.items() if len(subnets) != 1]
    used = {subnet for subnets in places.values() for subnet in subnets}
    if len(used) != 1:
        return [*found, f"training subnets {sorted(used)}, expected one"]
    subnet = _resource(synthesized, used.pop())
    if subnet is None or subnet.kind != SUBNET:
        return [*found, "the training subnet is no subnet of the templates"]
    zone = subnet.properties.get("AvailabilityZoneId")
    if zone != synthesized.team.network.training_zone:
        found.append(f"{subnet.name}: zone {zone}, expected {synthesized.team.network.training_zone}")
    return found


def _resource(synthesized: Synthesized, name: str) -> Resource | None:
    stack, _, logical_id = name.partition("/")
    body = synthesized.templates.get(stack, {}).get("Resources", {}).get(logical_id)
    return None if body is None else Resource(stack, logical_id, body)


def private_subnets_have_a_way_out(synthesized: Synthesized) -> list[str]:
    """Nodes, cluster and file system lie in subnets without public addresses that reach AWS services.

    With NAT their default route leads to it; without, they have none, and an endpoint of every service stands ready.
    """
    names = {subnet for subnets in _training_subnets(synthesized).values() for subnet in subnets}
    for kind in (NODE_GROUP, "AWS::EKS::Cluster", "AWS::Lambda::Function"):
        for user in resources(synthesized, kind):
            names.update(targets(synthesized, user.stack, _subnets_of(user)))
    nat = synthesized.team.network.nat == "single"
    found = [] if names else ["nothing lies in a subnet"]
    for name in sorted(names):
        subnet = _resource(synthesized, name)
        if subnet is None or subnet.properties.get("MapPublicIpOnLaunch", False) is not False:
            found.append(f"{name}: maps public addresses")
        ways = [way for route in _default_routes(synthesized, name) for way in _way(synthesized, route)]
        if nat and ways != ["AWS::EC2::NatGateway"]:
            found.append(f"{name}: default routes to {ways}, expected one to a NAT gateway")
        if not nat and ways:
            found.append(f"{name}: default routes to {ways} although the team has no NAT")
    return found


def _subnets_of(user: Resource) -> Any:
    properties = user.properties
    if user.kind == "AWS::EKS::Cluster":
        return properties["ResourcesVpcConfig"]["SubnetIds"]
    if user.kind == "AWS::Lambda::Function":
        return properties.get("VpcConfig", {}).get("SubnetIds")
    return properties.get("Subnets")


def _default_routes(synthesized: Synthesized, subnet: str) -> list[Resource]:
    tables = {
        target(synthesized, item.stack, item.properties["RouteTableId"])
        for item in resources(synthesized, "AWS::EC2::SubnetRouteTableAssociation")
        if target(synthesized, item.stack, item.properties["SubnetId"]) == subnet
    }
    return [
        route
        for route in resources(synthesized, "AWS::EC2::Route")
        if target(synthesized, route.stack, route.properties["RouteTableId"]) in tables
        and route.properties.get("DestinationCidrBlock") in EVERYWHERE
    ]


def _way(synthesized: Synthesized, route: Resource) -> list[str]:
    ways = [find(synthesized, route.stack, value) for key, value in route.properties.items() if key.endswith("Id")]
    return [way.kind for way in ways if way is not None and way.kind != "AWS::EC2::RouteTable"]


def nat_is_what_the_team_asks_for(synthesized: Synthesized) -> list[str]:
    """One NAT gateway behind one internet gateway; or neither, and nothing public at all."""
    expected = 1 if synthesized.team.network.nat == "single" else 0
    kinds = ("AWS::EC2::NatGateway", "AWS::EC2::InternetGateway", "AWS::EC2::EIP")
    return [text for kind in kinds for text in count(kind, len(resources(synthesized, kind)), expected)]


def endpoints_replace_the_nat(synthesized: Synthesized) -> list[str]:
    """Without NAT every service has an interface endpoint with private DNS that the whole VPC reaches; else none."""
    endpoints = [
        item
        for item in resources(synthesized, "AWS::EC2::VPCEndpoint")
        if item.properties.get("VpcEndpointType") == "Interface"
    ]
    expected = set(INTERFACE_ENDPOINTS) if synthesized.team.network.nat == "none" else set()
    names = [_service(synthesized, item) for item in endpoints]
    found = count("interface endpoints", len(names), len(expected))
    if set(names) != expected:
        found.append(f"interface endpoints differ from the list in {sorted(set(names) ^ expected)}")
    cidr = synthesized.team.network.cidr
    for item in endpoints:
        if item.properties.get("PrivateDnsEnabled") is not True:
            found.append(f"{item.name}: no private DNS, so that nobody finds it")
        groups = [find(synthesized, item.stack, group) for group in item.properties.get("SecurityGroupIds", [])]
        opened = [
            rule
            for group in groups
            if group
            for rule in group.properties.get("SecurityGroupIngress", [])
            if (rule.get("CidrIp"), rule.get("FromPort"), rule.get("ToPort")) == (cidr, 443, 443)
        ]
        if not opened:
            found.append(f"{item.name}: closed to the VPC")
    return found


def _service(synthesized: Synthesized, endpoint: Resource) -> str:
    name = target(synthesized, endpoint.stack, endpoint.properties["ServiceName"])
    return name.rpartition("AWS::Region.")[2] if "AWS::Region" in name else name.split(".", 3)[-1]


def s3_has_a_gateway_endpoint(synthesized: Synthesized) -> list[str]:
    """Datasets, checkpoints and image layers reach S3 free of charge from every route table."""
    gateways = [
        item
        for item in resources(synthesized, "AWS::EC2::VPCEndpoint")
        if item.properties.get("VpcEndpointType") == "Gateway"
    ]
    if len(gateways) != 1 or _service(synthesized, gateways[0]) != "s3":
        return [f"gateway endpoints {[item.name for item in gateways]}, expected one of S3"]
    tables = {table.name for table in resources(synthesized, "AWS::EC2::RouteTable")}
    missing = tables - set(targets(synthesized, gateways[0].stack, gateways[0].properties.get("RouteTableIds")))
    return [f"{name}: without the S3 endpoint" for name in sorted(missing)]


def flows_are_logged(synthesized: Synthesized) -> list[str]:
    """All traffic of the one VPC goes to a log group that does not keep it for ever."""
    vpcs = {vpc.name for vpc in resources(synthesized, "AWS::EC2::VPC")}
    found = count("VPCs", len(vpcs), 1)
    logged = set()
    for log in resources(synthesized, "AWS::EC2::FlowLog"):
        group = find(synthesized, log.stack, log.properties.get("LogGroupName"))
        if log.properties.get("TrafficType") != "ALL":
            found.append(f"{log.name}: traffic type {log.properties.get('TrafficType')}")
        if group is None or not group.properties.get("RetentionInDays"):
            found.append(f"{log.name}: no log group with a retention time")
        logged.add(target(synthesized, log.stack, log.properties["ResourceId"]))
    return found + [f"{name}: no flow log" for name in sorted(vpcs - logged)]
