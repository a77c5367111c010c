"""Queue admission: a job in a queue's namespace goes to that queue, by Volcano's scheduler."""

from __future__ import annotations

from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.namespaces import QUEUE_NAMESPACE
from spec.names import PART_OF

NAME = f"{PART_OF}-queue-admission"
API_VERSION = "admissionregistration.k8s.io/v1"

# In CEL. The definition of a job leaves a task's template open, so the API server would report its fields as undefined;
# dyn() says that their types are not known.
# https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
VARIABLES = {
    # Volcano's own defaults; its webhook has written them before a policy looks.
    "queue": "has(object.spec) && has(object.spec.queue) ? object.spec.queue : 'default'",
    "scheduler": "has(object.spec) && has(object.spec.schedulerName) ? object.spec.schedulerName : 'volcano'",
    "pods": "has(object.spec) && has(object.spec.tasks) ? dyn(object.spec.tasks)"
    ".filter(task, has(task.template) && has(task.template.spec)).map(task, task.template.spec) : []",
    # A scheduler in a task's pod template wins over the job's.
    # https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/controllers/job/job_controller_util.go
    "schedulers": "variables.pods.filter(pod, has(pod.schedulerName)).map(pod, pod.schedulerName)"
    ".filter(scheduler, scheduler != 'volcano' && scheduler != '' && scheduler != null)",
    # A pod that names its node passes every scheduler by.
    "nodes": "variables.pods.filter(pod, has(pod.nodeName)).map(pod, pod.nodeName)"
    ".filter(node, node != '' && node != null)",
}
VALIDATIONS = {
    "variables.queue == request.namespace": "'spec.queue: got ' + variables.queue + ', expected ' + request.namespace"
    " + ', the queue of this namespace (a job that names none gets default)'",
    "variables.scheduler == 'volcano'": "'spec.schedulerName: got ' + variables.scheduler"
    " + ', expected volcano or none: another scheduler knows no queues'",
    "variables.schedulers == []": "'spec.tasks[].template.spec.schedulerName: got ' + string(variables.schedulers[0])"
    " + ', expected volcano or none: another scheduler knows no queues'",
    "variables.nodes == []": "'spec.tasks[].template.spec.nodeName: got ' + string(variables.nodes[0])"
    " + ', expected none: a pod that names its node evades its queue; write a nodeSelector'",
}
"""Message by what must hold, both in CEL."""


class QueueAdmission(Component):
    """Policy that keeps a job from naming another queue, and its binding; one pair serves every queue.

    It binds everybody who writes a job in a queue's namespace, administrators and Volcano's CronJobs included. A job
    whose `spec` stays as it is passes, so that one from before the policy can still be labelled and deleted.
    """

    def __init__(self, scope: Construct, id_: str) -> None:
        # The version is that of the API: the policy runs in the API server.
        super().__init__(scope, id_, name="queue-admission", version="v1")
        self.custom(
            "Policy",
            api_version=API_VERSION,
            kind="ValidatingAdmissionPolicy",
            name=NAME,
            spec={
                "failurePolicy": "Fail",
                "matchConstraints": {
                    "namespaceSelector": {"matchLabels": {"app.kubernetes.io/name": QUEUE_NAMESPACE}},
                    "resourceRules": [
                        {
                            "apiGroups": ["batch.volcano.sh"],
                            # A version by name: types are not checked for every one.
                            "apiVersions": ["v1alpha1"],
                            "operations": ["CREATE", "UPDATE"],
                            # Not jobs/status, which Volcano's controllers write.
                            "resources": ["jobs"],
                        }
                    ],
                },
                "matchConditions": [
                    {
                        "name": "spec-is-new",
                        "expression": "request.operation == 'CREATE' || !has(object.spec) || !has(oldObject.spec)"
                        " || object.spec != oldObject.spec",
                    }
                ],
                "variables": [{"name": name, "expression": expression} for name, expression in VARIABLES.items()],
                "validations": [
                    {"expression": expression, "messageExpression": message}
                    for expression, message in VALIDATIONS.items()
                ],
            },
        )
        self.custom(
            "Binding",
            api_version=API_VERSION,
            kind="ValidatingAdmissionPolicyBinding",
            name=NAME,
            spec={"policyName": NAME, "validationActions": ["Deny"]},
        )
