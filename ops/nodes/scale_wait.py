"""Waiting until a node group has the nodes it was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from tenacity import RetryError, Retrying, retry_if_result, stop_after_delay, wait_fixed

from ops.aws import Account
from ops.errors import OpsError
from ops.nodes.scale import SETTLED, Group, describe
from ops.progress import progress

Tell = Callable[[str], object]

PAUSE_SECONDS = 15
PATIENCE_SECONDS = 3600
"""After this long the command ends; EC2 goes on looking for capacity."""


@dataclass(frozen=True)
class State:
    """How far a group has got."""

    update: str
    """InProgress, Successful, Failed or Cancelled."""
    status: str
    ready: int
    """Instances in service."""
    issues: tuple[str, ...]

    def done(self, nodes: int) -> bool:
        return self.update == "Successful" and self.status in SETTLED and self.ready == nodes


def wait(
    account: Account, group: Group, update: str, nodes: int, *, tell: Tell, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Until all nodes are in service. OpsError when EKS gives up or patience ends; issues are told as they come up."""
    told: set[str] = set()

    def look() -> State:
        state = read(account, group, update)
        for issue in state.issues:
            if issue not in told:
                tell(f"node group {group.asks.name}: {issue}")
                told.add(issue)
        show(f"{group.asks.name}: {state.status}", state.ready)
        return state

    retrying = Retrying(
        sleep=sleep,
        wait=wait_fixed(PAUSE_SECONDS),
        stop=stop_after_delay(PATIENCE_SECONDS),
        retry=retry_if_result(lambda state: not state.done(nodes)),
    )
    try:
        with progress(nodes) as show:
            retrying(look)
    except RetryError as error:
        state = error.last_attempt.result()
        raise OpsError(
            f"node group {group.asks.name}: {state.ready} of {nodes} nodes after {PATIENCE_SECONDS // 60} minutes, "
            f"status {state.status}; the scaling goes on. {group.watch}"
        ) from None
    except (KeyboardInterrupt, ClientError, BotoCoreError):
        tell(f"the scaling to {nodes} nodes goes on without this command. {group.watch}")
        raise


def read(account: Account, group: Group, update: str) -> State:
    """How far the group is now; OpsError where EKS has given the update up."""
    found = account.client("eks").describe_update(name=group.cluster, nodegroupName=group.name, updateId=update)[
        "update"
    ]
    if found["status"] in ("Failed", "Cancelled"):
        errors = "; ".join(error["errorMessage"] for error in found.get("errors", ())) or "no reason given"
        raise OpsError(f"node group {group.asks.name}: EKS did not change its size ({found['status']}): {errors}")
    nodegroup = describe(account, group.cluster, group.name)
    names = [each["name"] for each in nodegroup.get("resources", {}).get("autoScalingGroups", ())]
    return State(found["status"], nodegroup["status"], _in_service(account, names), tuple(issues(nodegroup)))


def issues(nodegroup: Mapping[str, Any]) -> Iterable[str]:
    """Health issues in words, such as missing capacity."""
    for issue in nodegroup.get("health", {}).get("issues", ()):
        yield f"{issue['code']}: {issue.get('message', 'no message')}"


def _in_service(account: Account, names: list[str]) -> int:
    if not names:
        return 0
    groups = account.pages(
        "autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups", AutoScalingGroupNames=names
    )
    return sum(each["LifecycleState"] == "InService" for group in groups for each in group["Instances"])
