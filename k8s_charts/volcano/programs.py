"""Volcano's three programs, as v1.15.1 starts them."""

from __future__ import annotations

from cdk8s_plus_27 import k8s

from k8s_charts.pods import resources
from k8s_charts.volcano import rbac
from k8s_charts.volcano.configuration import ADMISSION_CONF, SCHEDULER_CONF
from k8s_charts.volcano.program import Program, http_healthz, tcp
from k8s_charts.volcano.webhook import ADMISSION_PATHS, SERVICE_PORT
from spec.names import Volcano

WEBHOOK_PORT = 8443
CONTROLLERS_METRICS_PORT = 8081
SCHEDULER_METRICS_PORT = 8080

ADMISSION_SECRET = "volcano-admission-secret"  # noqa: S105  its name
ADMISSION_CONFIG_MAP = "volcano-admission-configmap"
CONTROLLER_CONFIG_MAP = "volcano-controller-configmap"
SHARDING_CONFIG_MAP = "volcano-sharding-configmap"
SCHEDULER_CONFIG_MAP = "volcano-scheduler-configmap"


def admission(image: str) -> Program:
    """The webhook. It listens once it has written its certificate authority into all seven configurations."""
    certificates, configuration = "/admission.local.config/certificates", "/admission.local.config/configmap"
    return Program(
        component="admission",
        image=image,
        service=Volcano.ADMISSION_SERVICE,
        service_port=SERVICE_PORT,
        port=k8s.ContainerPort(name="webhook", container_port=WEBHOOK_PORT),
        args=[
            f"--enabled-admission={','.join(ADMISSION_PATHS)}",
            f"--tls-cert-file={certificates}/tls.crt",
            f"--tls-private-key-file={certificates}/tls.key",
            f"--ca-cert-file={certificates}/ca.crt",
            f"--admission-conf={configuration}/{ADMISSION_CONF}",
            f"--webhook-namespace={Volcano.NAMESPACE}",
            f"--webhook-service-name={Volcano.ADMISSION_SERVICE}",
            "--enable-healthz=true",
            "--logtostderr",
            f"--port={WEBHOOK_PORT}",
            "-v=4",
        ],
        rules=rbac.ADMISSION,
        # Answers within milliseconds and keeps queues and groups of pods in memory. The CPU limit leaves room for
        # the many jobs that a script submits at once: after ten seconds the API server gives up.
        resources=resources(cpu="50m", memory="128Mi", cpu_limit="1", memory_limit="512Mi"),
        # A connection will do: given certificates, healthz speaks HTTPS, and without them HTTP.
        # https://github.com/volcano-sh/volcano/issues/2524
        alive=tcp("healthz"),
        ready=tcp("webhook"),
        volumes=[
            k8s.Volume(name="certificates", secret=k8s.SecretVolumeSource(secret_name=ADMISSION_SECRET)),
            k8s.Volume(name="configuration", config_map=k8s.ConfigMapVolumeSource(name=ADMISSION_CONFIG_MAP)),
        ],
        mounts=[
            k8s.VolumeMount(name="certificates", mount_path=certificates, read_only=True),
            k8s.VolumeMount(name="configuration", mount_path=configuration, read_only=True),
        ],
        recreate=False,
    )


def controllers(image: str) -> Program:
    """Makes pods from jobs and acts on what becomes of them."""
    namespace = k8s.EnvVarSource(field_ref=k8s.ObjectFieldSelector(field_path="metadata.namespace"))
    return Program(
        component="controllers",
        image=image,
        service=Volcano.CONTROLLERS_SERVICE,
        service_port=CONTROLLERS_METRICS_PORT,
        port=k8s.ContainerPort(name="metrics", container_port=CONTROLLERS_METRICS_PORT),
        args=[
            "--logtostderr",
            "--enable-healthz=true",
            "--enable-metrics=true",
            "--leader-elect=false",
            "--kube-api-qps=50",
            "--kube-api-burst=100",
            "--worker-threads=3",
            "--worker-threads-for-gc=5",
            "--worker-threads-for-podgroup=5",
            f"--sharding-configmap={SHARDING_CONFIG_MAP}",
            f"--sharding-configmap-namespace={Volcano.NAMESPACE}",
            "-v=4",
        ],
        env=[
            k8s.EnvVar(name="KUBE_POD_NAMESPACE", value_from=namespace),
            # The first part of its ConfigMap's name.
            k8s.EnvVar(name="HELM_RELEASE_NAME", value="volcano"),
        ],
        rules=rbac.CONTROLLERS,
        # Keeps every pod and ConfigMap of the cluster in memory; works in bursts, when a job starts or ends.
        resources=resources(cpu="100m", memory="256Mi", cpu_limit="1", memory_limit="1Gi"),
        alive=http_healthz(),
        ready=http_healthz(),
        recreate=True,
    )


def scheduler(image: str) -> Program:
    """Places the pods of a job all at once or not at all."""
    configuration, scratch = "/volcano.scheduler", "/tmp"  # noqa: S108  in the pod
    return Program(
        component="scheduler",
        image=image,
        service=Volcano.SCHEDULER_SERVICE,
        service_port=SCHEDULER_METRICS_PORT,
        port=k8s.ContainerPort(name="metrics", container_port=SCHEDULER_METRICS_PORT),
        args=[
            "--logtostderr",
            f"--scheduler-conf={configuration}/{SCHEDULER_CONF}",
            "--enable-healthz=true",
            "--enable-metrics=true",
            "--leader-elect=false",
            "--kube-api-qps=2000",
            "--kube-api-burst=2000",
            "--schedule-period=1s",
            "--node-worker-threads=20",
            "-v=3",
        ],
        # A socket through which the log level can be changed.
        env=[k8s.EnvVar(name="DEBUG_SOCKET_DIR", value=f"{scratch}/klog-socks")],
        rules=rbac.SCHEDULER,
        # Looks at every pod against every node once a second, all of them in memory.
        resources=resources(cpu="200m", memory="256Mi", cpu_limit="2", memory_limit="2Gi"),
        alive=http_healthz(),
        ready=http_healthz(),
        volumes=[
            k8s.Volume(name="configuration", config_map=k8s.ConfigMapVolumeSource(name=SCHEDULER_CONFIG_MAP)),
            k8s.Volume(name="klog-sock", empty_dir=k8s.EmptyDirVolumeSource()),
        ],
        mounts=[
            k8s.VolumeMount(name="configuration", mount_path=configuration, read_only=True),
            k8s.VolumeMount(name="klog-sock", mount_path=scratch),
        ],
        recreate=True,
    )
