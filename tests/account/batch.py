"""Batch jobs of the stand-in account, of the deployed queues and definitions, in moto's place.

A job that depends on none runs when it is asked about; a precompile job then succeeds, training runs on. Each node has
a log stream. Nothing is computed; no compute environment, instance or permission is looked at.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from moto.batch import urls
from moto.logs.models import logs_backends

from spec.names import JobLabel
from tests.account.batch_queues import find
from tests.account.recorded import ACCOUNT_ID
from tests.account.routes import RefusedError, route

JOBS: dict[str, dict[str, Any]] = {}
"""By id, in the order of their submission."""


def _now() -> int:
    return int(time.time() * 1000)


def _submit(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    queue = find("AWS::Batch::JobQueue", asked["jobQueue"])
    definition = find("AWS::Batch::JobDefinition", asked["jobDefinition"]).properties
    if queue.properties.get("State", "ENABLED") != "ENABLED":
        raise RefusedError("ClientException", f"{asked['jobQueue']} is disabled")
    if ("shareIdentifier" in asked) != ("SchedulingPolicyArn" in queue.properties):
        raise RefusedError(
            "ClientException", "shareIdentifier: required by queues with a scheduling policy, and only there"
        )
    overrides = asked["nodeOverrides"]
    ranges = [it["TargetNodes"] for it in definition["NodeProperties"]["NodeRangeProperties"]]
    if [it["targetNodes"] for it in overrides["nodePropertyOverrides"]] != ranges:
        raise RefusedError("ClientException", f"nodePropertyOverrides: expected the definition's ranges {ranges}")
    after = [it["jobId"] for it in asked.get("dependsOn", ())]
    if unknown := [it for it in after if it not in JOBS]:
        raise RefusedError("ClientException", f"dependsOn: no job {', '.join(unknown)}")
    job_id = str(uuid.uuid4())
    JOBS[job_id] = {
        "jobId": job_id,
        "jobName": asked["jobName"],
        "jobQueue": asked["jobQueue"],
        "jobDefinition": asked["jobDefinition"],
        "status": "PENDING" if after else "RUNNABLE",
        "createdAt": _now(),
        "dependsOn": [{"jobId": it} for it in after],
        "nodeProperties": {"numNodes": overrides["numNodes"], "mainNode": 0, "nodeRangeProperties": []},
        "tags": asked.get("tags", {}),
        "logGroup": definition["NodeProperties"]["NodeRangeProperties"][0]["Container"]["LogConfiguration"]["Options"][
            "awslogs-group"
        ],
        "region": queue.region,
    }
    return {"jobId": job_id, "jobName": asked["jobName"]}


def _move_on() -> None:
    """A step of every job, in order: one that succeeds lets the next begin."""
    for job in JOBS.values():
        if job["status"] == "RUNNING" and job["tags"].get(JobLabel.PHASE) == "precompile":
            job.update(status="SUCCEEDED", stoppedAt=_now())
        waits = job["status"] in ("PENDING", "RUNNABLE")
        if waits and all(JOBS[it["jobId"]]["status"] == "SUCCEEDED" for it in job["dependsOn"]):
            _start(job)


def _start(job: dict[str, Any]) -> None:
    job.update(status="RUNNING", startedAt=_now())
    logs = logs_backends[ACCOUNT_ID][job["region"]]
    for node in range(job["nodeProperties"]["numNodes"]):
        stream = f"{job['jobName']}/default/{job['jobId']}-{node}"
        logs.create_log_stream(job["logGroup"], stream)
        lines = [f"node {node}: stand-in: {job['jobName']} began"]
        events = [{"timestamp": _now(), "message": line} for line in lines]
        logs.put_log_events(job["logGroup"], stream, events)


def _told(job_id: str) -> dict[str, Any] | None:
    whole, _, node = job_id.partition("#")
    if whole not in JOBS:
        return None
    job = {key: value for key, value in JOBS[whole].items() if key not in ("logGroup", "region")}
    if not node:
        return job
    stream = {"logStreamName": f"{job['jobName']}/default/{whole}-{node}"} if "startedAt" in job else {}
    return job | {"jobId": job_id, "container": stream}


def _describe(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    _move_on()
    return {"jobs": [job for job_id in asked["jobs"] if (job := _told(job_id))]}


def _list(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    keys = ("jobId", "jobName", "status", "createdAt", "startedAt", "stoppedAt")
    status = asked.get("jobStatus", "RUNNING")
    found = [it for it in JOBS.values() if it["jobQueue"] == asked["jobQueue"] and it["status"] == status]
    return {"jobSummaryList": [{key: it[key] for key in keys if key in it} for it in found]}


def _terminate(_path: str, asked: dict[str, Any]) -> dict[str, Any]:
    job = JOBS[asked["jobId"]]
    if job["status"] not in ("SUCCEEDED", "FAILED"):
        job.update(status="FAILED", statusReason=asked["reason"], stoppedAt=_now())
    return {}


def extend() -> None:
    """Answer in moto's place."""
    for name, answer in {
        "submitjob": _submit,
        "describejobs": _describe,
        "listjobs": _list,
        "terminatejob": _terminate,
    }.items():
        urls.url_paths[f"{{0}}/v1/{name}"] = route(answer)
