"""Names that cross a border: between stacks and operators, AWS and Kubernetes, templates and job containers."""

from __future__ import annotations

from enum import StrEnum

TEAMS_DIR_VARIABLE = "TEAMS_DIR"
"""Environment variable of the folder of team files, for make, trn, TorchX and the CDK CLI alike."""

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
"""Label that Kubernetes gives every node. https://kubernetes.io/docs/reference/labels-annotations-taints/"""

TEAM_TAG = "trn-training:team"
"""Tag key, on every taggable resource of a team, whose value is its name. Clean-up and cost reports search by it."""


class StackName(StrEnum):
    """The stacks of a team, in the order of their deployment."""

    NETWORK = "Network"
    STORAGE = "Storage"
    CLUSTER = "Cluster"
    NODES = "Nodes"
    BATCH = "Batch"


def stack_name(team: str, stack: StackName) -> str:
    """CloudFormation name of a team's stack; the CDK CLI calls it TEAM/STACK."""
    return f"{team}-{stack}"


class Output(StrEnum):
    """CloudFormation output keys, one per value that an operator or the launcher reads after a deployment."""

    VPC_ID = "VpcId"
    TRAINING_SUBNET_ID = "TrainingSubnetId"
    EFA_SECURITY_GROUP_ID = "EfaSecurityGroupId"

    BUCKET_NAME = "BucketName"
    FILE_SYSTEM_ID = "FileSystemId"
    FILE_SYSTEM_DNS_NAME = "FileSystemDnsName"
    FILE_SYSTEM_MOUNT_NAME = "FileSystemMountName"
    FILE_SYSTEM_SECURITY_GROUP_ID = "FileSystemSecurityGroupId"

    CLUSTER_NAME = "ClusterName"
    CLUSTER_ENDPOINT = "ClusterEndpoint"
    CLUSTER_SECURITY_GROUP_ID = "ClusterSecurityGroupId"

    COMPUTE_ENVIRONMENT_ARN = "ComputeEnvironmentArn"
    JOB_QUEUE_ARN = "JobQueueArn"
    JOB_LOG_GROUP_NAME = "JobLogGroupName"
    JOB_ROLE_ARN = "JobRoleArn"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def repository_uri_output(image: str) -> str:
    """Output key of the ECR repository URI of `image`, a folder name in images/."""
    return f"RepositoryUri{_camel(image)}"


def job_definition_arn_output(image: str) -> str:
    """Output key of the Batch job definition that runs `image`."""
    return f"JobDefinitionArn{_camel(image)}"


def node_group_name_output(node_group: str) -> str:
    """Output key of the EKS node group name that the team file calls `node_group`."""
    return f"NodeGroupName{_camel(node_group)}"


class Prefix(StrEnum):
    """Key prefixes of the artifact bucket. A job may read datasets and read and write the rest."""

    DATASETS = "datasets/"
    NEURON_CACHE = "neuron-cache/"
    CHECKPOINTS = "checkpoints/"
    LOGS = "logs/"


class NodeLabel(StrEnum):
    """Labels of Trn nodes, selected by the charts and the launcher."""

    TEAM = "trn-training/team"
    NODE_GROUP = "trn-training/node-group"
    EFA = "trn-training/efa"


NEURON_TAINT = "aws.amazon.com/neuron"
"""Taint key of Trn nodes whose team asks for one; the key that upstream's device plugin already tolerates."""

ARTIFACTS_URI_ENV = "ARTIFACTS_URI"
"""Environment variable of a job container: s3://BUCKET, without a trailing slash."""

PART_OF = "trn-training"
"""Label value `app.kubernetes.io/part-of` of every object in a cluster."""

SYSTEM_NAMESPACE = PART_OF
"""Namespace of what jobs talk to: etcd, TensorBoard."""
DAEMON_NAMESPACE = "kube-system"
"""Namespace of the daemons that need the host: device plugins, Neuron monitor."""

DATA_PATH = "/data"
"""Where a container of a job, and TensorBoard, mounts the shared file system."""
LUSTRE_CLAIM = "fsx-claim"
"""PersistentVolumeClaim of the shared file system, in every namespace that has one."""
LUSTRE_STORAGE_CLASS = "fsx-lustre"
"""StorageClass of claims that create a Lustre file system of their own."""


class JobEnv(StrEnum):
    """Environment variables by which the launcher speaks to the entrypoint of a job container."""

    JOB = "TRN_JOB"
    """Name of the job file's job; the same in every run of it."""
    NODES = "TRN_NODES"
    BF16 = "TRN_BF16"
    """`1`, or `0` for full precision."""
    PRECOMPILE_STEPS = "TRN_PRECOMPILE_STEPS"
    """Steps of a precompile job; absent in a training job."""
    DATASETS = "TRN_DATASETS"
    """Directory or s3:// URI that holds the datasets, without a trailing slash; absent without shared storage."""
    CHECKPOINTS = "TRN_CHECKPOINTS"
    """Directory or s3:// URI of this job's checkpoints, the same in every run; absent without shared storage."""
    LOGS = "TRN_LOGS"
    """Directory or s3:// URI of this job's TensorBoard logs; absent without shared storage."""
    CACHE = "NEURON_COMPILE_CACHE_URL"
    """Directory or s3:// URI of the compile cache; the Neuron compiler reads it too.
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/programming-guide/training/pytorch-neuron-debug.html"""
    ATTEMPT = "TRN_ATTEMPT"
    """How many times the job has been started anew, from 0."""


