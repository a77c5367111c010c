"""Rules that join several values, each with the whole text its breach gives."""

import pytest

from tests.spec.conftest import Told
from tests.spec.samples import BATCH, EKS, edited

BLOCK = "cr-0123456789abcdef0"
RESEARCHER = "arn:aws:iam::111122223333:role/Researcher"


def batch(*lines: str, network: tuple[str, ...] = (), instance_type: str = "trn1.32xlarge") -> str:
    """The Batch sample with more lines in batch (from line 7 on) and in network (from line 4 on)."""
    text = edited(
        BATCH, ("batch:", "".join(f"  {line}\n" for line in network) + "batch:"), ("trn1.32xlarge", instance_type)
    )
    return text + "".join(f"  {line}\n" for line in lines)


def group(*lines: str, instance_type: str = "trn1.32xlarge") -> str:
    """The EKS sample with more lines in its node group, from line 10 on."""
    return edited(EKS, ("trn1.32xlarge", instance_type)) + "".join(f"      {line}\n" for line in lines)


def eks(*lines: str) -> str:
    """The EKS sample with more lines in eks, from line 10 on."""
    return EKS + "".join(f"  {line}\n" for line in lines)


def lustre(settings: str) -> str:
    """The EKS sample with a Lustre file system in line 10."""
    return f"{EKS}storage: {{lustre: {{{settings}}}}}\n"


def zones(region: str, training: str, second: str) -> str:
    return edited(EKS, ("us-west-2", region), ("usw2-az4", training), ("usw2-az3", second))


PATHS = {
    "neither path": (
        "region: us-west-2\nnetwork: {training_zone: usw2-az4}\n",
        ["1: eks: got neither eks nor batch, expected at least one of them"],
    ),
}

