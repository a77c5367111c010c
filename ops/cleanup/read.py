"""What stands in the way of deleting a team's stacks, or would be lost or left over with them. Reads only."""

from __future__ import annotations

from kubernetes import client

from ops.aws import Account
from ops.cleanup.plan import Named, Plan, StoredImage
from ops.cleanup.queue_state import batch_queue_state, is_open
from ops.cluster import CLAIMS, JOBS, SERVICES, VOLCANO_QUEUES, Object, find, objects
from ops.data.staging_job import NAME as STAGING_JOB
from ops.deployed import known_outputs
from ops.watch.runs import batch_runs, eks_runs, queue_names
from spec.names import LUSTRE_CLAIM, Output, StackName, repository_uri_output
from spec.team import Team

INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
"""https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-manifest-formats.html"""


def plan(account: Account, team: Team, api: client.ApiClient | None, *, images: bool) -> Plan:
    """Read everything. `api`: None where the team has no cluster."""
    batch = known_outputs(account, team, StackName.BATCH) if team.batch else {}
    queue = batch.get(Output.JOB_QUEUE_ARN)
    runs = [*(eks_runs(api, team) if api else ()), *(batch_runs(account, team) if queue else ())]
    return Plan(
        runs=tuple(run for run in runs if run.active),
        volcano_queues=tuple(_open_queues(api, team)) if api else (),
        batch_queue=queue if queue and batch_queue_state(account, queue) == "ENABLED" else None,
        staging_jobs=tuple(_staging_jobs(api, team)) if api else (),
        claims=tuple(_claims(api, team)) if api else (),
        services=tuple(_services(api)) if api else (),
        images=stored_images(account, team),
        delete_images=images or team.storage.on_delete == "delete",
        balancers=tuple(cluster_balancers(account, team)),
    )


def _open_queues(api: client.ApiClient, team: Team) -> list[str]:
    found = [(name, find(api, VOLCANO_QUEUES, name)) for name in queue_names(team)]
    return [name for name, queue in found if queue is not None and is_open(queue)]


def _staging_jobs(api: client.ApiClient, team: Team) -> list[Named]:
    found = [(namespace, find(api, JOBS, STAGING_JOB, namespace)) for namespace in queue_names(team)]
    return [Named(namespace, STAGING_JOB) for namespace, job in found if job is not None]


def _claims(api: client.ApiClient, team: Team) -> list[Named]:
    """Claims in the queues' namespaces but those of the team's own file system."""
    return [
        Named(it["metadata"]["namespace"], it["metadata"]["name"], _size(it))
        for namespace in queue_names(team)
        for it in objects(api, CLAIMS, namespace)
        if it["metadata"]["name"] != LUSTRE_CLAIM
    ]


def _size(claim: Object) -> str:
    size = claim.get("spec", {}).get("resources", {}).get("requests", {}).get("storage", "")
    return f"({size}, volume {claim.get('spec', {}).get('volumeName', 'none yet')})"


def _services(api: client.ApiClient) -> list[Named]:
    """Services with a load balancer, in every namespace: each keeps the VPC from being deleted."""
    return [
        Named(it["metadata"]["namespace"], it["metadata"]["name"], _address(it))
        for it in objects(api, SERVICES)
        if it.get("spec", {}).get("type") == "LoadBalancer"
    ]


def _address(service: Object) -> str:
    addresses = service.get("status", {}).get("loadBalancer", {}).get("ingress", ())
    return " ".join(it.get("hostname", it.get("ip", "")) for it in addresses)


def stored_images(account: Account, team: Team) -> dict[str, tuple[StoredImage, ...]]:
    """Images by repository of the team; repositories that are not deployed are left out."""
    values = known_outputs(account, team, StackName.STORAGE)
    uris = [values[key] for image in team.repositories if (key := repository_uri_output(image)) in values]
    repositories = [uri.partition("/")[2] for uri in uris]
    return {
        name: tuple(
            StoredImage(
                it["imageDigest"], tuple(it.get("imageTags", ())), it.get("imageManifestMediaType", "") in INDEXES
            )
            for it in account.pages("ecr", "describe_images", "imageDetails", repositoryName=name)
        )
        for name in repositories
    }


def cluster_balancers(account: Account, team: Team) -> list[str]:
    """Load balancers of either kind that a Service of the team's cluster made.

    https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html
    """
    cluster = known_outputs(account, team, StackName.CLUSTER).get(Output.CLUSTER_NAME) if team.eks else None
    if cluster is None:
        return []
    found = account.pages(
        "resourcegroupstaggingapi",
        "get_resources",
        "ResourceTagMappingList",
        TagFilters=[{"Key": f"kubernetes.io/cluster/{cluster}", "Values": ["owned"]}],
        ResourceTypeFilters=["elasticloadbalancing:loadbalancer"],
    )
    return [it["ResourceARN"] for it in found]
