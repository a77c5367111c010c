"""The network stack: VPC and EFA security group."""

from __future__ import annotations

from constructs import Construct

from constructs_lib.efa_security_group import EfaSecurityGroup
from constructs_lib.network import TrainingNetwork
from spec.names import Output
from spec.team import Team
from stacks.team_stack import TeamStack


class NetworkStack(TeamStack):
    """VPC, subnets, way out, and the security group of training nodes."""

    def __init__(self, scope: Construct, id_: str, *, team: Team) -> None:
        super().__init__(scope, id_, team=team, description="VPC and EFA security group")
        self._zone_ids = [zone for zone in (team.network.training_zone, team.network.second_zone) if zone]
        network = TrainingNetwork(
            self,
            "Network",
            cidr=team.network.cidr,
            training_zone_id=team.network.training_zone,
            second_zone_id=team.network.second_zone,
            nat_gateway=team.network.nat == "single",
        )
        self.vpc = network.vpc
        self.training_subnet = network.training_subnet
        self.private_subnets = network.private_subnets
        self.efa_security_group = EfaSecurityGroup(self, "EfaSecurityGroup", vpc=self.vpc)

        self.output(Output.VPC_ID, self.vpc.vpc_id, "VPC")
        self.output(Output.TRAINING_SUBNET_ID, self.training_subnet.subnet_id, "Subnet of every training node")
        self.output(
            Output.EFA_SECURITY_GROUP_ID, self.efa_security_group.security_group_id, "Security group of training nodes"
        )

    @property
    def availability_zones(self) -> list[str]:
        """The zones of the team file. Without this, CDK would ask the account for its zone names during synthesis."""
        return self._zone_ids
