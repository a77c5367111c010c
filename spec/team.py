"""The team file: what one team asks for. docs/team-file.md describes every key."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spec import compatibility
from spec.capacity import ON_DEMAND, Capacity
from spec.fields import (
    AccountId,
    AmiId,
    AmiRelease,
    BucketName,
    CapacityField,
    Cidr,
    KubernetesVersion,
    MirrorPrefix,
    Name,
    NeuronSdkVersion,
    PlacementName,
    Principal,
    Region,
    Registry,
    SystemType,
    TagKey,
    TagValue,
    TrainiumType,
    ZoneId,
)
from spec.hardware import EfaLayout, Hardware, hardware
from spec.lustre import DEFAULT_DEPLOYMENT, DEFAULT_THROUGHPUT, SMALLEST_GIB
from spec.names import SHELL_IMAGE, TENSORBOARD_IMAGE


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class Network(_Part):
    """The VPC and the zones it lies in."""

    training_zone: ZoneId
    """Zone id of the subnet that holds every training node and the Lustre file system."""
    second_zone: ZoneId | None = None
    """Zone id of the second subnet pair, which an EKS control plane needs; no Trainium necessary. Required with eks."""
    cidr: Cidr = "10.40.0.0/16"
    """Private address range of the VPC, /16 to /24; the training subnet gets one quarter of it."""
    nat: Literal["single", "none"] = "single"
    """One NAT gateway, or none: AWS services are then reached through VPC endpoints only, the internet not at all."""
    verified_zones: tuple[ZoneId, ...] = ()
    """Zone ids that you have seen to offer the type in this account; they override the built-in offerings."""


class Lustre(_Part):
    """An FSx for Lustre file system on SSD, Lustre 2.15."""

    capacity_gib: int = SMALLEST_GIB
    """Storage in GiB: 1200, or a multiple of 2400."""
    deployment: Literal["SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = DEFAULT_DEPLOYMENT
    """FSx deployment type; SCRATCH_2 is neither replicated nor backed up."""
    throughput: int | None = None
    """MB/s per TiB: 125, 250, 500 or 1000 for PERSISTENT_2 (default 250); 50, 100 or 200 for PERSISTENT_1 (default
    200); absent for SCRATCH_2."""
    s3_link: bool = True
    """Whether the file system imports from and exports to the artifact bucket."""

    @model_validator(mode="before")
    @classmethod
    def _throughput_of_deployment(cls, data: object) -> object:
        if not isinstance(data, dict) or data.get("throughput") is not None:
            return data
        deployment = data.get("deployment", DEFAULT_DEPLOYMENT)
        return data | {"throughput": DEFAULT_THROUGHPUT.get(deployment) if isinstance(deployment, str) else None}


class Storage(_Part):
    """The artifact bucket and the shared file system."""

    bucket: BucketName | None = None
    """Name of an existing S3 bucket to use; absent = define one."""
    on_delete: Literal["retain", "delete"] = "retain"
    """What happens to the bucket, the image repositories and the file system when their stack is deleted."""
    lustre: Lustre | None = None
    """Shared file system for the EKS path; absent = none."""


class SystemNodes(_Part):
    """On-demand nodes for add-ons and controllers, kept off the Trainium nodes."""

    instance_type: SystemType = "m6i.large"
    """EC2 instance type, x86-64, without accelerators."""
    min: int = Field(default=2, ge=1, le=100)
    """Fewest nodes."""
    desired: int = Field(default=2, ge=1, le=100)
    """Nodes at deployment."""
    max: int = Field(default=4, ge=1, le=100)
    """Most nodes."""


class _Named(_Part):
    name: Name
    """Name, unique among its kind in the team."""


class _Trainium(_Part):
    instance_type: TrainiumType
    """Trainium instance type."""
    efa_layout: EfaLayout = "efa"
    """Network interfaces: `efa` puts EFA and IP on every card; `efa-only` gives one IP interface and EFA without
    addresses, which saves subnet addresses."""
    placement_group: PlacementName | None = None
    """`create` a cluster placement group, `none`, or the NAME of an existing one. Default: create on demand, none with
    a reservation or a capacity block, which bring their own placement."""
    capacity: CapacityField = ON_DEMAND
    """`on-demand`, `{reservation: cr-...}` or, for node groups, `{capacity_block: cr-...}`."""
    root_volume_gib: int = Field(default=500, ge=100, le=16384)
    """Encrypted gp3 root volume in GiB; training images and the Neuron compile cache fill it."""

    @property
    def hardware(self) -> Hardware:
        """The row of the instance type."""
        return hardware(self.instance_type)

    @property
    def capacity_option(self) -> Capacity:
        """How the nodes are paid for and found."""
        return self.capacity

    @property
    def placement(self) -> str:
        """`create`, `none` or the name of a placement group, after the default for the capacity."""
        if self.placement_group is not None:
            return self.placement_group
        return "create" if self.capacity.kind == "on-demand" else "none"


class NodeGroup(_Trainium, _Named):
    """One managed node group of Trainium nodes."""

    # 450: https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html
    min: int = Field(default=0, ge=0, le=450)
    """Fewest nodes."""
    desired: int = Field(default=2, ge=0, le=450)
    """Nodes at deployment; changed later by whoever scales the group."""
    max: int = Field(default=2, ge=1, le=450)
    """Most nodes."""
    taint: bool = False
    """Whether only pods that tolerate the Neuron taint may run on the nodes."""


class Queue(_Named):
    """One Volcano queue."""

    weight: int = Field(default=1, ge=1, le=1000000)
    """Share of the cluster against the other queues; higher = more."""
    neuron_devices: int = Field(ge=1)
    """Most Neuron devices that the jobs of the queue use together."""
    researchers: tuple[Principal, ...] = Field(default=(), max_length=100)
    """ARNs of the IAM roles and users that submit and watch jobs in the queue's namespace, and nothing else."""


