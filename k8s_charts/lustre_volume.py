"""Lustre volume: the team's own file system, as a claim that pods of one namespace mount."""

from __future__ import annotations

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.pods import quantities
from spec.lustre import CSI_DRIVER, MOUNT_OPTIONS, SMALLEST_GIB
from spec.names import LUSTRE_CLAIM
from spec.versions import LUSTRE_VERSION


class LustreVolume(Component):
    """PersistentVolume and claim, bound to each other by name on both sides.

    A claim sees one volume, and a volume serves one claim, so every namespace has a pair; the data is the same.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        namespace: str,
        file_system_id: str,
        dns_name: str,
        mount_name: str,
        capacity_gib: int,
    ) -> None:
        """`file_system_id`, `dns_name` and `mount_name` may be known at deployment only."""
        super().__init__(scope, id_, name="lustre-volume", version=LUSTRE_VERSION)
        volume = f"fsx-{namespace}"
        k8s.KubePersistentVolume(
            self,
            "PersistentVolume",
            metadata=k8s.ObjectMeta(name=volume),
            spec=k8s.PersistentVolumeSpec(
                capacity=quantities(storage=f"{capacity_gib}Gi"),
                volume_mode="Filesystem",
                access_modes=["ReadWriteMany"],
                mount_options=[*MOUNT_OPTIONS],
                # The file system is the stack's: no claim may delete it.
                persistent_volume_reclaim_policy="Retain",
                storage_class_name="",
                # No other claim, of any namespace, can take the volume.
                claim_ref=k8s.ObjectReference(
                    api_version="v1", kind="PersistentVolumeClaim", namespace=namespace, name=LUSTRE_CLAIM
                ),
                csi=k8s.CsiPersistentVolumeSource(
                    driver=CSI_DRIVER,
                    volume_handle=file_system_id,
                    volume_attributes={"dnsname": dns_name, "mountname": mount_name},
                ),
            ),
        )
        k8s.KubePersistentVolumeClaim(
            self,
            "PersistentVolumeClaim",
            metadata=k8s.ObjectMeta(name=LUSTRE_CLAIM, namespace=namespace),
            spec=k8s.PersistentVolumeClaimSpec(
                access_modes=["ReadWriteMany"],
                volume_mode="Filesystem",
                # Empty, not absent: a default StorageClass would make a new volume.
                storage_class_name="",
                volume_name=volume,
                # Not `capacity_gib`: Kubernetes refuses to change the request of a claim without a StorageClass, and
                # a grown file system would fail the stack.
                resources=k8s.ResourceRequirements(requests=quantities(storage=f"{SMALLEST_GIB}Gi")),
            ),
        )
