"""Rules about FSx for Lustre file systems."""

from __future__ import annotations

from typing import Any

from spec.names import Prefix
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, count, group_rules, resources, target, targets
from tests.rules.training import LAUNCH_TEMPLATE

FILE_SYSTEM = "AWS::FSx::FileSystem"
ASSOCIATION = "AWS::FSx::DataRepositoryAssociation"
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html
THROUGHPUTS: dict[str, tuple[int | None, ...]] = {
    "SCRATCH_2": (None,),
    "PERSISTENT_1": (50, 100, 200),
    "PERSISTENT_2": (125, 250, 500, 1000),
}
PORTS = {(988, 988), (1018, 1023)}
MAX_ASSOCIATIONS = 8
OLD_S3_LINK = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")


def _file_systems(synthesized: Synthesized) -> tuple[list[Resource], list[str]]:
    """The file systems, and a finding when there are more or fewer than the team asks for."""
    found = resources(synthesized, FILE_SYSTEM)
    return found, count("file systems", len(found), int(synthesized.team.storage.lustre is not None))


def _lustre(file_system: Resource) -> dict[str, Any]:
    configuration: dict[str, Any] = file_system.properties["LustreConfiguration"]
    return configuration


def capacity_is_one_that_fsx_sells(synthesized: Synthesized) -> list[str]:
    """1200 GiB or a multiple of 2400, on SSD; and what the team asks for."""
    file_systems, found = _file_systems(synthesized)
    for item in file_systems:
        capacity = item.properties.get("StorageCapacity")
        if not isinstance(capacity, int) or not (capacity == 1200 or (capacity > 0 and capacity % 2400 == 0)):
            found.append(f"{item.name}: {capacity} GiB, expected 1200 or a multiple of 2400")
        wanted = synthesized.team.storage.lustre
        if wanted and capacity != wanted.capacity_gib:
            found.append(f"{item.name}: {capacity} GiB, expected the team's {wanted.capacity_gib}")
        if item.properties.get("StorageType") != "SSD":
            found.append(f"{item.name}: storage type {item.properties.get('StorageType')}")
    return found


def throughput_fits_the_deployment(synthesized: Synthesized) -> list[str]:
    """Each deployment type has throughputs of its own, a scratch one none to choose; and what the team asks for."""
    file_systems, found = _file_systems(synthesized)
    for item in file_systems:
        deployment = _lustre(item).get("DeploymentType")
        throughput = _lustre(item).get("PerUnitStorageThroughput")
        if deployment not in THROUGHPUTS:
            found.append(f"{item.name}: deployment type {deployment}, expected one of {', '.join(THROUGHPUTS)}")
        elif throughput not in THROUGHPUTS[deployment]:
            found.append(f"{item.name}: {throughput} MB/s per TiB with {deployment}")
        wanted = synthesized.team.storage.lustre
        if wanted and (deployment, throughput) != (wanted.deployment, wanted.throughput):
            found.append(f"{item.name}: {deployment} {throughput}, expected {wanted.deployment} {wanted.throughput}")
    return found


def server_is_as_new_as_its_clients(synthesized: Synthesized) -> list[str]:
    """Lustre 2.15, which the client of AL2023 speaks; the default is older."""
    file_systems, found = _file_systems(synthesized)
    for item in file_systems:
        kind, version = item.properties.get("FileSystemType"), item.properties.get("FileSystemTypeVersion")
        if (kind, version) != ("LUSTRE", "2.15"):
            found.append(f"{item.name}: {kind} {version}, expected LUSTRE 2.15")
    return found


