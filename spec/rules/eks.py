"""Rules about the EKS path."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from ipaddress import IPv4Network

from spec import compatibility
from spec.components import PUBLIC_REGISTRIES
from spec.findings import Loc, Problem
from spec.kubernetes_versions import SUPPORT_WINDOWS
from spec.names import PART_OF, Volcano
from spec.rules.network import PRIVATE_RANGES
from spec.team import Eks, Team

SUPPORT_NOTICE = timedelta(days=60)
"""How long before the end of standard support a warning is given: time to test and roll an upgrade."""
RESERVED_QUEUES = ("default", "root")
"""Volcano's scheduler defines these itself. https://volcano.sh/en/docs/queue/"""
RESERVED_NAMESPACES = (PART_OF, Volcano.NAMESPACE, "volcano-monitoring")
"""Namespaces that Volcano and this project use; a queue's namespace is named after it. Kubernetes keeps kube-*."""
MAX_PRINCIPALS = 200
"""Access entries are resources of the cluster stack, which holds 500; queues and charts take the rest."""


def problems(team: Team, today: date) -> Iterator[Problem]:
    if team.eks is None:
        return
    yield from _version(team.eks, today)
    yield from _release(team, team.eks)
    yield from _access(team, team.eks)
    yield from _scaling(team.eks)
    yield from _names(team.eks)
    yield from _queues(team, team.eks)
    yield from _components(team, team.eks)


def _version(eks: Eks, today: date) -> Iterator[Problem]:
    loc: Loc = ("eks", "version")
    known = compatibility.KUBERNETES_VERSIONS
    reads: tuple[Loc, ...] = (("eks", "upgrade_policy"), ("eks", "release_version"))
    window = SUPPORT_WINDOWS.get(eks.version)
    if window is None:
        if eks.version < known[0]:
            expected = f"one of {', '.join(known)}: no current node image exists for older versions"
            yield Problem("error", loc, eks.version, expected)
        elif eks.release_version is None:
            expected = f"one of {', '.join(known)}, or for a newer version its AMI release in eks.release_version too"
            yield Problem("error", loc, eks.version, expected, reads)
        else:
            expected = f"one of {', '.join(known)}: nothing newer has been checked against this project"
            yield Problem("warning", loc, eks.version, expected, reads)
        return
    current = [version for version, other in SUPPORT_WINDOWS.items() if other.on(today) == "standard"]
    choice = f"a version in standard support ({', '.join(current)})"
    support = window.on(today)
    if support == "ended":
        yield Problem("error", loc, eks.version, f"{choice}: support of {eks.version} ended {window.extended_until}")
    elif support == "extended" and eks.upgrade_policy == "STANDARD":
        expected = (
            f"{choice}, or eks.upgrade_policy: EXTENDED "
            f"(charged; standard support of {eks.version} ended {window.standard_until})"
        )
        yield Problem("error", loc, eks.version, expected, reads)
    elif support == "extended":
        expected = f"{choice}: extended support is charged per cluster hour and ends {window.extended_until}"
        yield Problem("warning", loc, eks.version, expected, reads)
    elif window.standard_until is not None and window.standard_until - today <= SUPPORT_NOTICE:
        longer = [version for version in current if version > eks.version]
        expected = f"{' or '.join(longer)}: standard support of {eks.version} ends {window.standard_until}"
        yield Problem("warning", loc, eks.version, expected, reads)


def _release(team: Team, eks: Eks) -> Iterator[Problem]:
    """Whether the driver of a node image given by hand runs the team's Neuron SDK."""
    release = eks.release_version
    if release is None:
        return
    loc: Loc = ("eks", "release_version")
    reads: tuple[Loc, ...] = (("eks", "version"), ("neuron_sdk",))
    if not release.startswith(f"{eks.version}."):
        yield Problem("error", loc, release, f"a release of Kubernetes {eks.version}, as in eks.version", reads)
        return
    sdk = compatibility.neuron_sdk(team.neuron_sdk)
    image = compatibility.listed_image(release)
    newest = compatibility.NODE_IMAGES[0]
    if image is not None and not sdk.runs_on(image.driver):
        driver = ".".join(map(str, image.driver))
        expected = f"{compatibility.node_release(eks.version, sdk.version)} or another release whose driver runs"
        got = f"{release} with driver {driver}"
        yield Problem("error", loc, got, f"{expected} Neuron SDK {sdk.version} (runtime {_dotted(sdk.runtime)})", reads)
    elif release.rpartition("-")[2] > newest.date and not sdk.runs_on(newest.driver):
        expected = (
            f"a release up to {newest.date}, or a newer neuron_sdk: later drivers ({_dotted(newest.driver)} on) "
            f"do not run Neuron SDK {sdk.version} (runtime {_dotted(sdk.runtime)})"
        )
        yield Problem("error", loc, release, expected, reads)
    elif image is None:
        expected = (
            f"a release from docs/team-file.md: whether this one's driver runs Neuron SDK {sdk.version} is not known"
        )
        yield Problem("warning", loc, release, expected, reads)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _access(team: Team, eks: Eks) -> Iterator[Problem]:
    loc: Loc = ("eks", "admins")
    if not eks.admins:
        yield Problem("warning", loc, "nobody", "at least one IAM role: without one nobody can use kubectl")
    yield from _repeated(loc, eks.admins)
    partition = _partition(team.region)
    for index, admin in enumerate(eks.admins):
        if admin.split(":")[1] != partition:
            expected = f"an ARN of the partition of {team.region} (arn:{partition}:...)"
            yield Problem("error", (*loc, index), admin, expected, (("region",),))
    loc = ("eks", "public_access_cidrs")
    yield from _repeated(loc, eks.public_access_cidrs)
    for index, cidr in enumerate(eks.public_access_cidrs):
        block = IPv4Network(cidr)
        if block.prefixlen == 0:
            expected = "the ranges of your offices or VPN: this opens the Kubernetes API to the whole internet"
            yield Problem("warning", (*loc, index), cidr, expected)
        elif any(block.subnet_of(private) for private in PRIVATE_RANGES):
            expected = "a public range: private addresses reach the private endpoint, never the public one"
            yield Problem("error", (*loc, index), cidr, expected)


