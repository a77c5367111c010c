"""One team, deployed as one CDK Stage."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Environment, Stage
from constructs import Construct

from spec.names import StackName
from spec.team import Team
from stacks.batch import BatchStack
from stacks.cluster import ClusterStack
from stacks.manifest import Manifest
from stacks.network import NetworkStack
from stacks.nodes import NodesStack
from stacks.storage import StorageStack


class TeamStage(Stage):
    """Every stack of a team; `cdk deploy 'TEAM/*'` deploys them in order."""

    def __init__(self, scope: Construct, id_: str, *, team: Team) -> None:
        super().__init__(scope, id_, env=Environment(account=team.account, region=team.region))
        network = NetworkStack(self, StackName.NETWORK, team=team)
        storage = StorageStack(self, StackName.STORAGE, team=team, network=network)
        self.manifests: Sequence[Manifest] = ()
        """What is applied in the team's cluster, in order; empty without one."""
        if team.eks is not None:
            cluster = ClusterStack(self, StackName.CLUSTER, team=team, eks=team.eks, network=network, storage=storage)
            self.manifests = cluster.manifests
            NodesStack(self, StackName.NODES, team=team, eks=team.eks, network=network, cluster=cluster)
        if team.batch is not None:
            BatchStack(self, StackName.BATCH, team=team, batch=team.batch, network=network, storage=storage)
