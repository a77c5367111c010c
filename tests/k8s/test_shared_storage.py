"""The team's file system as volumes, and the StorageClass for more of them."""

from __future__ import annotations

import pytest

from tests.k8s.catalogue import FILE_SYSTEM, only

VOLUMES = pytest.mark.parametrize("name", ["lustre-volume.minimal", "lustre-volume.maximal"])


@VOLUMES
def test_volume_and_claim_are_bound_to_each_other(name: str) -> None:
    volume, claim = only(name, "PersistentVolume"), only(name, "PersistentVolumeClaim")
    reference = volume["spec"]["claimRef"]
    assert claim["metadata"]["name"] == "fsx-claim"
    assert (reference["namespace"], reference["name"]) == (claim["metadata"]["namespace"], claim["metadata"]["name"])
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"] == f"fsx-{claim['metadata']['namespace']}"
    # Empty, not absent: a default StorageClass would step in.
    assert (volume["spec"]["storageClassName"], claim["spec"]["storageClassName"]) == ("", "")
    assert volume["spec"]["accessModes"] == claim["spec"]["accessModes"] == ["ReadWriteMany"]


@VOLUMES
def test_the_volume_is_the_team_s_file_system_and_outlives_its_claim(name: str) -> None:
    spec = only(name, "PersistentVolume")["spec"]
    assert spec["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": FILE_SYSTEM["file_system_id"],
        "volumeAttributes": {"dnsname": FILE_SYSTEM["dns_name"], "mountname": FILE_SYSTEM["mount_name"]},
    }
    assert spec["mountOptions"] == ["flock"]
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"


def test_a_file_system_can_grow_without_a_change_of_its_claim() -> None:
    """Kubernetes refuses a new request of a claim that no StorageClass made."""
    claims = [only(f"lustre-volume.{size}", "PersistentVolumeClaim")["spec"] for size in ("minimal", "maximal")]
    volumes = [only(f"lustre-volume.{size}", "PersistentVolume")["spec"] for size in ("minimal", "maximal")]
    assert [spec["capacity"]["storage"] for spec in volumes] == ["1200Gi", "4800Gi"]
    assert [spec["resources"]["requests"]["storage"] for spec in claims] == ["1200Gi", "1200Gi"]


def test_a_file_system_of_a_claim_is_a_current_one_and_is_kept() -> None:
    found = only("lustre-storage-class.maximal", "StorageClass")
    assert (found["provisioner"], found["reclaimPolicy"], found["mountOptions"]) == (
        "fsx.csi.aws.com",
        "Retain",
        ["flock"],
    )
    assert found["parameters"] == {
        "subnetId": "subnet-0123456789abcdef0",
        "securityGroupIds": "sg-0123456789abcdef0",
        "deploymentType": "PERSISTENT_2",
        "perUnitStorageThroughput": "250",
        "storageType": "SSD",
        "dataCompressionType": "LZ4",
        "fileSystemTypeVersion": "2.15",
        "extraTags": "trn-training:team=bert,cost-centre=42",
    }


def test_one_tag_is_written_without_a_comma() -> None:
    parameters = only("lustre-storage-class.minimal", "StorageClass")["parameters"]
    assert parameters["extraTags"] == "trn-training:team=bert"