def _partition(region: str) -> str:
    return "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"


def _scaling(eks: Eks) -> Iterator[Problem]:
    parts: list[tuple[Loc, int, int, int]] = [
        (("eks", "node_groups", index), group.min, group.desired, group.max)
        for index, group in enumerate(eks.node_groups)
    ]
    parts.append((("eks", "system_nodes"), eks.system_nodes.min, eks.system_nodes.desired, eks.system_nodes.max))
    for loc, low, desired, high in parts:
        if low > high:
            yield Problem("error", (*loc, "min"), str(low), f"at most max ({high})", ((*loc, "max"),))
        elif not low <= desired <= high:
            expected = f"a number from min ({low}) to max ({high})"
            yield Problem("error", (*loc, "desired"), str(desired), expected, ((*loc, "min"), (*loc, "max")))


def _names(eks: Eks) -> Iterator[Problem]:
    for kind, names in (
        ("node_groups", [group.name for group in eks.node_groups]),
        ("queues", [queue.name for queue in eks.queues]),
    ):
        # Output keys are made from the names without their hyphens.
        plain = [name.replace("-", "") for name in names]
        for index, name in enumerate(names):
            if plain[index] in plain[:index]:
                first = plain.index(plain[index])
                loc: Loc = ("eks", kind, first, "name")
                more = "" if name == names[first] else " in more than hyphens"
                expected = f"a name that differs{more} from {'.'.join(map(str, loc))} ({names[first]})"
                yield Problem("error", ("eks", kind, index, "name"), name, expected, (loc,))


def _queues(team: Team, eks: Eks) -> Iterator[Problem]:
    devices = sum(group.max * group.hardware.neuron_devices for group in eks.node_groups)
    for index, queue in enumerate(eks.queues):
        loc: Loc = ("eks", "queues", index)
        if queue.name in RESERVED_QUEUES:
            expected = f"another name: Volcano defines the queues {' and '.join(RESERVED_QUEUES)} itself"
            yield Problem("error", (*loc, "name"), queue.name, expected)
        elif queue.name in RESERVED_NAMESPACES or queue.name.startswith("kube-"):
            expected = "another name: the queue's namespace is named after it, and this one belongs to the cluster"
            yield Problem("error", (*loc, "name"), queue.name, expected)
        if queue.neuron_devices > devices:
            expected = f"at most {devices}: the Neuron devices of all node groups at their max"
            yield Problem(
                "error", (*loc, "neuron_devices"), str(queue.neuron_devices), expected, (("eks", "node_groups"),)
            )
    # An access entry belongs to one principal, so a principal has one role in a cluster.
    entries: list[tuple[Loc, str]] = [(("eks", "admins", index), arn) for index, arn in enumerate(eks.admins)]
    entries += [
        (("eks", "queues", position, "researchers", index), arn)
        for position, queue in enumerate(eks.queues)
        for index, arn in enumerate(queue.researchers)
    ]
    if (principals := len({arn for _, arn in entries})) > MAX_PRINCIPALS:
        expected = f"at most {MAX_PRINCIPALS} in admins and all researchers together: let people share IAM roles"
        yield Problem("error", ("eks", "queues"), f"{principals} IAM principals", expected, (("eks", "admins"),))
    partition = _partition(team.region)
    for number, (loc, arn) in enumerate(entries[len(eks.admins) :], start=len(eks.admins)):
        if arn.split(":")[1] != partition:
            expected = f"an ARN of the partition of {team.region} (arn:{partition}:...)"
            yield Problem("error", loc, arn, expected, (("region",),))
        earlier = [other for other, principal in entries[:number] if principal == arn]
        if earlier and (earlier[0][1] == "admins" or earlier[0][:3] == loc[:3]):
            expected = f"a principal that is not in {'.'.join(map(str, earlier[0]))} already"
            yield Problem("error", loc, arn, expected, (earlier[0],))


def _components(team: Team, eks: Eks) -> Iterator[Problem]:
    """Whether what runs in the cluster can be pulled, and has what it needs."""
    if eks.dynamic_volumes and team.storage.lustre is None:
        expected = "false, or storage.lustre too: further file systems lie beside the team's own, in its security group"
        yield Problem("error", ("eks", "dynamic_volumes"), "true", expected, (("storage",),))
    missing = [registry for registry in PUBLIC_REGISTRIES if registry not in eks.registry_mirrors]
    if team.network.nat == "none" and missing:
        expected = f"a mirror of {', '.join(missing)}: without NAT no node reaches a public registry"
        got = "nothing" if len(missing) == len(PUBLIC_REGISTRIES) else ", ".join(eks.registry_mirrors)
        yield Problem("warning", ("eks", "registry_mirrors"), got, expected, (("network", "nat"),))


def _repeated(loc: Loc, values: tuple[str, ...]) -> Iterator[Problem]:
    counts: Counter[str] = Counter()
    for index, value in enumerate(values):
        if counts[value]:
            yield Problem("error", (*loc, index), value, "each entry once")
        counts[value] += 1
