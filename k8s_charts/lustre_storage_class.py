"""Lustre StorageClass: claims that create a file system of their own."""

from __future__ import annotations

from collections.abc import Mapping

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from spec.lustre import CSI_DRIVER, DEFAULT_DEPLOYMENT, DEFAULT_THROUGHPUT, MOUNT_OPTIONS
from spec.names import LUSTRE_STORAGE_CLASS
from spec.versions import LUSTRE_VERSION


class LustreStorageClass(Component):
    """StorageClass of the FSx CSI driver, for file systems of the kind that a team gets when it chooses none.

    The driver's controller needs FSx permissions beyond those of a static volume.

    Volumes are kept when their claim goes, as claims go with jobs and namespaces and the data should not; the tags
    tell whose they are.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        subnet_id: str,
        security_group_id: str,
        tags: Mapping[str, str],
    ) -> None:
        """`tags`: of the file systems, without `,` or `=`."""
        super().__init__(scope, id_, name="lustre-storage-class", version=LUSTRE_VERSION)
        # https://github.com/kubernetes-sigs/aws-fsx-csi-driver/tree/v1.9.0/examples/kubernetes/dynamic_provisioning
        parameters = {
            "subnetId": subnet_id,
            "securityGroupIds": security_group_id,
            "deploymentType": DEFAULT_DEPLOYMENT,
            "perUnitStorageThroughput": str(DEFAULT_THROUGHPUT[DEFAULT_DEPLOYMENT]),
            "storageType": "SSD",
            "dataCompressionType": "LZ4",
            # The driver's default is 2.10, which the client of current node images does not speak.
            "fileSystemTypeVersion": LUSTRE_VERSION,
            "extraTags": ",".join(f"{key}={value}" for key, value in tags.items()),
        }
        k8s.KubeStorageClass(
            self,
            "StorageClass",
            metadata=k8s.ObjectMeta(name=LUSTRE_STORAGE_CLASS),
            provisioner=CSI_DRIVER,
            parameters=parameters,
            mount_options=[*MOUNT_OPTIONS],
            reclaim_policy="Retain",
            # The subnet is given, so where the first pod lands decides nothing; creation takes ten minutes.
            volume_binding_mode="Immediate",
            allow_volume_expansion=True,
        )
