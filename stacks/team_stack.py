"""What every stack of a team has in common."""

from __future__ import annotations

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from constructs import Construct

from spec.names import TEAM_TAG
from spec.team import Team


def resource_tags(team: Team) -> dict[str, str]:
    """Tags of every resource of the team, its own and the one that clean-up and cost reports search by."""
    return {**team.tags, TEAM_TAG: team.name}


def removal_policy(team: Team) -> RemovalPolicy:
    """What becomes of data when its stack is deleted."""
    return RemovalPolicy.RETAIN if team.storage.on_delete == "retain" else RemovalPolicy.DESTROY


class TeamStack(Stack):
    """A stack of one team. Its tags are stack tags, which CloudFormation puts on every resource that takes tags."""

    def __init__(self, scope: Construct, id_: str, *, team: Team, description: str) -> None:
        super().__init__(scope, id_, description=f"{team.name}: {description}", tags=resource_tags(team))
        self.team = team

    def output(self, key: str, value: str, description: str) -> None:
        """Define an output that operators and the launcher read by `key`, one of spec/names.py."""
        CfnOutput(self, key, value=value, description=description)
