"""The second of Volcano's manifests: its programs."""

from __future__ import annotations

from collections.abc import Mapping

from cdk8s_plus_27 import k8s
from constructs import Construct

from k8s_charts.component import Component
from k8s_charts.volcano import configuration, programs
from k8s_charts.volcano.certificate_job import CertificateJob
from k8s_charts.volcano.program import ProgramObjects
from spec.components import VOLCANO_VERSION
from spec.names import Volcano


class VolcanoControllers(Component):
    """Volcano's admission webhook, controllers and scheduler, and the Job that makes the webhook's certificate.

    The admission Deployment becomes ready only after VolcanoWebhooks is applied; from then on jobs and queues can be
    written. All run on nodes that are not Trn nodes, of which the cluster needs one without a taint.
    """

    def __init__(
        self, scope: Construct, id_: str, *, admission_image: str, controllers_image: str, scheduler_image: str
    ) -> None:
        super().__init__(scope, id_, name="volcano", version=VOLCANO_VERSION)
        self._config_map(programs.ADMISSION_CONFIG_MAP, {configuration.ADMISSION_CONF: configuration.ADMISSION})
        self._config_map(programs.SCHEDULER_CONFIG_MAP, {configuration.SCHEDULER_CONF: configuration.SCHEDULER})
        # Empty, yet looked for: network discovery and sharding of nodes, neither of which is used.
        self._config_map(programs.CONTROLLER_CONFIG_MAP, None)
        self._config_map(programs.SHARDING_CONFIG_MAP, None)
        CertificateJob(self, "Certificate", image=admission_image)
        for program in (
            programs.admission(admission_image),
            programs.controllers(controllers_image),
            programs.scheduler(scheduler_image),
        ):
            ProgramObjects(self, program)

    def _config_map(self, name: str, data: Mapping[str, str] | None) -> None:
        metadata = k8s.ObjectMeta(name=name, namespace=Volcano.NAMESPACE)
        k8s.KubeConfigMap(self, name, metadata=metadata, data=data)