class JobLabel(StrEnum):
    """Labels of a run's Volcano job and pods, and tags of its Batch job, by which commands find it again."""

    JOB = "trn-training/job"
    """Name of the job file's job."""
    CACHE = "trn-training/cache"
    """Compile cache that the run writes; one active run per cache."""
    PHASE = "trn-training/phase"
    """`training`, or `precompile`."""


RENDEZVOUS_PORT = 29500
"""TCP port at which the agents of a job meet, on its first node; the port of PyTorch's own examples.
https://docs.pytorch.org/docs/stable/elastic/run.html"""
NODES_PORT = 29501
"""TCP port at which the main node of a Batch job hears whether the others are alive."""

JOIN_TIMEOUT_SECONDS = 1800
"""Nodes of one run start up to this far apart: the first to have its image and its data waits for the last."""

EVERY_NODE = "0:"
"""Batch's node range of a job definition and of what is overridden when a job is submitted. Open-ended, or a job
could not be submitted with another number of nodes. https://github.com/aws/aws-cdk/issues/29415"""

PRECOMPILE_SUFFIX = "-precompile"
"""End of the name of the job that fills a compile cache for another."""

TASK = "worker"
"""TorchX role, and with a number Volcano task, of a job's nodes. No hyphen: Volcano makes variable names of it."""

POD_NAME_LIMIT = 63
"""Characters of a pod's name, which becomes its host name. https://github.com/volcano-sh/volcano/issues/4691"""
RUN_SUFFIX_LENGTH = 14
"""Most characters that TorchX makes a run's name unique with: 64 bits, the first of 20 letters, the rest of 29.
https://github.com/meta-pytorch/torchx/blob/v0.7.0/torchx/schedulers/ids.py"""


def longest_pod_name(app: str, nodes: int) -> str:
    """The longest name that Volcano's webhook makes up for a pod of a run.

    It takes a task's place in the list for the pod's index, which is always 0 here: each node is a task of its own.
    https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission/jobs/validate/admit_job.go
    """
    return f"{app}-{'x' * RUN_SUFFIX_LENGTH}-{TASK}-{nodes - 1}-{nodes - 1}"


LOG_LINE_PREFIX = "[$role_name$local_rank rank $rank]:"
"""torchrun's template for the beginning of a worker's line, such as `[default3 rank 35]:`. A line whose two numbers are
the same is of the node of rank 0.
https://github.com/pytorch/pytorch/blob/v2.9.0/torch/distributed/elastic/agent/server/local_elastic_agent.py"""

JOB_COMMAND = "trn-job"
"""Entrypoint in every image of this project: checks, prepares, resumes, runs the torchrun command that follows it."""

JOB_LOG_RETENTION = "THREE_MONTHS"
"""How long what Batch jobs print is kept, as the CDK names it."""

TRAINING_SERVICE_ACCOUNT = "training"
"""ServiceAccount of job pods in a queue's namespace: no token, no permissions."""


def service_host(service: str, namespace: str) -> str:
    """DNS name of a Service that is good in every namespace; EKS clusters are all named cluster.local."""
    return f"{service}.{namespace}.svc.cluster.local"


DEFAULT_QUEUE = "default"
"""Volcano's own queue, and the namespace, of a team that has none in its file."""

ETCD_SERVICE = "etcd"
ETCD_PORT = 2379
ETCD_ENDPOINT = f"{service_host(ETCD_SERVICE, SYSTEM_NAMESPACE)}:{ETCD_PORT}"
"""HOST:PORT for torchrun's `--rdzv_endpoint`."""

ALLREDUCE_IMAGE = "allreduce"
"""Folder in images/ of the EFA self-test, which has nothing to compile beforehand."""
TENSORBOARD_IMAGE = "tensorboard"
"""Folder in images/ whose image TensorBoard runs."""
SHELL_IMAGE = "shell"
"""Folder in images/ whose image works on the shared file system: it stages data, and needs no Trainium."""
LLAMA2_IMAGE = "llama2"
"""Folder in images/ whose image tokenizes and trains Llama-2."""
STAGE_BERT_PROGRAM = "/usr/local/bin/stage_bert.py"
"""In the shell image: fetches and unpacks the BERT dataset into the directory that it is given. Prints JSON lines with
`bytes`, `total` and `percent`."""
TOKENIZE_COMMAND = "trn-tokenize"
"""In the Llama-2 image: tokenizes the dataset with the tokenizer of one folder into a new folder of another, which is
named as the image is."""
TENSORBOARD_SERVICE = "tensorboard"
TENSORBOARD_PORT = 6006


def researchers_group(queue: str) -> str:
    """Kubernetes group of the people who submit to a queue; access entries put them in it.

    EKS refuses groups that start with system:, eks:, aws:, amazon: or iam:.
    https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
    """
    return f"{PART_OF}:{queue}"


class Volcano(StrEnum):
    """Volcano's objects that others wait for or talk to, named as upstream does: its programs hard-code some."""

    NAMESPACE = "volcano-system"
    ADMISSION_DEPLOYMENT = "volcano-admission"
    ADMISSION_SERVICE = "volcano-admission-service"
    CONTROLLERS_SERVICE = "volcano-controllers-service"
    SCHEDULER_SERVICE = "volcano-scheduler-service"
