"""Batch queues of the stand-in account: those that were deployed, open or closed, in moto's place."""

from __future__ import annotations

from typing import Any

from moto.batch import urls

from tests.account.recorded import EFFECTS, Effect, Recorded, existing
from tests.account.routes import RefusedError, route


def find(kind: str, arn: str) -> Recorded:
    for it in existing(kind):
        if it.name == arn:
            return it
    raise RefusedError("ClientException", f"{kind} {arn} does not exist")


def _named_by_arn(it: Recorded) -> None:
    name = it.name
    it.name = f"{it.arn}:1" if it.kind == "AWS::Batch::JobDefinition" else it.arn
    it.arn = it.name
    it.attributes |= {"JobQueueName": name}


def _queues(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    found = [it for it in existing("AWS::Batch::JobQueue") if it.name in asked["jobQueues"]]
    return {
        "jobQueues": [
            {
                "jobQueueName": it.attributes["JobQueueName"],
                "jobQueueArn": it.name,
                "state": it.properties.get("State", "ENABLED"),
                "status": "VALID",
                "priority": it.properties["Priority"],
                "computeEnvironmentOrder": [],
            }
            for it in found
        ]
    }


def _update_queue(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    queue = find("AWS::Batch::JobQueue", asked["jobQueue"])
    queue.properties["State"] = asked["state"]
    return {"jobQueueArn": queue.name, "jobQueueName": queue.attributes["JobQueueName"]}


def extend() -> None:
    """Answer in moto's place."""
    urls.url_paths["{0}/v1/describejobqueues"] = route(_queues)
    urls.url_paths["{0}/v1/updatejobqueue"] = route(_update_queue)


EFFECTS |= {
    f"AWS::Batch::{kind}": Effect(_named_by_arn) for kind in ("JobQueue", "JobDefinition", "ComputeEnvironment")
}
