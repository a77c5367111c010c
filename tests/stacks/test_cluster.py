"""The cluster stack: control plane, add-ons, system nodes, access."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spec.subnets import POD_ADDRESSES_PER_NODE
from spec.versions import KUBECTL_LAYERS
from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.rules.cfn import target, targets

GROUPS = [{"name": "a", "instance_type": "trn1.32xlarge"}]
ADMIN = "arn:aws:iam::111122223333:role/Admin"
OFFICE = "203.0.113.0/24"
TEAMS: dict[str, dict[str, Any]] = {
    "private": {"admins": [ADMIN, "arn:aws:iam::111122223333:user/operator"]},
    "public": {"public_access_cidrs": [OFFICE]},
    "newer": {"version": "1.37", "release_version": "1.37.0-20261101", "service_ipv4_cidr": "10.100.0.0/16"},
    "sized": {"system_nodes": {"instance_type": "m7i.xlarge", "min": 1, "desired": 3, "max": 5}},
}
MORE: dict[str, dict[str, Any]] = {"sized": {"storage": {"lustre": {}}}, "newer": {"neuron_sdk": "2.32.0"}}


@pytest.fixture(scope="module")
def clusters(make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Synthesized]:
    teams = [make_team(name, eks={"node_groups": GROUPS} | keys, **MORE.get(name, {})) for name, keys in TEAMS.items()]
    return synthesize_teams(teams, tmp_path_factory.mktemp("clusters"))


def properties(synthesized: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource["Properties"] for stack, resource in synthesized.of_type(kind) if stack == "Cluster"]


def cluster(synthesized: Synthesized) -> dict[str, Any]:
    (found,) = properties(synthesized, "AWS::EKS::Cluster")
    return found


def test_the_endpoint_is_private_by_default(clusters: dict[str, Synthesized]) -> None:
    config = cluster(clusters["private"])["ResourcesVpcConfig"]
    assert (config["EndpointPrivateAccess"], config["EndpointPublicAccess"]) == (True, False)
    assert "PublicAccessCidrs" not in config


def test_a_public_endpoint_is_open_to_the_given_ranges_alone(clusters: dict[str, Synthesized]) -> None:
    config = cluster(clusters["public"])["ResourcesVpcConfig"]
    assert (config["EndpointPrivateAccess"], config["EndpointPublicAccess"]) == (True, True)
    assert config["PublicAccessCidrs"] == [OFFICE]


def test_each_admin_has_an_access_entry_beside_the_manifest_handler(clusters: dict[str, Synthesized]) -> None:
    private = clusters["private"]
    principals = [
        target(private, "Cluster", entry["PrincipalArn"]) for entry in properties(private, "AWS::EKS::AccessEntry")
    ]
    handler = [name for name in principals if "KubectlProviderHandler" in name]
    assert sorted(set(principals) - set(handler)) == [ADMIN, "arn:aws:iam::111122223333:user/operator"]
    assert len(handler) == 1


def test_the_address_range_of_services_is_the_team_s(clusters: dict[str, Synthesized]) -> None:
    assert cluster(clusters["newer"])["KubernetesNetworkConfig"]["ServiceIpv4Cidr"] == "10.100.0.0/16"
    assert cluster(clusters["private"])["KubernetesNetworkConfig"]["ServiceIpv4Cidr"] == "172.20.0.0/16"


def test_a_version_ahead_of_the_layers_takes_the_newest_of_them(clusters: dict[str, Synthesized]) -> None:
    """kubectl may lag behind the control plane by one minor version."""
    newer = clusters["newer"]
    assert cluster(newer)["Version"] == "1.37"
    layers = [layer["Description"] for layer in properties(newer, "AWS::Lambda::LayerVersion")]
    assert any(f"kubectl 1.{KUBECTL_LAYERS[-1]}." in text for text in layers)


def test_secrets_have_a_key_that_rotates(clusters: dict[str, Synthesized]) -> None:
    (key,) = properties(clusters["private"], "AWS::KMS::Key")
    assert key["EnableKeyRotation"] is True


def test_system_nodes_stand_in_both_zones_at_the_team_s_size(clusters: dict[str, Synthesized]) -> None:
    sized = clusters["sized"]
    (group,) = properties(sized, "AWS::EKS::Nodegroup")
    assert group["ScalingConfig"] == {"MinSize": 1, "DesiredSize": 3, "MaxSize": 5}
    assert group["InstanceTypes"] == ["m7i.xlarge"]
    assert group["AmiType"] == "AL2023_x86_64_STANDARD"
    subnets = targets(sized, "Cluster", group["Subnets"])
    assert len(set(subnets)) == 2
    assert subnets == targets(sized, "Cluster", cluster(sized)["ResourcesVpcConfig"]["SubnetIds"])


def test_system_nodes_name_groups_only_to_mount_lustre(clusters: dict[str, Synthesized]) -> None:
    """Without groups in the launch template EKS adds the cluster's by itself."""
    for name, count in (("private", 0), ("sized", 2)):
        (template,) = properties(clusters[name], "AWS::EC2::LaunchTemplate")
        groups = targets(clusters[name], "Cluster", template["LaunchTemplateData"].get("SecurityGroupIds"))
        assert len(groups) == count
        assert count == 0 or any(group.endswith(".ClusterSecurityGroupId") for group in groups)


def test_nodes_leave_pod_addresses_to_the_cni_s_own_role(clusters: dict[str, Synthesized]) -> None:
    private = clusters["private"]
    roles = {
        logical_id: str(resource["Properties"].get("ManagedPolicyArns"))
        for logical_id, resource in private.templates["Cluster"]["Resources"].items()
        if resource["Type"] == "AWS::IAM::Role"
    }
    with_cni_policy = [name for name, policies in roles.items() if "AmazonEKS_CNI_Policy" in policies]
    assert [name for name in with_cni_policy if "CniRole" not in name] == []
    assert len(with_cni_policy) == 1


def test_add_on_versions_are_left_to_eks(clusters: dict[str, Synthesized]) -> None:
    """Which builds a cluster version takes is an account's answer, not a constant."""
    addons = properties(clusters["private"], "AWS::EKS::Addon")
    assert len(addons) == 6
    assert not [addon["AddonName"] for addon in addons if "AddonVersion" in addon]


def test_the_cni_keeps_as_many_addresses_as_the_address_check_sets_aside(clusters: dict[str, Synthesized]) -> None:
    for synthesized in clusters.values():
        (cni,) = [found for found in properties(synthesized, "AWS::EKS::Addon") if found["AddonName"] == "vpc-cni"]
        environment = json.loads(cni["ConfigurationValues"])["env"]
        assert set(environment) == {"MINIMUM_IP_TARGET", "WARM_IP_TARGET"}
        assert sum(map(int, environment.values())) == POD_ADDRESSES_PER_NODE


def test_log_groups_of_the_manifest_handler_go_with_the_cluster(clusters: dict[str, Synthesized]) -> None:
    groups = [group for stack, group in clusters["private"].of_type("AWS::Logs::LogGroup") if stack == "Cluster"]
    assert {group["DeletionPolicy"] for group in groups} == {"Delete"}