class Eks(_Part):
    """The EKS path: a cluster, Trainium node groups and Volcano queues."""

    # EKS allows 30 managed node groups in a cluster.
    node_groups: tuple[NodeGroup, ...] = Field(min_length=1, max_length=29)
    """Trainium node groups, one to 29."""
    version: KubernetesVersion = "1.35"
    """Kubernetes version, in quotes: 1.30 without them is the number 1.3."""
    release_version: AmiRelease | None = None
    """AMI release of the Trainium nodes; absent = the newest one whose driver runs neuron_sdk. Needed for a
    version newer than the built-in table."""
    upgrade_policy: Literal["STANDARD", "EXTENDED"] = "STANDARD"
    """What EKS does when standard support ends: upgrade the control plane, or charge for extended support."""
    service_ipv4_cidr: Cidr = "172.20.0.0/16"
    """Address range of Kubernetes services: private, /12 to /24, apart from network.cidr. Immutable after creation."""
    # 40: https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html
    public_access_cidrs: tuple[Cidr, ...] = Field(default=(), max_length=40)
    """Address ranges that reach the cluster's public endpoint; empty = private endpoint only."""
    admins: tuple[Principal, ...] = Field(default=(), max_length=50)
    """ARNs of the IAM roles and users that administer the cluster, as access entries."""
    rendezvous: Literal["c10d", "etcd"] = "c10d"
    """How the workers of a job find each other; etcd defines an etcd server in the cluster."""
    system_nodes: SystemNodes = SystemNodes()
    """The node group for add-ons and controllers."""
    queues: tuple[Queue, ...] = Field(default=(), max_length=50)
    """Volcano queues, each with a namespace of the same name; empty = Volcano's own queue `default` only."""
    neuron_monitor: bool = True
    """Whether Trainium nodes serve Neuron metrics to Prometheus."""
    tensorboard: bool = True
    """Whether TensorBoard reads the logs on the shared file system; it needs storage.lustre."""
    dynamic_volumes: bool = False
    """Whether claims may create Lustre file systems of their own through a StorageClass; needs storage.lustre."""
    registry_mirrors: Mapping[Registry, MirrorPrefix] = {}
    """Prefix to pull from instead, by public registry, such as an ECR pull-through cache; needed with nat: none."""

    def node_release(self, neuron_sdk: str) -> str:
        """AMI ReleaseVersion of the Trainium nodes; SpecError where the compatibility table has none."""
        return self.release_version or compatibility.node_release(self.version, neuron_sdk)