NETWORK = {
    "a second zone equal to the training zone": (
        edited(EKS, ("usw2-az3", "usw2-az4")),
        [
            "4: network.second_zone: got usw2-az4, "
            "expected another zone than network.training_zone: an EKS control plane spans two"
        ],
    ),
    "no second zone": (
        edited(EKS, ("  second_zone: usw2-az3\n", "")),
        [
            "2: network.second_zone: got nothing, "
            "expected a zone id of a second zone (required with eks: an EKS control plane spans two)"
        ],
    ),
    "zones of another Region": (
        edited(EKS, ("us-west-2", "us-east-2")),
        [
            "3: network.training_zone: got usw2-az4, expected a zone id of us-east-2, such as use2-az1",
            "4: network.second_zone: got usw2-az3, expected a zone id of us-east-2, such as use2-az1",
        ],
    ),
    "a verified zone of another Region": (
        batch(network=("verified_zones: [use1-az6]",)),
        ["4: network.verified_zones.0: got use1-az6, expected a zone id of us-west-2, such as usw2-az1"],
    ),
    "a second zone without a control plane": (
        zones("us-east-1", "use1-az6", "use1-az3"),
        [
            "4: network.second_zone: got use1-az3, "
            "expected another zone of us-east-1: EKS has no control plane in use1-az3"
        ],
    ),
    "a training zone without a control plane": (
        zones("us-east-1", "use1-az3", "use1-az5"),
        [
            "3: network.training_zone: got use1-az3, "
            "expected another zone of us-east-1: EKS has no control plane in use1-az3",
            "3: warning: network.training_zone: got use1-az3, "
            "expected a zone known to offer trn1.32xlarge (use1-az4, use1-az5, use1-az6), "
            "or use1-az3 in network.verified_zones once `trn zones trn1.32xlarge` shows it",
        ],
    ),
    "any zone without a control plane": (
        edited(BATCH, ("us-west-2", "us-east-1"), ("usw2-az4", "use1-az3\n  verified_zones: [use1-az3]")),
        [],
    ),
    "a verified zone that holds no control plane": (
        edited(zones("us-east-1", "use1-az6", "use1-az5"), ("eks:", "  verified_zones: [use1-az3]\neks:")),
        [],
    ),
    "two node groups in a zone that is not known to offer their type": (
        edited(EKS, ("usw2-az4", "usw2-az2")) + "    - {name: more, instance_type: trn1.32xlarge}\n",
        [
            "3: warning: network.training_zone: got usw2-az2, "
            "expected a zone known to offer trn1.32xlarge (usw2-az1, usw2-az4), "
            "or usw2-az2 in network.verified_zones once `trn zones trn1.32xlarge` shows it"
        ],
    ),
    "a misspelt Region": (
        edited(BATCH, ("us-west-2", "us-wset-2")),
        ["1: region: got us-wset-2, expected a Region such as us-west-2; did you mean us-west-2?"],
    ),
    "a zone that is not known to offer the type": (
        edited(BATCH, ("usw2-az4", "usw2-az2")),
        [
            "3: warning: network.training_zone: got usw2-az2, "
            "expected a zone known to offer trn1.32xlarge (usw2-az1, usw2-az4), "
            "or usw2-az2 in network.verified_zones once `trn zones trn1.32xlarge` shows it"
        ],
    ),
    "a zone that the account was seen to offer": (
        edited(BATCH, ("usw2-az4", "usw2-az2\n  verified_zones: [usw2-az2]")),
        [],
    ),
    "a Region that is not known to offer the type": (
        batch(instance_type="trn2.48xlarge"),
        [
            "5: batch.instance_type: got trn2.48xlarge, "
            "expected a type offered in us-west-2 (trn2.48xlarge: ap-south-2, us-east-2), "
            "or usw2-az4 in network.verified_zones once `trn zones trn2.48xlarge --region us-west-2` shows it"
        ],
    ),
    "a Region that the account was seen to offer": (
        batch(network=("verified_zones: [usw2-az4]",), instance_type="trn2.48xlarge"),
        [],
    ),
    "a public range": (
        batch(network=("cidr: 8.8.0.0/16",)),
        [
            "4: network.cidr: got 8.8.0.0/16, "
            "expected a private range inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"
        ],
    ),
    "too large a range": (
        batch(network=("cidr: 10.0.0.0/8",)),
        ["4: network.cidr: got 10.0.0.0/8, expected a prefix length from /16 to /24"],
    ),
    "too small a range": (
        batch(network=("cidr: 10.40.0.0/26",)),
        ["4: network.cidr: got 10.40.0.0/26, expected a prefix length from /16 to /24"],
    ),
    # 32 shared + 4 x (8 cards + 1 task) = 68 of 64 - 5.
    "more Batch nodes than addresses": (
        batch(network=("cidr: 10.40.0.0/24",)),
        [
            "4: network.cidr: got 10.40.0.0/24, whose training subnet (/26) has 59 addresses, "
            "expected a larger range: the nodes and pods at their most need 68 (efa_layout: efa-only needs fewer)"
        ],
    ),
    # 32 + 4 x (1 + 1) = 40.
    "as many Batch nodes without an address on every card": (
        batch("efa_layout: efa-only", network=("cidr: 10.40.0.0/24",)),
        [],
    ),
    # 32 shared + 4 system nodes x 17 + 40 nodes x (8 cards + 16 pods).
    "more EKS nodes than addresses": (
        edited(group("max: 40"), ("  second_zone", "  cidr: 10.40.0.0/22\n  second_zone")),
        [
            "4: network.cidr: got 10.40.0.0/22, whose training subnet (/24) has 251 addresses, "
            "expected a larger range: the nodes and pods at their most need 1060 (efa_layout: efa-only needs fewer)"
        ],
    ),
    "a service range that overlaps the VPC": (
        edited(EKS, ("  second_zone", "  cidr: 172.20.0.0/18\n  second_zone")),
        ["6: eks.service_ipv4_cidr: got 172.20.0.0/16, expected a range apart from network.cidr (172.20.0.0/18)"],
    ),
    "a public service range": (
        eks("service_ipv4_cidr: 100.64.0.0/16"),
        [
            "10: eks.service_ipv4_cidr: got 100.64.0.0/16, "
            "expected a private range inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"
        ],
    ),
    "too small a service range": (
        eks("service_ipv4_cidr: 172.20.0.0/28"),
        ["10: eks.service_ipv4_cidr: got 172.20.0.0/28, expected a prefix length from /12 to /24"],
    ),
}

