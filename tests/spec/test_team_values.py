"""Single values that users get wrong, each with the whole text they are told."""

import pytest

from tests.spec.conftest import Told
from tests.spec.samples import BATCH, EKS, edited

KEYS = "region, network, account, neuron_sdk, images, image_revision, storage, eks, batch, tags"
NETWORK_KEYS = "training_zone, second_zone, cidr, nat, verified_zones"
BATCH_KEYS = (
    "instance_type, efa_layout, placement_group, capacity, root_volume_gib, max_nodes, ami_id, shares, timeout_hours, "
    "attempts, max_runnable_minutes"
)
NODE_GROUP_KEYS = (
    "name, instance_type, efa_layout, placement_group, capacity, root_volume_gib, min, desired, max, taint"
)
TYPES = "trn1.2xlarge, trn1.32xlarge, trn1n.32xlarge, trn2.3xlarge, trn2.48xlarge, trn2u.48xlarge"
SDKS = "2.26.1, 2.27.1, 2.28.0, 2.29.0, 2.30.0, 2.31.0, 2.32.0"
NAME = "a name of 1 to 32 lower-case letters, digits and hyphens that starts with a letter"
BUCKET = "the name of an S3 bucket: 3 to 63 lower-case letters, digits, hyphens and dots"
CAPACITY = "on-demand, {reservation: cr-...} or {capacity_block: cr-...}"
PRINCIPAL = "the ARN of an IAM role or user, such as arn:aws:iam::111122223333:role/Admin"
ACCOUNT = 'an AWS account id: 12 digits in quotes, such as "111122223333"'
ZONE_NAME = (
    "a zone id such as usw2-az4 (a zone name means another place in every account; `trn zones TYPE` lists the ids)"
)


def more(*lines: str) -> str:
    return BATCH + "".join(f"{line}\n" for line in lines)


def eks(*lines: str) -> str:
    return edited(EKS, ("  node_groups:\n", "".join(f"  {line}\n" for line in (*lines, "node_groups:"))))


