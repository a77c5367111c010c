"""Rules about the EKS cluster and its node groups."""

from __future__ import annotations

from spec.compatibility import KUBERNETES_VERSIONS
from tests.conftest import Synthesized
from tests.rules.cfn import Resource, count, find, resources, strings, target
from tests.rules.training import NODE_GROUP, launches

CLUSTER = "AWS::EKS::Cluster"
ADDONS = {
    "vpc-cni": "aws-node",
    "coredns": None,
    "kube-proxy": None,
    "eks-pod-identity-agent": None,
    "aws-fsx-csi-driver": "fsx-csi-controller-sa",
    "eks-node-monitoring-agent": None,
}
"""Each add-on with the service account whose pods get a role through Pod Identity."""
BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
DENIED_ZONES = {"use1-az3", "usw1-az2", "cac1-az3"}
"""https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html"""
LOGS = {"api", "audit", "authenticator", "controllerManager", "scheduler"}


def _clusters(synthesized: Synthesized) -> tuple[list[Resource], list[str]]:
    found = resources(synthesized, CLUSTER)
    return found, count("clusters", len(found), int(synthesized.team.eks is not None))


def version_is_one_that_nodes_exist_for(synthesized: Synthesized) -> list[str]:
    """The version of the team file, not older than the oldest one with a node image that is still built."""
    clusters, found = _clusters(synthesized)
    oldest = tuple(map(int, KUBERNETES_VERSIONS[0].split(".")))
    for cluster in clusters:
        version = cluster.properties["Version"]
        if synthesized.team.eks and version != synthesized.team.eks.version:
            found.append(f"{cluster.name}: version {version}, expected the team's {synthesized.team.eks.version}")
        if tuple(map(int, version.split("."))) < oldest:
            found.append(f"{cluster.name}: version {version}, expected {KUBERNETES_VERSIONS[0]} or newer")
    return found


def control_plane_spans_two_zones(synthesized: Synthesized) -> list[str]:
    """Two subnets in two zones, none of them a zone without EKS control planes."""
    clusters, found = _clusters(synthesized)
    for cluster in clusters:
        subnets = [
            find(synthesized, cluster.stack, value) for value in cluster.properties["ResourcesVpcConfig"]["SubnetIds"]
        ]
        zones = [subnet.properties.get("AvailabilityZoneId") for subnet in subnets if subnet]
        if len(zones) != len(subnets) or len(set(zones)) < 2:
            found.append(f"{cluster.name}: zones {zones}, expected at least two")
        if denied := DENIED_ZONES.intersection(zones):
            found.append(f"{cluster.name}: {sorted(denied)} have no EKS control planes")
    return found


def endpoint_is_private_unless_ranges_are_given(synthesized: Synthesized) -> list[str]:
    """The private endpoint always; the public one for the ranges of the team file alone."""
    clusters, found = _clusters(synthesized)
    for cluster in clusters:
        config = cluster.properties["ResourcesVpcConfig"]
        ranges = list(synthesized.team.eks.public_access_cidrs) if synthesized.team.eks else []
        if config.get("EndpointPrivateAccess") is not True:
            found.append(f"{cluster.name}: no private endpoint")
        if config.get("EndpointPublicAccess") is not bool(ranges) or config.get("PublicAccessCidrs", []) != ranges:
            found.append(
                f"{cluster.name}: public endpoint {config.get('EndpointPublicAccess')} for "
                f"{config.get('PublicAccessCidrs')}, expected {ranges}"
            )
    return found