CAPACITY = {
    "a capacity block of trn1n": (
        group(f"capacity: {{capacity_block: {BLOCK}}}", instance_type="trn1n.32xlarge"),
        [
            f"10: eks.node_groups.0.capacity: got {{capacity_block: {BLOCK}}}, "
            "expected on-demand or {reservation: cr-...}: EC2 sells no capacity blocks of trn1n.32xlarge"
        ],
    ),
    "a capacity block of trn1.2xlarge": (
        group("max: 1", "desired: 1", f"capacity: {{capacity_block: {BLOCK}}}", instance_type="trn1.2xlarge"),
        [
            f"12: eks.node_groups.0.capacity: got {{capacity_block: {BLOCK}}}, "
            "expected on-demand or {reservation: cr-...}: EC2 sells no capacity blocks of trn1.2xlarge"
        ],
    ),
    "a capacity block in Batch": (
        batch(f"capacity: {{capacity_block: {BLOCK}}}"),
        [
            f"7: batch.capacity: got {{capacity_block: {BLOCK}}}, "
            "expected on-demand or {reservation: cr-...}: Batch ignores the market options of a launch template, "
            "so that it cannot use a capacity block; an eks node group can"
        ],
    ),
    "a capacity block of trn1": (group(f"capacity: {{capacity_block: {BLOCK}}}"), []),
    "a reservation of any type": (group(f"capacity: {{reservation: {BLOCK}}}", instance_type="trn1n.32xlarge"), []),
    "a capacity block with a placement group": (
        group(f"capacity: {{capacity_block: {BLOCK}}}", "placement_group: create"),
        [
            "11: warning: eks.node_groups.0.placement_group: got create, "
            "expected none: a capacity block brings its own placement, and both together may find no capacity"
        ],
    ),
    "a capacity block with a placement group by name": (
        group(f"capacity: {{capacity_block: {BLOCK}}}", "placement_group: ours"),
        [
            "11: warning: eks.node_groups.0.placement_group: got ours, "
            "expected none: a capacity block brings its own placement, and both together may find no capacity"
        ],
    ),
    "a reservation with a new placement group": (
        batch(f"capacity: {{reservation: {BLOCK}}}", "placement_group: create"),
        [
            "8: warning: batch.placement_group: got create, "
            "expected none: a reservation brings its own placement, and both together may find no capacity"
        ],
    ),
    "a reservation inside a placement group": (
        batch(f"capacity: {{reservation: {BLOCK}}}", "placement_group: ours"),
        [],
    ),
    "Batch nodes that are spread out": (
        batch("placement_group: none"),
        [
            "7: warning: batch.placement_group: got none, "
            "expected create or the name of a group: nodes of one job that use EFA share a cluster placement group"
        ],
    ),
    "Batch nodes of one node each": (
        edited(batch("placement_group: none"), ("max_nodes: 4", "max_nodes: 1")),
        [],
    ),
    "Batch nodes that a reservation places": (
        batch(f"capacity: {{reservation: {BLOCK}}}", "placement_group: none"),
        [],
    ),
    "a placement group on demand": (batch("placement_group: create"), []),
    "one reservation used twice": (
        group(f"capacity: {{reservation: {BLOCK}}}")
        + f"batch: {{instance_type: trn1.32xlarge, max_nodes: 2, capacity: {{reservation: {BLOCK}}}}}\n",
        [
            f"11: warning: batch.capacity: got {BLOCK}, "
            "expected a reservation of its own (eks.node_groups.0 uses it too)"
        ],
    ),
    "several nodes without EFA in Batch": (
        batch(instance_type="trn1.2xlarge"),
        ["6: batch.max_nodes: got 4, expected 1: trn1.2xlarge has no EFA, which a job of several nodes needs"],
    ),
    "one node without EFA in Batch": (
        edited(batch(instance_type="trn1.2xlarge"), ("max_nodes: 4", "max_nodes: 1")),
        [],
    ),
    "several nodes without EFA in a node group": (
        group(instance_type="trn1.2xlarge"),
        ["8: warning: eks.node_groups.0.max: got 2, expected 1, or jobs of one node each: trn1.2xlarge has no EFA"],
    ),
    "an EFA layout without EFA": (
        group("max: 1", "desired: 1", "efa_layout: efa-only", instance_type="trn1.2xlarge"),
        ["12: eks.node_groups.0.efa_layout: got efa-only, expected no efa_layout: trn1.2xlarge has no EFA"],
    ),
    "no place for the container's interface": (
        edited(
            batch("efa_layout: efa-only", instance_type="trn2.48xlarge"),
            ("us-west-2", "us-east-2"),
            ("usw2-az4", "use2-az1"),
        ),
        [
            "7: batch.efa_layout: got efa-only, expected efa: card 0 of trn2.48xlarge takes 2 interfaces, "
            "and the container of a multi-node job needs one of them"
        ],
    ),
    "a place for the container's interface on trn1n": (
        batch("efa_layout: efa-only", instance_type="trn1n.32xlarge"),
        [],
    ),
}

