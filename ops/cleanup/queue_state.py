"""Queues closed to new work, and opened again. What runs in them runs on."""

from __future__ import annotations

import time
from typing import Any, Literal

from kubernetes import client

from ops.aws import Account
from ops.cluster import QUEUE_COMMANDS, VOLCANO_QUEUES, create, find
from ops.waiting import Pause, Told, wait_until_none
from spec.names import DEFAULT_QUEUE

Action = Literal["CloseQueue", "OpenQueue"]
COMMAND_NAMESPACE = DEFAULT_QUEUE
"""Commands have a namespace though queues have none; Volcano's own tool writes them here."""


def queue_command(queue: dict[str, Any], action: Action) -> dict[str, Any]:
    """The Command by which Volcano's controller opens or closes a queue; it deletes the Command once it has read it.

    https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/cli/queue/util.go
    """
    name = queue["metadata"]["name"]
    target = {
        "apiVersion": VOLCANO_QUEUES.prefix.removeprefix("/apis/"),
        "kind": "Queue",
        "name": name,
        "uid": queue["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": QUEUE_COMMANDS.prefix.removeprefix("/apis/"),
        "kind": "Command",
        "metadata": {
            "generateName": f"{name}-{action.lower()}-",
            "namespace": COMMAND_NAMESPACE,
            "ownerReferences": [target],
        },
        "action": action,
        "target": target,
    }


def is_open(queue: dict[str, Any]) -> bool:
    """Whether a Volcano queue takes new jobs; one that its controller has not looked at yet does."""
    return queue.get("status", {}).get("state", "Open") in ("Open", "", "Unknown")


def set_volcano_queue(api: client.ApiClient, name: str, action: Action, told: Told, pause: Pause = time.sleep) -> bool:
    """Open or close a Volcano queue and wait until its controller has; False where there is none."""
    wanted = action == "OpenQueue"
    queue = find(api, VOLCANO_QUEUES, name)
    if queue is None:
        return False
    if is_open(queue) == wanted:
        return True
    create(api, QUEUE_COMMANDS, queue_command(queue, action), COMMAND_NAMESPACE)

    def left() -> list[str]:
        now = find(api, VOLCANO_QUEUES, name)
        return [] if now is None or is_open(now) == wanted else [f"queue {name}"]

    wait_until_none(left, told, pause)
    return find(api, VOLCANO_QUEUES, name) is not None


def batch_queue_state(account: Account, arn: str) -> str | None:
    """ENABLED or DISABLED; None where the queue is gone."""
    found = account.client("batch").describe_job_queues(jobQueues=[arn])["jobQueues"]
    return str(found[0]["state"]) if found else None


def set_batch_queue(account: Account, arn: str, state: Literal["ENABLED", "DISABLED"]) -> bool:
    """Open or close a Batch queue; False where there is none."""
    before = batch_queue_state(account, arn)
    if before not in (state, None):
        account.client("batch").update_job_queue(jobQueue=arn, state=state)
    return before is not None
