"""The kinds of value a team file holds, each with the words that tell a user what is expected."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from spec.capacity import ON_DEMAND, RESERVATION_ID_PATTERN, Capacity
from spec.compatibility import NEURON_SDKS
from spec.components import PUBLIC_REGISTRIES
from spec.hardware import HARDWARE

ZONE_ID_PATTERN = r"[a-z]{2,5}[0-9]-az[0-9]{1,2}"
ZONE_NAME_PATTERN = r"[a-z]{2,3}(-[a-z]+)+-[0-9][a-z]"
CIDR_PATTERN = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$"


@dataclass(frozen=True, slots=True)
class Expected:
    """Metadata of a field: what a value looks like, and optionally other values that close matches are sought in."""

    text: str
    choices: tuple[str, ...] = ()


def refused(expected: str) -> PydanticCustomError:
    """The error of a value whose type is right."""
    return PydanticCustomError("expected", "{expected}", {"expected": expected})


def _zone_id(value: str) -> str:
    if re.fullmatch(ZONE_NAME_PATTERN, value):
        raise refused(
            "a zone id such as usw2-az4 (a zone name means another place in every account; "
            "`trn zones TYPE` lists the ids)"
        )
    if not re.fullmatch(ZONE_ID_PATTERN, value):
        raise refused("a zone id such as usw2-az4")
    return value


def _cidr(value: str) -> str:
    try:
        network = ipaddress.IPv4Network(value, strict=False)
    except ValueError:
        raise refused("an IPv4 CIDR block such as 10.40.0.0/16") from None
    if "/" not in value:
        raise refused(f"an IPv4 CIDR block with a prefix length, such as {value}/32")
    if str(network) != value:
        raise refused(f"the first address of the block: {network}")
    return value


_ARN_SESSION = re.compile(r"arn:[a-z-]+:sts::[0-9]{12}:assumed-role/([^/]+)/.*")
_ARN_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]+")


def _principal(value: str) -> str:
    if session := _ARN_SESSION.fullmatch(value):
        raise refused(f"the ARN of the IAM role itself, arn:aws:iam::ACCOUNT:role/{session[1]}, not of one session")
    if not _ARN_PRINCIPAL.fullmatch(value):
        raise refused("the ARN of an IAM role or user, such as arn:aws:iam::111122223333:role/Admin")
    return value


# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
_BUCKET_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_BUCKET_SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")


def _bucket(value: str) -> str:
    if value.startswith(("s3://", "arn:")):
        raise refused("the name of an S3 bucket alone, without s3:// or arn:")
    if (
        not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", value)
        or ".." in value
        or ".-" in value
        or "-." in value
        or re.fullmatch(r"[0-9]+(\.[0-9]+){3}", value)
        or value.startswith(_BUCKET_PREFIXES)
        or value.endswith(_BUCKET_SUFFIXES)
    ):
        raise refused("the name of an S3 bucket: 3 to 63 lower-case letters, digits, hyphens and dots")
    return value


TRAINIUM_EXPECTED = f"one of {', '.join(HARDWARE)}"


def _trainium_type(value: str) -> str:
    if value.startswith("trn3"):
        raise refused(f"{TRAINIUM_EXPECTED}; EC2 has no Trainium3 instance type yet")
    if value.startswith("inf"):
        raise refused(f"{TRAINIUM_EXPECTED}; Inferentia is for inference")
    if value not in HARDWARE:
        raise refused(TRAINIUM_EXPECTED)
    return value


SDK_EXPECTED = f"one of {', '.join(NEURON_SDKS)}"


def _neuron_sdk(value: str) -> str:
    if value not in NEURON_SDKS:
        raise refused(SDK_EXPECTED)
    return value


_ARM_FAMILY = re.compile(r"([a-z]+[0-9]+g[a-z]*|a1)\..*")
# General-purpose, compute and memory families of the Nitro system, from `medium` on: smaller ones hold no add-ons.
_SYSTEM_TYPE = re.compile(r"[cmrt][3-9](a|ad|an|d|dn|i|i-flex|id|idn|n|zn|-flex)?\.(medium|large|[0-9]*xlarge)")
SYSTEM_EXPECTED = "a small general-purpose x86-64 type such as m6i.large"


def _system_type(value: str) -> str:
    if value.startswith(("trn", "inf")):
        raise refused(f"{SYSTEM_EXPECTED}; Trainium belongs in eks.node_groups")
    if _ARM_FAMILY.fullmatch(value):
        raise refused(f"{SYSTEM_EXPECTED}; the add-ons and charts run on x86-64")
    if not _SYSTEM_TYPE.fullmatch(value):
        raise refused(f"{SYSTEM_EXPECTED}, of a c, m, r or t family")
    return value


def _placement(value: str) -> str:
    lower = value.lower()
    if lower in ("create", "none") and value != lower:
        raise refused(f"{lower}, in lower case")
    return value


CAPACITY_EXPECTED = "on-demand, {reservation: cr-...} or {capacity_block: cr-...}"
_CAPACITY_KEYS = {"reservation": "reservation", "capacity_block": "capacity-block"}


def _capacity(value: object) -> Capacity:
    """A Capacity from `on-demand`, `{reservation: ID}` or `{capacity_block: ID}`."""
    if isinstance(value, Capacity):
        return value
    if value == "on-demand":
        return ON_DEMAND
    if value == "spot":
        raise refused(
            f"{CAPACITY_EXPECTED}; an interrupted node stops a whole multi-node job, and Batch has no multi-node spot"
        )
    if value in ("reservation", "capacity_block", "capacity-block"):
        raise refused(f"{CAPACITY_EXPECTED}; the reservation id is missing")
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in _CAPACITY_KEYS:
        raise refused(CAPACITY_EXPECTED)
    key, reservation_id = next(iter(value.items()))
    if not isinstance(reservation_id, str) or not re.fullmatch(RESERVATION_ID_PATTERN, reservation_id):
        raise refused(f"{{{key}: ID}} with a reservation id such as cr-0123456789abcdef0")
    return Capacity("reservation" if key == "reservation" else "capacity-block", reservation_id)


def _as_written(capacity: Capacity) -> str | dict[str, str | None]:
    keys = [key for key, kind in _CAPACITY_KEYS.items() if kind == capacity.kind]
    return {keys[0]: capacity.reservation_id} if keys else capacity.kind


_CAPACITY_SCHEMA = {
    "oneOf": [
        {"const": "on-demand"},
        *(
            {
                "type": "object",
                "properties": {key: {"type": "string", "pattern": f"^{RESERVATION_ID_PATTERN}$"}},
                "required": [key],
                "additionalProperties": False,
            }
            for key in _CAPACITY_KEYS
        ),
    ],
}

AccountId = Annotated[
    str,
    Field(pattern=r"^[0-9]{12}$"),
    Expected('an AWS account id: 12 digits in quotes, such as "111122223333"'),
]
REGION_PATTERN = r"^[a-z]{2}(-[a-z]+)+-[0-9]$"
Region = Annotated[
    str,
    Field(pattern=REGION_PATTERN),
    Expected(
        "a Region such as us-west-2",
        choices=tuple(sorted({region for row in HARDWARE.values() for region in row.regions})),
    ),
]
ZoneId = Annotated[
    str,
    AfterValidator(_zone_id),
    Field(json_schema_extra={"pattern": f"^{ZONE_ID_PATTERN}$"}),
    Expected("a zone id such as usw2-az4"),
]
Cidr = Annotated[
    str,
    AfterValidator(_cidr),
    Field(json_schema_extra={"pattern": CIDR_PATTERN}),
    Expected("an IPv4 CIDR block such as 10.40.0.0/16"),
]
Principal = Annotated[
    str,
    AfterValidator(_principal),
    Field(json_schema_extra={"pattern": f"^{_ARN_PRINCIPAL.pattern}$"}),
    Expected("the ARN of an IAM role or user, such as arn:aws:iam::111122223333:role/Admin"),
]
BucketName = Annotated[
    str,
    AfterValidator(_bucket),
    Field(json_schema_extra={"pattern": r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"}),
    Expected("the name of an S3 bucket: 3 to 63 lower-case letters, digits, hyphens and dots"),
]
NeuronSdkVersion = Annotated[
    str,
    AfterValidator(_neuron_sdk),
    Field(json_schema_extra={"enum": list(NEURON_SDKS)}),
    Expected(SDK_EXPECTED, choices=tuple(NEURON_SDKS)),
]
KubernetesVersion = Annotated[
    str,
    Field(pattern=r"^1\.[1-9][0-9]$"),
    Expected('a Kubernetes version in quotes, such as "1.35"'),
]
AmiRelease = Annotated[
    str,
    Field(pattern=r"^1\.[1-9][0-9]\.[0-9]+-20[0-9]{6}$"),
    Expected("a release of the EKS-optimized AMI such as 1.35.6-20260625"),
]
# Node label values, Volcano queue names and construct ids at once; short, so that names derived from it fit too.
Name = Annotated[
    str,
    Field(pattern=r"^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$"),
    Expected("a name of 1 to 32 lower-case letters, digits and hyphens that starts with a letter"),
]
TrainiumType = Annotated[
    str,
    AfterValidator(_trainium_type),
    Field(json_schema_extra={"enum": list(HARDWARE)}),
    Expected(TRAINIUM_EXPECTED, choices=tuple(HARDWARE)),
]
SystemType = Annotated[str, AfterValidator(_system_type), Expected(SYSTEM_EXPECTED)]
AmiId = Annotated[
    str,
    Field(pattern=r"^ami-([0-9a-f]{8}|[0-9a-f]{17})$"),
    Expected("an AMI id such as ami-0123456789abcdef0"),
]
PlacementName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$"),
    AfterValidator(_placement),
    Expected("create, none or the name of an existing placement group"),
]
Registry = Annotated[
    str,
    Field(pattern=f"^({'|'.join(map(re.escape, PUBLIC_REGISTRIES))})$"),
    Expected(f"one of {', '.join(PUBLIC_REGISTRIES)}", choices=PUBLIC_REGISTRIES),
]
MirrorPrefix = Annotated[
    str,
    Field(pattern=r"^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*$", max_length=200),
    Expected("a registry and path such as 111122223333.dkr.ecr.us-west-2.amazonaws.com/docker-hub"),
]
CapacityField = Annotated[
    Capacity,
    PlainValidator(_capacity),
    PlainSerializer(_as_written),
    WithJsonSchema(_CAPACITY_SCHEMA),
    Expected(CAPACITY_EXPECTED),
]
# https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
TagKey = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9 _.:/=+@-]{1,128}$"),
    Expected("a tag key of 1 to 128 letters, digits, spaces and _ . : / = + - @"),
]
TagValue = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9 _.:/=+@-]{0,256}$"),
    Expected("a tag value in text, up to 256 letters, digits, spaces and _ . : / = + - @"),
]
