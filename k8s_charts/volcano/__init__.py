"""Volcano, the gang scheduler, as three charts: applied in this order, deleted in the opposite one.

VolcanoCrds, VolcanoControllers, VolcanoWebhooks. A webhook configuration that outlives its webhook refuses every write
of a Job or Queue, so the configurations come last and go first.
"""

from k8s_charts.volcano.controllers import VolcanoControllers
from k8s_charts.volcano.crds import VolcanoCrds
from k8s_charts.volcano.webhooks import VolcanoWebhooks

__all__ = ["VolcanoControllers", "VolcanoCrds", "VolcanoWebhooks"]