CLUSTER = {
    "a version before the table": (
        eks('version: "1.31"'),
        [
            "10: eks.version: got 1.31, "
            "expected one of 1.33, 1.34, 1.35, 1.36: no current node image exists for older versions"
        ],
    ),
    "a version after the table": (
        eks('version: "1.37"'),
        [
            "10: eks.version: got 1.37, expected one of 1.33, 1.34, 1.35, 1.36, "
            "or for a newer version its AMI release in eks.release_version too"
        ],
    ),
    "a version after the table with its release": (
        "neuron_sdk: 2.32.0\nimages: [jax]\n" + eks('version: "1.37"', "release_version: 1.37.1-20261015"),
        [
            "12: warning: eks.version: got 1.37, "
            "expected one of 1.33, 1.34, 1.35, 1.36: nothing newer has been checked against this project",
            "13: warning: eks.release_version: got 1.37.1-20261015, expected a release from docs/team-file.md: "
            "whether this one's driver runs Neuron SDK 2.32.0 is not known",
        ],
    ),
    "extended support unasked for": (
        eks('version: "1.33"'),
        [
            "10: eks.version: got 1.33, expected a version in standard support (1.34, 1.35, 1.36), "
            "or eks.upgrade_policy: EXTENDED (charged; standard support of 1.33 ended 2026-07-29)"
        ],
    ),
    "extended support asked for": (
        eks('version: "1.33"', "upgrade_policy: EXTENDED"),
        [
            "10: warning: eks.version: got 1.33, expected a version in standard support (1.34, 1.35, 1.36): "
            "extended support is charged per cluster hour and ends 2027-07-29"
        ],
    ),
    "the last days of standard support": (
        eks('version: "1.34"'),
        ["10: warning: eks.version: got 1.34, expected 1.35 or 1.36: standard support of 1.34 ends 2026-12-02"],
    ),
    "a version without published dates": (eks('version: "1.36"'), []),
    "a release of another version": (
        eks("release_version: 1.34.9-20260625"),
        ["10: eks.release_version: got 1.34.9-20260625, expected a release of Kubernetes 1.35, as in eks.version"],
    ),
    "a release whose driver is too new": (
        eks("release_version: 1.35.6-20260714"),
        [
            "10: eks.release_version: got 1.35.6-20260714 with driver 2.29, expected 1.35.6-20260625 "
            "or another release whose driver runs Neuron SDK 2.28.0 (runtime 2.30)"
        ],
    ),
    "a release whose driver is too old": (
        "neuron_sdk: 2.30.0\n" + eks("release_version: 1.35.2-20260403"),
        [
            "11: eks.release_version: got 1.35.2-20260403 with driver 2.26, expected 1.35.6-20260625 "
            "or another release whose driver runs Neuron SDK 2.30.0 (runtime 2.32)"
        ],
    ),
    "a release after the table with an old SDK": (
        eks("release_version: 1.35.7-20261015"),
        [
            "10: eks.release_version: got 1.35.7-20261015, expected a release up to 20260714, or a newer neuron_sdk: "
            "later drivers (2.29 on) do not run Neuron SDK 2.28.0 (runtime 2.30)"
        ],
    ),
    "an older release of the table": (eks("release_version: 1.35.5-20260610"), []),
    "an unlisted release inside the table's time": (
        eks("release_version: 1.35.5-20260601"),
        [
            "10: warning: eks.release_version: got 1.35.5-20260601, expected a release from docs/team-file.md: "
            "whether this one's driver runs Neuron SDK 2.28.0 is not known"
        ],
    ),
    "no administrators": (
        edited(EKS, ('  admins: ["arn:aws:iam::111122223333:role/Admin"]\n', "")),
        ["5: warning: eks.admins: got nobody, expected at least one IAM role: without one nobody can use kubectl"],
    ),
    "an administrator twice": (
        edited(EKS, ('role/Admin"', 'role/Admin", "arn:aws:iam::111122223333:role/Admin"')),
        ["6: eks.admins.1: got arn:aws:iam::111122223333:role/Admin, expected each entry once"],
    ),
    "an administrator of another partition": (
        edited(EKS, ("arn:aws:", "arn:aws-cn:")),
        [
            "6: eks.admins.0: got arn:aws-cn:iam::111122223333:role/Admin, "
            "expected an ARN of the partition of us-west-2 (arn:aws:...)"
        ],
    ),
    "an endpoint open to the world": (
        eks("public_access_cidrs: [0.0.0.0/0]"),
        [
            "10: warning: eks.public_access_cidrs.0: got 0.0.0.0/0, expected the ranges of your offices or VPN: "
            "this opens the Kubernetes API to the whole internet"
        ],
    ),
    "a private range at the public endpoint": (
        eks("public_access_cidrs: [203.0.113.0/24, 10.0.0.0/8]"),
        [
            "10: eks.public_access_cidrs.1: got 10.0.0.0/8, expected a public range: "
            "private addresses reach the private endpoint, never the public one"
        ],
    ),
    "desired above max": (
        group("desired: 3"),
        ["10: eks.node_groups.0.desired: got 3, expected a number from min (0) to max (2)"],
    ),
    "desired below min": (
        group("min: 2", "desired: 1"),
        ["11: eks.node_groups.0.desired: got 1, expected a number from min (2) to max (2)"],
    ),
    "the default of desired above max": (
        group("max: 1"),
        ["8: eks.node_groups.0.desired: got 2, expected a number from min (0) to max (1)"],
    ),
    "min above max": (group("min: 3"), ["10: eks.node_groups.0.min: got 3, expected at most max (2)"]),
    "system nodes with desired above max": (
        eks("system_nodes: {desired: 9}"),
        ["10: eks.system_nodes.desired: got 9, expected a number from min (2) to max (4)"],
    ),
    "two node groups of one name": (
        EKS + "    - {name: trn1, instance_type: trn1.32xlarge}\n",
        ["10: eks.node_groups.1.name: got trn1, expected a name that differs from eks.node_groups.0.name (trn1)"],
    ),
    "two node groups whose outputs would clash": (
        EKS + "    - {name: trn-1, instance_type: trn1.32xlarge}\n",
        [
            "10: eks.node_groups.1.name: got trn-1, "
            "expected a name that differs in more than hyphens from eks.node_groups.0.name (trn1)"
        ],
    ),
    "two queues of one name": (
        eks("queues: [{name: q, neuron_devices: 1}, {name: q, neuron_devices: 1}]"),
        ["10: eks.queues.1.name: got q, expected a name that differs from eks.queues.0.name (q)"],
    ),
    "a queue larger than its node groups": (
        eks("queues: [{name: bert, neuron_devices: 33}]"),
        [
            "10: eks.queues.0.neuron_devices: got 33, "
            "expected at most 32: the Neuron devices of all node groups at their max"
        ],
    ),
    "a queue as large as its node groups": (eks("queues: [{name: bert, neuron_devices: 32}]"), []),
    "a queue of Volcano's own name": (
        eks("queues: [{name: default, neuron_devices: 32}]"),
        [
            "10: eks.queues.0.name: got default, "
            "expected another name: Volcano defines the queues default and root itself"
        ],
    ),
    "a queue of a namespace that the cluster uses": (
        eks("queues: [{name: kube-system, neuron_devices: 32}]"),
        [
            "10: eks.queues.0.name: got kube-system, expected another name: "
            "the queue's namespace is named after it, and this one belongs to the cluster"
        ],
    ),
    "researchers of two queues": (
        eks(
            "queues:",
            f"  - {{name: a, neuron_devices: 16, researchers: [{RESEARCHER}]}}",
            f"  - {{name: b, neuron_devices: 16, researchers: [{RESEARCHER}]}}",
        ),
        [],
    ),
    "a researcher who is an admin": (
        eks("queues: [{name: a, neuron_devices: 16, researchers: ['arn:aws:iam::111122223333:role/Admin']}]"),
        [
            "10: eks.queues.0.researchers.0: got arn:aws:iam::111122223333:role/Admin, "
            "expected a principal that is not in eks.admins.0 already"
        ],
    ),
    "more people than a stack holds": (
        eks(
            "queues:",
            *(
                f"  - {{name: q{queue}, neuron_devices: 16, researchers: ["
                + ", ".join(f"arn:aws:iam::111122223333:role/R{queue}-{number}" for number in range(100))
                + "]}"
                for queue in range(2)
            ),
        ),
        [
            "10: eks.queues: got 201 IAM principals, "
            "expected at most 200 in admins and all researchers together: let people share IAM roles"
        ],
    ),
    "queues whose names only start like the cluster's": (
        eks("queues: [{name: default-nlp, neuron_devices: 16}, {name: volcano-x, neuron_devices: 16}]"),
        [],
    ),
    "a researcher named twice": (
        eks(f"queues: [{{name: a, neuron_devices: 16, researchers: [{RESEARCHER}, {RESEARCHER}]}}]"),
        [
            f"10: eks.queues.0.researchers.1: got {RESEARCHER}, "
            "expected a principal that is not in eks.queues.0.researchers.0 already"
        ],
    ),
    "a researcher of another partition": (
        eks("queues: [{name: a, neuron_devices: 16, researchers: ['arn:aws-cn:iam::111122223333:role/R']}]"),
        [
            "10: eks.queues.0.researchers.0: got arn:aws-cn:iam::111122223333:role/R, "
            "expected an ARN of the partition of us-west-2 (arn:aws:...)"
        ],
    ),
}