def linked_by_associations_only(synthesized: Synthesized) -> list[str]:
    """The bucket is linked by associations, never by the older properties, which PERSISTENT_2 refuses.

    Linked paths lie side by side, begin with a slash, point to the team's prefixes, and are made one after another,
    since FSx works on one association of a file system at a time.
    """
    file_systems, found = _file_systems(synthesized)
    found += [f"{item.name}: {key}" for item in file_systems for key in OLD_S3_LINK if key in _lustre(item)]
    links = resources(synthesized, ASSOCIATION)
    lustre = synthesized.team.storage.lustre
    if bool(links) != bool(lustre and lustre.s3_link):
        found.append(f"{len(links)} associations with s3_link {lustre and lustre.s3_link}")
    if len(links) > MAX_ASSOCIATIONS:
        found.append(f"{len(links)} associations, expected at most {MAX_ASSOCIATIONS}")
    paths = [link.properties["FileSystemPath"].rstrip("/") + "/" for link in links]
    found += [f"path {path} does not begin with a slash" for path in paths if not path.startswith("/")]
    found += [
        f"paths {path} and {other} overlap"
        for index, path in enumerate(paths)
        for other in paths[:index]
        if path.startswith(other) or other.startswith(path)
    ]
    file_system_names = {item.name for item in file_systems}
    for link in links:
        path = target(synthesized, link.stack, link.properties["DataRepositoryPath"])
        if not path.startswith("s3://") or not path.endswith(tuple(f"/{prefix}" for prefix in Prefix)):
            found.append(f"{link.name}: repository path {path}, expected a prefix of the team's bucket")
        if target(synthesized, link.stack, link.properties["FileSystemId"]) not in file_system_names:
            found.append(f"{link.name}: belongs to no file system of the team")
    waiting = sum(bool(link.depends_on & {other.name for other in links}) for link in links)
    return found + (count("associations that wait for another", waiting, len(links) - 1) if links else [])


def backups_only_where_allowed(synthesized: Synthesized) -> list[str]:
    """No backups of a scratch or of a linked file system: FSx refuses them."""
    file_systems, found = _file_systems(synthesized)
    for item in file_systems:
        days = _lustre(item).get("AutomaticBackupRetentionDays")
        scratch = str(_lustre(item).get("DeploymentType")).startswith("SCRATCH")
        if days != (None if scratch else 0):
            found.append(f"{item.name}: backups kept for {days} days")
        if "CopyTagsToBackups" in _lustre(item):
            found.append(f"{item.name}: CopyTagsToBackups")
    return found


def ports_are_open_both_ways(synthesized: Synthesized) -> list[str]:
    """Every node reaches the servers on the Lustre ports, the servers reach it, and each other."""
    file_systems, found = _file_systems(synthesized)
    opened: set[tuple[Any, ...]] = set()
    for item, direction, rule in group_rules(synthesized):
        if direction == "ingress" and rule["IpProtocol"] == "tcp" and "SourceSecurityGroupId" in rule:
            pair = targets(synthesized, item.stack, [rule["SourceSecurityGroupId"], rule["GroupId"]])
            opened.add((*pair, rule.get("FromPort"), rule.get("ToPort")))
    for item in file_systems:
        servers = targets(synthesized, item.stack, item.properties.get("SecurityGroupIds"))
        if len(servers) != 1:
            found.append(f"{item.name}: groups {servers}, expected one of its own")
            continue
        server = servers[0]
        found += [f"closed from server to server: {ports}" for ports in PORTS if (server, server, *ports) not in opened]
        for template in resources(synthesized, LAUNCH_TEMPLATE):
            groups = _groups_of(synthesized, template)
            if not any(_both_ways(opened, server, group) for group in groups):
                found.append(f"{template.name}: none of its groups {groups} exchanges Lustre traffic with {server}")
    return found


def _groups_of(synthesized: Synthesized, template: Resource) -> list[str]:
    data = template.properties["LaunchTemplateData"]
    groups = [*data.get("SecurityGroupIds", [])]
    groups += [group for item in data.get("NetworkInterfaces", [])[:1] for group in item.get("Groups", [])]
    return targets(synthesized, template.stack, groups)


def _both_ways(opened: set[tuple[Any, ...]], server: str, client: str) -> bool:
    return all((*pair, *ports) in opened for pair in ((client, server), (server, client)) for ports in PORTS)


def rules_come_before_the_file_system(synthesized: Synthesized) -> list[str]:
    """FSx checks the ports when it creates its interfaces, so the file system waits for every rule of its group."""
    file_systems, found = _file_systems(synthesized)
    for item in file_systems:
        servers = set(targets(synthesized, item.stack, item.properties.get("SecurityGroupIds")))
        its_own = [
            rule
            for rule in resources(synthesized, "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
            if servers
            & {
                target(synthesized, rule.stack, value)
                for key, value in rule.properties.items()
                if key.endswith(("GroupId", "SecurityGroupId"))
            }
        ]
        if not its_own:
            found.append(f"{item.name}: its group has no rules")
        found += [f"{item.name}: does not wait for {rule.name}" for rule in its_own if rule.name not in item.depends_on]
    return found
