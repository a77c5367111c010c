"""The Kubernetes Job that stages a dataset onto the shared file system."""

from __future__ import annotations

from typing import Any

from spec.names import (
    DATA_PATH,
    LUSTRE_CLAIM,
    PART_OF,
    STAGE_BERT_PROGRAM,
    TRAINING_SERVICE_ACCOUNT,
    NodeLabel,
    Prefix,
)

NAME = "stage-bert"
DESTINATION = f"{DATA_PATH}/{Prefix.DATASETS}bert"
HOURS_AT_MOST = 10
HOURS_KEPT = 1
"""How long the ended Job, its pod and their log stay; after that the command would stage anew."""
TRIES_AGAIN = 3


def bert_job(namespace: str, image: str) -> dict[str, Any]:
    """A Job that fetches the BERT dataset. It asks for no Trainium and stays off the nodes that have it.

    Root without a capability: a new file system, and what job containers leave on it, belongs to root; the image's own
    user could not write there.
    """
    labels = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": PART_OF}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": NAME, "namespace": namespace, "labels": labels},
        "spec": {
            "backoffLimit": TRIES_AGAIN,
            "activeDeadlineSeconds": HOURS_AT_MOST * 3600,
            "ttlSecondsAfterFinished": HOURS_KEPT * 3600,
            "template": {"metadata": {"labels": {**labels}}, "spec": _pod(image)},
        },
    }


def _pod(image: str) -> dict[str, Any]:
    off_trainium = {"matchExpressions": [{"key": NodeLabel.NODE_GROUP.value, "operator": "DoesNotExist"}]}
    return {
        # Never: each try keeps its own log.
        "restartPolicy": "Never",
        "serviceAccountName": TRAINING_SERVICE_ACCOUNT,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [off_trainium]}}
        },
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": NAME,
                "image": image,
                "imagePullPolicy": "IfNotPresent",
                "command": ["python3", STAGE_BERT_PROGRAM, DESTINATION],
                "env": [{"name": "PYTHONUNBUFFERED", "value": "1"}],
                "resources": {
                    "requests": {"cpu": "500m", "memory": "1Gi"},
                    "limits": {"cpu": "2", "memory": "3Gi"},
                },
                "securityContext": {
                    "runAsUser": 0,
                    "runAsGroup": 0,
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "volumeMounts": [
                    {"name": "data", "mountPath": DATA_PATH},
                    {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - a volume of this pod alone
                ],
            }
        ],
        "volumes": [
            {"name": "data", "persistentVolumeClaim": {"claimName": LUSTRE_CLAIM}},
            {"name": "tmp", "emptyDir": {}},
        ],
    }