TAGS = {
    "tag keys that differ in case alone": (
        batch() + "tags: {team: a, Team: b}\n",
        [
            "7: tags.Team: got the key Team, "
            "expected a key that differs from team in more than case: IAM takes the two for one"
        ],
    ),
    "long tags in many launch templates": (
        EKS
        + "".join(f"    - {{name: g{number}, instance_type: trn1.32xlarge}}\n" for number in range(28))
        + "tags: {"
        + ", ".join(f"{'k' * 100}{number}: {'v' * 256}" for number in range(15))
        + "}\n",
        [
            "38: tags: got 15 tags for 29 node groups, expected fewer or shorter tags: "
            "CloudFormation takes no template with these in every launch template"
        ],
    ),
}

REGISTRIES = {
    "no NAT and no mirror": (
        edited(EKS, ("eks:", "  nat: none\neks:")),
        [
            "6: warning: eks.registry_mirrors: got nothing, expected a mirror of docker.io, public.ecr.aws, quay.io: "
            "without NAT no node reaches a public registry"
        ],
    ),
    "no NAT and one mirror": (
        edited(EKS, ("eks:", "  nat: none\neks:\n  registry_mirrors: {docker.io: mirror.example/hub}")),
        [
            "7: warning: eks.registry_mirrors: got docker.io, expected a mirror of public.ecr.aws, quay.io: "
            "without NAT no node reaches a public registry"
        ],
    ),
    "no NAT and every mirror": (
        edited(
            EKS,
            (
                "eks:",
                "  nat: none\neks:\n  registry_mirrors: {docker.io: m.example/a, quay.io: m.example/b,"
                " public.ecr.aws: m.example/c}",
            ),
        ),
        [],
    ),
    "a registry that nothing comes from": (
        eks("registry_mirrors: {ghcr.io: mirror.example}"),
        ["10: eks.registry_mirrors.ghcr.io: got the key ghcr.io, expected one of docker.io, public.ecr.aws, quay.io"],
    ),
    "a mirror with a scheme": (
        eks("registry_mirrors: {docker.io: 'https://mirror.example'}"),
        [
            "10: eks.registry_mirrors.docker.io: got https://mirror.example, "
            "expected a registry and path such as 111122223333.dkr.ecr.us-west-2.amazonaws.com/docker-hub"
        ],
    ),
}

