"""AWS Batch: the SubmitJob request of a run, on the job definition that the team's stack has deployed."""

from __future__ import annotations

from typing import Any

from ops.launch.container import BUCKET_URI, Launch, agent_line, environment, static_rendezvous
from spec.names import EVERY_NODE, TEAM_TAG, Output, job_definition_arn_output
from spec.output_values import slot


def submit_request(launch: Launch, *, share: str | None, after: str | None = None) -> dict[str, Any]:
    """Arguments of SubmitJob, with slots for what is known after the deployment only.

    `share`: fair-share identifier, which a queue with shares demands and one without refuses. `after`: id of the job
    that must have succeeded before.
    """
    request: dict[str, Any] = {
        "jobName": launch.app,
        "jobQueue": slot(Output.JOB_QUEUE_ARN),
        "jobDefinition": slot(job_definition_arn_output(launch.job.image)),
        "nodeOverrides": {
            "numNodes": launch.job.nodes,
            "nodePropertyOverrides": [
                {
                    # Must be the definition's own range.
                    "targetNodes": EVERY_NODE,
                    "containerOverrides": {
                        "command": ["bash", "-c", agent_line(launch, static_rendezvous())],
                        "environment": [
                            {"name": name, "value": value}
                            for name, value in sorted(environment(launch, BUCKET_URI).items())
                        ],
                    },
                }
            ],
        },
        "tags": {TEAM_TAG: launch.team.name} | launch.labels,
    }
    if share is not None:
        request["shareIdentifier"] = share
    if after is not None:
        request["dependsOn"] = [{"jobId": after}]
    return request