CASES = {
    "a version that YAML reads as a number": (
        eks("version: 1.30"),
        ['7: eks.version: got 1.30 (a number), expected a quoted string such as "1.30"'],
    ),
    "a version with a patch": (
        eks('version: "1.35.6"'),
        ['7: eks.version: got 1.35.6, expected a Kubernetes version in quotes, such as "1.35"'],
    ),
    "an account with a leading zero": (
        more("account: 012345670123"),
        ['7: account: got 012345670123 (a number), expected a quoted string such as "012345670123"'],
    ),
    "an account without quotes": (
        more("account: 111122223333"),
        ['7: account: got 111122223333 (a number), expected a quoted string such as "111122223333"'],
    ),
    "an account that is too short": (
        more("account: 11112222"),
        [f"7: account: got 11112222 (a number), expected {ACCOUNT}"],
    ),
    "an account with hyphens": (
        more("account: 1111-2222-3333"),
        [f"7: account: got 1111-2222-3333, expected {ACCOUNT}"],
    ),
    "no for none": (
        edited(BATCH, ("  training_zone", "  nat: no\n  training_zone")),
        ["3: network.nat: got no (YAML reads it as false), expected single or none"],
    ),
    "a misspelt choice": (
        edited(BATCH, ("  training_zone", "  nat: singel\n  training_zone")),
        ["3: network.nat: got singel, expected single or none; did you mean single?"],
    ),
    "a zone name": (
        edited(BATCH, ("usw2-az4", "us-west-2d")),
        [f"3: network.training_zone: got us-west-2d, expected {ZONE_NAME}"],
    ),
    "a zone name of GovCloud": (
        edited(BATCH, ("usw2-az4", "us-gov-west-1a")),
        [f"3: network.training_zone: got us-gov-west-1a, expected {ZONE_NAME}"],
    ),
    "half a zone id": (
        edited(BATCH, ("usw2-az4", "az4")),
        ["3: network.training_zone: got az4, expected a zone id such as usw2-az4"],
    ),
    "a key without a value": (
        edited(BATCH, (" usw2-az4", "")),
        ["3: network.training_zone: got nothing, expected a zone id such as usw2-az4"],
    ),
    "a Region of another form": (
        edited(BATCH, ("us-west-2", "us_west_2")),
        ["1: region: got us_west_2, expected a Region such as us-west-2; did you mean us-west-2?"],
    ),
    "a Region that is a list": (
        edited(BATCH, ("us-west-2", "[us-west-2]")),
        ["1: region: got a list, expected a Region such as us-west-2"],
    ),
    "unknown keys": (
        more("regoin: x", "name:", "path: x"),
        [
            f"7: regoin: got an unknown key, expected one of {KEYS}; did you mean region?",
            f"8: name: got an unknown key, expected one of {KEYS}; a team is named after its file",
            f"9: path: got an unknown key, expected one of {KEYS}; a team is named after its file",
        ],
    ),
    "an unknown key further in": (
        edited(BATCH, ("  max_nodes: 4", "  max_nodes: 4\n  instance_count: 4")),
        [f"7: batch.instance_count: got an unknown key, expected one of {BATCH_KEYS}; did you mean instance_type?"],
    ),
    "missing keys": (
        "tags: {}\n",
        [
            "1: eks: got neither eks nor batch, expected at least one of them",
            f"1: network: got nothing, expected a mapping (keys: {NETWORK_KEYS}) (required)",
            "1: region: got nothing, expected a Region such as us-west-2 (required)",
        ],
    ),
    "missing keys further in": (
        "region: us-west-2\nnetwork: {}\nbatch:\n  attempts: 2\n",
        [
            "2: network.training_zone: got nothing, expected a zone id such as usw2-az4 (required)",
            f"3: batch.instance_type: got nothing, expected one of {TYPES} (required)",
            "3: batch.max_nodes: got nothing, expected a whole number from 1 to 1000 (required)",
        ],
    ),
    "a scalar where a mapping belongs": (
        edited(BATCH, ("network:\n  training_zone: usw2-az4", "network: usw2-az4")),
        [f"2: network: got usw2-az4, expected a mapping (keys: {NETWORK_KEYS})"],
    ),
    "a list where a mapping belongs": (
        "region: us-west-2\nnetwork: {training_zone: usw2-az4}\nbatch: []\n",
        [f"3: batch: got an empty list, expected a mapping (keys: {BATCH_KEYS})"],
    ),
    "a mapping where a list belongs": (
        eks("queues: {}"),
        ["7: eks.queues: got an empty mapping, expected a list of at most 50 entries"],
    ),
    "entries that are no mappings": (
        edited(EKS, ("    - name", "    - trn1\n    - name")),
        [f"8: eks.node_groups.0: got trn1, expected a mapping (keys: {NODE_GROUP_KEYS})"],
    ),
    "no node groups": (
        edited(EKS, ("  node_groups:\n    - name: trn1\n      instance_type: trn1.32xlarge\n", "  node_groups: []\n")),
        ["7: eks.node_groups: got an empty list, expected a list of 1 to 29 entries"],
    ),
    "a number in quotes": (
        edited(BATCH, ("max_nodes: 4", 'max_nodes: "4"')),
        ['6: batch.max_nodes: got "4" (text), expected a whole number from 1 to 1000'],
    ),
    "a fraction": (
        edited(BATCH, ("max_nodes: 4", "max_nodes: 4.0")),
        ["6: batch.max_nodes: got 4.0, expected a whole number from 1 to 1000"],
    ),
    "a queue of nothing": (
        eks("queues: [{name: q, neuron_devices: 0}]"),
        ["7: eks.queues.0.neuron_devices: got 0, expected a whole number of at least 1"],
    ),
    "too large a number": (
        edited(BATCH, ("max_nodes: 4", "max_nodes: 1001")),
        ["6: batch.max_nodes: got 1001, expected a whole number from 1 to 1000"],
    ),
    "yes for a number": (
        edited(BATCH, ("max_nodes: 4", "max_nodes: yes")),
        ["6: batch.max_nodes: got yes (YAML reads it as true), expected a whole number from 1 to 1000"],
    ),
    "a number for a switch": (
        edited(EKS, ("name: trn1", "name: trn1\n      taint: 1")),
        ["9: eks.node_groups.0.taint: got 1 (a number), expected true or false"],
    ),
    "a misspelt instance type": (
        edited(BATCH, ("trn1.32xlarge", "trn1.32xlrge")),
        [f"5: batch.instance_type: got trn1.32xlrge, expected one of {TYPES}; did you mean trn1.32xlarge?"],
    ),
    "a type without an EC2 name": (
        edited(BATCH, ("trn1.32xlarge", "trn3.48xlarge")),
        [f"5: batch.instance_type: got trn3.48xlarge, expected one of {TYPES}; EC2 has no Trainium3 instance type yet"],
    ),
    "an inference type": (
        edited(BATCH, ("trn1.32xlarge", "inf2.48xlarge")),
        [f"5: batch.instance_type: got inf2.48xlarge, expected one of {TYPES}; Inferentia is for inference"],
    ),
    "an SDK without quotes": (
        more("neuron_sdk: 2.28"),
        [f"7: neuron_sdk: got 2.28 (a number), expected one of {SDKS}; did you mean 2.28.0?"],
    ),
    "an unknown SDK": (more("neuron_sdk: latest"), [f"7: neuron_sdk: got latest, expected one of {SDKS}"]),
    "a bad image name": (more("images: [bert, Llama2]"), [f"7: images.1: got Llama2, expected {NAME}"]),
    "no images": (more("images: []"), ["7: images: got an empty list, expected a list of 1 to 20 entries"]),
    "a long name": (
        edited(EKS, ("name: trn1", f"name: {'n' * 33}")),
        [f"8: eks.node_groups.0.name: got {'n' * 33}, expected {NAME}"],
    ),
    "a name that ends in a hyphen": (
        edited(EKS, ("name: trn1", "name: trn1-")),
        [f"8: eks.node_groups.0.name: got trn1-, expected {NAME}"],
    ),
    "a bucket by URL": (
        more("storage: {bucket: s3://ours}"),
        ["7: storage.bucket: got s3://ours, expected the name of an S3 bucket alone, without s3:// or arn:"],
    ),
    "a bucket by ARN": (
        more("storage: {bucket: 'arn:aws:s3:::ours'}"),
        ["7: storage.bucket: got arn:aws:s3:::ours, expected the name of an S3 bucket alone, without s3:// or arn:"],
    ),
    **{
        f"the bucket name {name[:20]}": (
            more(f"storage: {{bucket: {name}}}"),
            [f"7: storage.bucket: got {name}, expected {BUCKET}"],
        )
        for name in ("Ours", "a..b", "ab", "10.1.2.3", "xn--ours", "ours-s3alias", "ours-", "b" * 64)
    },
    "a removal policy of CloudFormation": (
        more("storage: {on_delete: Retain}"),
        ["7: storage.on_delete: got Retain, expected retain or delete; did you mean retain?"],
    ),
    "a Lustre deployment that is not offered": (
        eks("version: '1.35'").replace("eks:", "storage: {lustre: {deployment: SCRATCH_1}}\neks:"),
        [
            "5: storage.lustre.deployment: got SCRATCH_1, expected SCRATCH_2, PERSISTENT_1 or PERSISTENT_2; "
            "did you mean SCRATCH_2?"
        ],
    ),
    "host bits in an address range": (
        edited(BATCH, ("  training_zone", "  cidr: 10.40.0.1/16\n  training_zone")),
        ["3: network.cidr: got 10.40.0.1/16, expected the first address of the block: 10.40.0.0/16"],
    ),
    "an address range that is none": (
        edited(BATCH, ("  training_zone", "  cidr: 10.400.0.0/16\n  training_zone")),
        ["3: network.cidr: got 10.400.0.0/16, expected an IPv4 CIDR block such as 10.40.0.0/16"],
    ),
    "an IPv6 range": (
        edited(BATCH, ("  training_zone", "  cidr: 'fd00::/56'\n  training_zone")),
        ["3: network.cidr: got fd00::/56, expected an IPv4 CIDR block such as 10.40.0.0/16"],
    ),
    "one address": (
        eks("public_access_cidrs: [203.0.113.7]"),
        [
            "7: eks.public_access_cidrs.0: got 203.0.113.7, "
            "expected an IPv4 CIDR block with a prefix length, such as 203.0.113.7/32"
        ],
    ),
    "an administrator by name": (
        edited(EKS, ("arn:aws:iam::111122223333:role/Admin", "Admin")),
        [f"6: eks.admins.0: got Admin, expected {PRINCIPAL}"],
    ),
    "the root user": (
        edited(EKS, (":role/Admin", ":root")),
        [f"6: eks.admins.0: got arn:aws:iam::111122223333:root, expected {PRINCIPAL}"],
    ),
    "a session of a role": (
        edited(EKS, ("iam::111122223333:role/Admin", "sts::111122223333:assumed-role/Admin/me")),
        [
            "6: eks.admins.0: got arn:aws:sts::111122223333:assumed-role/Admin/me, "
            "expected the ARN of the IAM role itself, arn:aws:iam::ACCOUNT:role/Admin, not of one session"
        ],
    ),
    "spot capacity": (
        edited(BATCH, ("  max_nodes", "  capacity: spot\n  max_nodes")),
        [
            f"6: batch.capacity: got spot, expected {CAPACITY}; "
            "an interrupted node stops a whole multi-node job, and Batch has no multi-node spot"
        ],
    ),
    "a reservation without its id": (
        edited(BATCH, ("  max_nodes", "  capacity: reservation\n  max_nodes")),
        [f"6: batch.capacity: got reservation, expected {CAPACITY}; the reservation id is missing"],
    ),
    "a reservation id of another form": (
        edited(BATCH, ("  max_nodes", "  capacity: {reservation: cr-XYZ}\n  max_nodes")),
        [
            "6: batch.capacity: got {reservation: cr-XYZ}, "
            "expected {reservation: ID} with a reservation id such as cr-0123456789abcdef0"
        ],
    ),
    "an unknown kind of capacity": (
        edited(BATCH, ("  max_nodes", "  capacity: {block: cr-0123456789abcdef0}\n  max_nodes")),
        [f"6: batch.capacity: got {{block: cr-0123456789abcdef0}}, expected {CAPACITY}"],
    ),
    "a placement group in capitals": (
        edited(BATCH, ("  max_nodes", "  placement_group: None\n  max_nodes")),
        ["6: batch.placement_group: got None, expected none, in lower case"],
    ),
    "a placement group with spaces": (
        edited(BATCH, ("  max_nodes", "  placement_group: our group\n  max_nodes")),
        ["6: batch.placement_group: got our group, expected create, none or the name of an existing placement group"],
    ),
    "an AMI name": (
        edited(BATCH, ("  max_nodes", "  ami_id: neuron\n  max_nodes")),
        ["6: batch.ami_id: got neuron, expected an AMI id such as ami-0123456789abcdef0"],
    ),
    "a weight that is no number": (
        edited(BATCH, ("  max_nodes", "  shares: {a: much}\n  max_nodes")),
        ['6: batch.shares.a: got "much" (text), expected a number'],
    ),
    "a release of another form": (
        eks("release_version: v20260625"),
        ["7: eks.release_version: got v20260625, expected a release of the EKS-optimized AMI such as 1.35.6-20260625"],
    ),
    "Trainium system nodes": (
        eks("system_nodes: {instance_type: trn1.2xlarge}"),
        [
            "7: eks.system_nodes.instance_type: got trn1.2xlarge, "
            "expected a small general-purpose x86-64 type such as m6i.large; Trainium belongs in eks.node_groups"
        ],
    ),
    "Graviton system nodes": (
        eks("system_nodes: {instance_type: m7g.large}"),
        [
            "7: eks.system_nodes.instance_type: got m7g.large, "
            "expected a small general-purpose x86-64 type such as m6i.large; the add-ons and charts run on x86-64"
        ],
    ),
    "system nodes of no type": (
        eks("system_nodes: {instance_type: large}"),
        [
            "7: eks.system_nodes.instance_type: got large, "
            "expected a small general-purpose x86-64 type such as m6i.large, of a c, m, r or t family"
        ],
    ),
    "system nodes with accelerators": (
        eks("system_nodes: {instance_type: g6.xlarge}"),
        [
            "7: eks.system_nodes.instance_type: got g6.xlarge, "
            "expected a small general-purpose x86-64 type such as m6i.large, of a c, m, r or t family"
        ],
    ),
    "a number that YAML 1.1 alone reads as octal": (
        edited(BATCH, ("max_nodes: 4", "max_nodes: 010")),
        ["6: batch.max_nodes: got 010 (YAML reads it as 8), expected a whole number from 1 to 1000"],
    ),
    "a number that YAML 1.1 alone reads as minutes": (
        edited(BATCH, ("max_nodes: 4", "max_nodes: 1:30")),
        ["6: batch.max_nodes: got 1:30 (YAML reads it as 90), expected a whole number from 1 to 1000"],
    ),
    "white space at the end": (
        edited(BATCH, ("us-west-2", "'us-west-2 '")),
        ['1: region: got "us-west-2 ", expected a Region such as us-west-2; did you mean us-west-2?'],
    ),
    "a bucket name with a dot beside a hyphen": (
        more("storage: {bucket: a.-b}"),
        [f"7: storage.bucket: got a.-b, expected {BUCKET}"],
    ),
    "tags that are not text": (
        more("tags:", "  owner: no", "  cost-center: 0042", "  since: 2026-11-30"),
        [
            '8: tags.owner: got no (YAML reads it as false), expected a quoted string such as "no"',
            '9: tags.cost-center: got 0042 (a number), expected a quoted string such as "0042"',
            '10: tags.since: got 2026-11-30 (a date), expected a quoted string such as "2026-11-30"',
        ],
    ),
    "a tag key with other characters": (
        more("tags: {a*: b}"),
        ["7: tags.a*: got the key a*, expected a tag key of 1 to 128 letters, digits, spaces and _ . : / = + - @"],
    ),
    "too many tags": (
        more(f"tags: {{{', '.join(f'k{number}: v' for number in range(41))}}}"),
        ["7: tags: got a mapping, expected a mapping of at most 40 entries"],
    ),
    "control characters by escape": (
        more('"re\\e[31m\\ngion": x', 'tags: {a: "\\a"}'),
        [
            f"7: re\\x1b[31m\\x0agion: got an unknown key, expected one of {KEYS}; did you mean region?",
            "8: tags.a: got \\x07, expected a tag value in text, up to 256 letters, digits, spaces and _ . : / = + - @",
        ],
    ),
    "a long value": (
        edited(BATCH, ("us-west-2", "r" * 100)),
        [f"1: region: got {'r' * 80}..., expected a Region such as us-west-2"],
    ),
}