SHARES = {
    "a share identifier with a hyphen": (
        batch("shares: {team-a: 1}"),
        [
            "7: batch.shares.team-a: got the identifier team-a, "
            "expected a share identifier of up to 255 letters and digits, with * at the end for a prefix"
        ],
    ),
    "share identifiers that overlap": (
        batch("shares: {vision*: 1, visionA: 2}"),
        ["7: batch.shares.visionA: got the identifier visionA, expected one that vision* does not cover"],
    ),
    "share identifiers that do not overlap": (batch("shares: {vision*: 1, audio: 2}"), []),
    "a weight of nothing": (
        batch("shares: {a: 0}"),
        ["7: batch.shares.a: got 0, expected a weight from 0.0001 to 999.9999 (a lower weight gets more)"],
    ),
    "too large a weight": (
        batch("shares: {a: 1000}"),
        ["7: batch.shares.a: got 1000, expected a weight from 0.0001 to 999.9999 (a lower weight gets more)"],
    ),
    "a weight that is not a number": (
        batch("shares: {a: .nan}"),
        ["7: batch.shares.a: got nan, expected a weight from 0.0001 to 999.9999 (a lower weight gets more)"],
    ),
    "too many share identifiers": (
        batch(f"shares: {{{', '.join(f'a{number}: 1' for number in range(501))}}}"),
        ["7: batch.shares: got 501 share identifiers, expected at most 500"],
    ),
}