class Batch(_Trainium):
    """The AWS Batch path: a compute environment, a job queue and multi-node job definitions."""

    # 1000: https://docs.aws.amazon.com/batch/latest/userguide/multi-node-parallel-jobs.html
    max_nodes: int = Field(ge=1, le=1000)
    """Most nodes, of one job and of all jobs together."""
    ami_id: AmiId | None = None
    """AMI of the hosts; absent = the current ECS-optimized Neuron AMI, whose driver moves with time."""
    shares: Mapping[str, float] = {}
    """Fair-share weight by share identifier, 0.0001 to 999.9999: a LOWER weight gets MORE. Empty = first in, first
    out."""
    timeout_hours: int = Field(default=168, ge=1, le=8760)
    """Hours after which a job is stopped."""
    attempts: int = Field(default=3, ge=1, le=10)
    """Most starts of a job whose host fails; errors of the training program are not retried."""
    max_runnable_minutes: int = Field(default=60, ge=10, le=1440)
    """Minutes after which a job that cannot be placed is cancelled."""


class TeamKeys(_Part):
    """What one team asks for."""

    region: Region
    """AWS Region."""
    network: Network
    """The VPC and the zones it lies in."""
    account: AccountId | None = None
    """AWS account id, in quotes; absent = the account of the credentials at deployment."""
    neuron_sdk: NeuronSdkVersion = compatibility.DEFAULT_NEURON_SDK
    """Neuron SDK of the container images; node image, driver rule and image tag follow from it."""
    images: tuple[Name, ...] = Field(default=("bert", "llama2", "allreduce"), min_length=1, max_length=20)
    """Image folders: one ECR repository, and with batch one job definition, each. With a file system on EKS,
    `tensorboard` and `shell` have a repository, too."""
    image_revision: int = Field(default=1, ge=1, le=9999)
    """Raised when images are rebuilt for the same SDK; part of their immutable tag."""
    storage: Storage = Storage()
    """The artifact bucket and the shared file system."""
    eks: Eks | None = None
    """The EKS path; absent = none."""
    batch: Batch | None = None
    """The AWS Batch path; absent = none."""
    # Of the 50 tags that AWS allows on a resource, ten are left to this project, CloudFormation, EKS and Batch.
    tags: Mapping[TagKey, TagValue] = Field(default={}, max_length=40)
    """Tags of every resource."""


class Team(TeamKeys):
    """A team file that has passed every check; `name` is the stem of the file."""

    name: str
    path: Path

    @property
    def image_tag(self) -> str:
        """Immutable tag of the team's container images."""
        return f"sdk{self.neuron_sdk}-r{self.image_revision}"

    @property
    def tensorboard(self) -> bool:
        """Whether TensorBoard runs: asked for, and with a file system to read."""
        return self.eks is not None and self.eks.tensorboard and self.storage.lustre is not None

    @property
    def shared_storage(self) -> bool:
        """Whether pods have a file system that they share."""
        return self.eks is not None and self.storage.lustre is not None

    @property
    def repositories(self) -> tuple[str, ...]:
        """Names of the images that have an ECR repository: those of jobs, and those of what runs beside them."""
        tensorboard = (TENSORBOARD_IMAGE,) if self.tensorboard else ()
        shell = (SHELL_IMAGE,) if self.shared_storage else ()
        return tuple(dict.fromkeys((*self.images, *tensorboard, *shell)))