@pytest.mark.parametrize(("text", "findings"), CASES.values(), ids=list(CASES))
def test_fails_on_the_value(text: str, findings: list[str], told: Told) -> None:
    assert told(text) == findings


FINE = {
    "the batch sample": BATCH,
    "the eks sample": EKS,
    "absent parts as null": more("eks: null", "account: ~", "storage: {bucket: null, lustre: null}"),
    "share identifiers that look like other things": edited(
        BATCH, ("  max_nodes", "  shares: {no: 1, 007: 0.5, vision*: 999.9999}\n  max_nodes")
    ),
    "an account in quotes": more('account: "012345670123"'),
    "the other partitions' roles": edited(
        EKS, ("role/Admin", "role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0123456789abcdef")
    ),
    "a bucket with dots": more("storage: {bucket: our.bucket-1}"),
    "flow style on one line": "{region: us-west-2, network: {training_zone: usw2-az4}, "
    "batch: {instance_type: trn1.32xlarge, max_nodes: 1}}\n",
}


@pytest.mark.parametrize("text", FINE.values(), ids=list(FINE))
def test_accepts(text: str, told: Told) -> None:
    assert told(text) == []


def test_every_finding_is_told_at_once_in_line_order(told: Told) -> None:
    text = """\
account: 111122223333
region: us-west-2
network: {training_zone: us-west-2d}
storage: {lustre: {capacity_gib: 1300}}
eks:
  version: 1.30
  node_groups:
    - {name: a, instance_type: trn1n.32xlarge, desired: 3, capacity: {capacity_block: cr-0123456789abcdef0}}
"""
    assert [finding.split(" got ")[0] for finding in told(text)] == [
        "1: account:",
        "3: network.second_zone:",
        "3: network.training_zone:",
        "4: storage.lustre.capacity_gib:",
        "5: warning: eks.admins:",
        "6: eks.version:",
        "8: eks.node_groups.0.capacity:",
        "8: eks.node_groups.0.desired:",
    ]


def test_a_wrong_value_causes_no_second_finding(told: Told) -> None:
    # Neither the zones nor the queue can be judged while the instance type is wrong.
    text = edited(EKS, ("trn1.32xlarge", "trn9.32xlarge")) + "  queues: [{name: q, neuron_devices: 99}]\n"
    assert [finding.split(":")[1].strip() for finding in told(text)] == ["eks.node_groups.0.instance_type"]