def control_plane_is_hardened(synthesized: Synthesized) -> list[str]:
    """Access entries alone, no administrator by accident, encrypted secrets, every log, the team's upgrade policy."""
    clusters, found = _clusters(synthesized)
    for cluster in clusters:
        properties = cluster.properties
        access = properties.get("AccessConfig")
        if access != {"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False}:
            found.append(f"{cluster.name}: access {access}")
        encryption = properties.get("EncryptionConfig", [])
        keys = [
            find(synthesized, cluster.stack, item["Provider"]["KeyArn"])
            for item in encryption
            if item["Resources"] == ["secrets"]
        ]
        if [key.kind for key in keys if key] != ["AWS::KMS::Key"]:
            found.append(f"{cluster.name}: secrets without a key")
        logs = properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", [])
        if {item["Type"] for item in logs} != LOGS:
            found.append(f"{cluster.name}: logs {logs}")
        if properties.get("ComputeConfig", {}).get("Enabled") is not False:
            found.append(f"{cluster.name}: Auto Mode, whose nodes have no launch template of ours")
        policy = properties.get("UpgradePolicy", {}).get("SupportType")
        if synthesized.team.eks and policy != synthesized.team.eks.upgrade_policy:
            found.append(f"{cluster.name}: upgrade policy {policy}")
    return found


def access_entries_are_those_asked_for(synthesized: Synthesized) -> list[str]:
    """One for each administrator, with the admin policy; one for each researcher, in the groups of the queues.

    And one for the function that applies manifests. Nobody else has one, and nobody both policy and groups.
    """
    eks = synthesized.team.eks
    entries = resources(synthesized, "AWS::EKS::AccessEntry")
    functions = {
        target(synthesized, item.stack, item.properties["Role"])
        for item in resources(synthesized, "AWS::Lambda::Function")
    }
    wanted: dict[str, set[str]] = {admin: set() for admin in (eks.admins if eks else ())}
    for queue in eks.queues if eks else ():
        for researcher in queue.researchers:
            wanted.setdefault(researcher, set()).add(f"trn-training:{queue.name}")
    found = count("access entries", len(entries), len(wanted) + 1 if eks else 0)
    given = [target(synthesized, entry.stack, entry.properties["PrincipalArn"]) for entry in entries]
    found += [f"{principal}: no access entry" for principal in sorted(wanted.keys() - set(given))]
    for entry, principal in zip(entries, given, strict=True):
        if principal not in wanted and principal not in functions:
            found.append(f"{principal}: an access entry nobody asked for")
        expected = wanted.get(principal, set())
        groups = entry.properties.get("KubernetesGroups", [])
        if sorted(groups) != sorted(expected):
            found.append(f"{entry.name}: groups {groups}, expected {sorted(expected)}")
        policies = [
            (target(synthesized, entry.stack, item["PolicyArn"]).rpartition("/")[2], item["AccessScope"])
            for item in entry.properties.get("AccessPolicies", [])
        ]
        if policies != ([] if expected else [("AmazonEKSClusterAdminPolicy", {"Type": "cluster"})]):
            found.append(f"{entry.name}: policies {policies}")
        if entry.properties.get("Type", "STANDARD") != "STANDARD":
            found.append(f"{entry.name}: type {entry.properties['Type']}")
    return found


def addons_are_complete_and_in_order(synthesized: Synthesized) -> list[str]:
    """The add-ons, roles through Pod Identity, CNI and proxy before the first node, the others after it."""
    addons = {item.properties["AddonName"]: item for item in resources(synthesized, "AWS::EKS::Addon")}
    clusters, found = _clusters(synthesized)
    if set(addons) != (set(ADDONS) if clusters else set()):
        return [*found, f"add-ons {sorted(addons)}, expected {sorted(ADDONS)} with a cluster"]
    trn = {launch.user.name for launch in launches(synthesized)[0]}
    system = [item for item in resources(synthesized, NODE_GROUP) if item.name not in trn]
    found += count("system node groups", len(system), len(clusters))
    for name, addon in addons.items():
        associations = addon.properties.get("PodIdentityAssociations", [])
        accounts = [item["ServiceAccount"] for item in associations]
        if accounts != [account for account in [ADDONS[name]] if account]:
            found.append(f"{addon.name}: service accounts {accounts}, expected {ADDONS[name]}")
        for item in associations:
            role = find(synthesized, addon.stack, item["RoleArn"])
            trust = sorted(strings(role.properties["AssumeRolePolicyDocument"])) if role else []
            if not {"pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession"} <= set(trust):
                found.append(f"{addon.name}: its role does not trust Pod Identity")
        for nodes in system:
            if name in BEFORE_NODES and addon.name not in nodes.depends_on:
                found.append(f"{nodes.name}: does not wait for {name}")
            if name not in BEFORE_NODES and nodes.name not in addon.depends_on:
                found.append(f"{addon.name}: does not wait for a node to run on")
    return found


def manifests_are_applied_from_inside_the_vpc(synthesized: Synthesized) -> list[str]:
    """The functions behind manifests run in the cluster's subnets with its group, and bring kubectl of its minor."""
    clusters, found = _clusters(synthesized)
    for cluster in clusters:
        config = cluster.properties["ResourcesVpcConfig"]
        functions = [item for item in resources(synthesized, "AWS::Lambda::Function") if item.stack == cluster.stack]
        found += count("functions beside the cluster", len(functions), 2)
        for item in functions:
            place = item.properties.get("VpcConfig", {})
            group = [target(synthesized, item.stack, value) for value in place.get("SecurityGroupIds", [])]
            if place.get("SubnetIds") != config["SubnetIds"] or group != [f"{cluster.name}.ClusterSecurityGroupId"]:
                found.append(f"{item.name}: outside the cluster's network")
        layers = [
            layer.properties.get("Description", "")
            for layer in resources(synthesized, "AWS::Lambda::LayerVersion")
            if "kubectl" in layer.properties.get("Description", "")
        ]
        if not any(f"kubectl {cluster.properties['Version']}." in text for text in layers):
            found.append(f"{cluster.name}: kubectl layers {layers}, version {cluster.properties['Version']}")
    return found
