"""What holds data in the stand-in account, and its network: real in moto, made with few of the template's properties.

Buckets, parameters, image repositories, log groups, Lustre file systems, VPCs, subnets, addresses, NAT gateways.
"""

from __future__ import annotations

from typing import Any

from moto.ec2.models import ec2_backends
from moto.ecr.models import ecr_backends
from moto.fsx.models import FileSystem, fsx_backends
from moto.logs.models import logs_backends
from moto.s3.models import FakeBucket
from moto.ssm.models import Parameter, ssm_backends

from tests.account.recorded import ACCOUNT_ID, EFFECTS, Effect, Recorded


def ec2(region: str) -> Any:
    return ec2_backends[ACCOUNT_ID][region]


def _bucket(it: Recorded) -> None:
    described = {"Type": it.kind, "Properties": it.properties}
    it.behind = FakeBucket.create_from_cloudformation_json(it.name, described, ACCOUNT_ID, it.region)
    for name in ("Arn", "DomainName", "RegionalDomainName"):
        it.attributes[name] = it.behind.get_cfn_attribute(name)


def _delete_bucket(it: Recorded) -> None:
    described = {"Type": it.kind, "Properties": it.properties}
    FakeBucket.delete_from_cloudformation_json(it.name, described, ACCOUNT_ID, it.region)


def _parameter(it: Recorded) -> None:
    """One that has a name can be read; the CDK CLI reads the version of the bootstrap stack."""
    asks = it.properties
    if "Name" in asks:
        it.call(asks["Name"], Value=asks["Value"])
        described = {"Type": it.kind, "Properties": asks}
        it.behind = Parameter.create_from_cloudformation_json(it.name, described, ACCOUNT_ID, it.region)


def _delete_parameter(it: Recorded) -> None:
    if it.behind is not None:
        ssm_backends[ACCOUNT_ID][it.region].delete_parameter(it.name)


def _repository(it: Recorded) -> None:
    it.call(it.properties.get("RepositoryName", it.name.lower()))
    mutability = it.properties.get("ImageTagMutability", "MUTABLE")
    ecr_backends[ACCOUNT_ID][it.region].create_repository(it.name, ACCOUNT_ID, {}, {}, mutability, [])


def _delete_repository(it: Recorded) -> None:
    force = bool(it.properties.get("EmptyOnDelete"))
    ecr_backends[ACCOUNT_ID][it.region].delete_repository(it.name, ACCOUNT_ID, force=force)


def _log_group(it: Recorded) -> None:
    it.call(it.properties.get("LogGroupName", it.name))
    logs_backends[ACCOUNT_ID][it.region].create_log_group(it.name, it.tags)


def _delete_log_group(it: Recorded) -> None:
    logs_backends[ACCOUNT_ID][it.region].delete_log_group(it.name)


def _file_system(it: Recorded) -> None:
    asks = it.properties
    made = fsx_backends[ACCOUNT_ID][it.region].create_file_system(
        client_request_token="",
        file_system_type=asks["FileSystemType"],
        storage_capacity=int(asks["StorageCapacity"]),
        storage_type=asks["StorageType"],
        subnet_ids=asks["SubnetIds"],
        security_group_ids=asks["SecurityGroupIds"],
        tags=[{"Key": key, "Value": value} for key, value in it.tags.items()],
        kms_key_id=None,
        windows_configuration=None,
        lustre_configuration=asks["LustreConfiguration"],
        ontap_configuration=None,
        file_system_type_version=asks.get("FileSystemTypeVersion"),
        open_zfs_configuration=None,
    )
    it.call(made.file_system_id, DNSName=made.dns_name, LustreMountName="abcdefgh", ResourceARN=made.resource_arn)


def _delete_file_system(it: Recorded) -> None:
    fsx_backends[ACCOUNT_ID][it.region].delete_file_system(it.name, "", None, None, None)


def _vpc(it: Recorded) -> None:
    it.call(ec2(it.region).create_vpc(it.properties["CidrBlock"]).id)


def _subnet(it: Recorded) -> None:
    asks = it.properties
    zone = asks.get("AvailabilityZoneId")
    made = ec2(it.region).create_subnet(asks["VpcId"], asks["CidrBlock"], availability_zone_id=zone)
    it.call(made.id)


def _address(it: Recorded) -> None:
    made = ec2(it.region).allocate_address("vpc", tags=it.tags)
    it.call(made.public_ip, AllocationId=made.allocation_id)


def _nat_gateway(it: Recorded) -> None:
    asks = it.properties
    it.call(ec2(it.region).create_nat_gateway(asks["SubnetId"], asks["AllocationId"], tags=it.tags).id)


def extend() -> None:
    """Have file systems say that they are there, which moto's do not."""
    described = FileSystem.to_dict
    setattr(FileSystem, "to_dict", lambda it: described(it) | {"Lifecycle": "AVAILABLE"})  # noqa: B010  mypy guards it


EFFECTS |= {
    "AWS::S3::Bucket": Effect(_bucket, delete=_delete_bucket),
    "AWS::SSM::Parameter": Effect(_parameter, delete=_delete_parameter),
    "AWS::ECR::Repository": Effect(_repository, delete=_delete_repository),
    "AWS::Logs::LogGroup": Effect(_log_group, delete=_delete_log_group),
    "AWS::FSx::FileSystem": Effect(_file_system, delete=_delete_file_system),
    "AWS::EC2::VPC": Effect(_vpc, delete=lambda it: ec2(it.region).delete_vpc(it.name)),
    "AWS::EC2::Subnet": Effect(_subnet, delete=lambda it: ec2(it.region).delete_subnet(it.name)),
    "AWS::EC2::EIP": Effect(_address, delete=lambda it: ec2(it.region).release_address(it.name)),
    "AWS::EC2::NatGateway": Effect(_nat_gateway, delete=lambda it: ec2(it.region).delete_nat_gateway(it.name)),
}