STORAGE = {
    "1300 GiB": (
        lustre("capacity_gib: 1300"),
        ["10: storage.lustre.capacity_gib: got 1300, expected 1200 or a multiple of 2400 GiB, such as 1200 or 2400"],
    ),
    "3600 GiB": (
        lustre("capacity_gib: 3600"),
        ["10: storage.lustre.capacity_gib: got 3600, expected 1200 or a multiple of 2400 GiB, such as 2400 or 4800"],
    ),
    "no capacity": (
        lustre("capacity_gib: 0"),
        ["10: storage.lustre.capacity_gib: got 0, expected 1200 or a multiple of 2400 GiB, such as 1200"],
    ),
    "throughput of another deployment": (
        lustre("throughput: 200"),
        ["10: storage.lustre.throughput: got 200, expected one of 125, 250, 500, 1000 MB/s per TiB for PERSISTENT_2"],
    ),
    "throughput of the newer deployment": (
        lustre("deployment: PERSISTENT_1, throughput: 250"),
        ["10: storage.lustre.throughput: got 250, expected one of 50, 100, 200 MB/s per TiB for PERSISTENT_1"],
    ),
    "throughput of a scratch file system": (
        lustre("deployment: SCRATCH_2, throughput: 250"),
        ["10: storage.lustre.throughput: got 250, expected no throughput: SCRATCH_2 has a fixed one"],
    ),
    **{
        f"{deployment} with its default": (lustre(f"deployment: {deployment}, capacity_gib: 4800"), [])
        for deployment in ("SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2")
    },
    "a file system that nothing mounts": (
        f"{BATCH}storage: {{lustre: {{}}}}\n",
        [
            "7: warning: storage.lustre: got a file system, "
            "expected no file system without eks: Batch jobs read datasets and write checkpoints in S3"
        ],
    ),
    "images that differ in hyphens only": (
        f"{BATCH}images: [all-reduce, allreduce]\n",
        ["7: images.1: got allreduce, expected a name that differs in more than hyphens from images.0 (all-reduce)"],
    ),
    "an SDK without a training image": (
        f"{BATCH}neuron_sdk: 2.31.0\n",
        [
            "7: warning: neuron_sdk: got 2.31.0, "
            "expected an SDK with a verified PyTorch/XLA training image (2.26.1, 2.27.1, 2.28.0, 2.30.0), "
            "or images without allreduce, bert, llama2"
        ],
    ),
    "a tag of one's own": (f"{BATCH}tags: {{owner: us}}\n", []),
    "a tag of AWS": (
        f'{BATCH}tags: {{"AWS:owner": us}}\n',
        ["7: tags.AWS:owner: got the key AWS:owner, expected a key that does not start with aws:"],
    ),
}

RULES = PATHS | NETWORK | CAPACITY | CLUSTER | REGISTRIES | TAGS | SHARES | STORAGE


@pytest.mark.parametrize(("text", "findings"), RULES.values(), ids=list(RULES))
def test_rule(text: str, findings: list[str], told: Told) -> None:
    assert told(text) == findings


def test_no_two_cases_share_a_name() -> None:
    assert len(RULES) == sum(map(len, (PATHS, NETWORK, CAPACITY, CLUSTER, REGISTRIES, TAGS, SHARES, STORAGE)))
