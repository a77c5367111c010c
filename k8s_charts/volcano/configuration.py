"""What Volcano's programs read from files."""

from __future__ import annotations

ADMISSION_CONF = "volcano-admission.conf"
SCHEDULER_CONF = "volcano-scheduler.conf"

ADMISSION = """\
# No resource groups: which nodes a job may use is a matter of its queue and its node selector.
"""

SCHEDULER = """\
# enqueue admits a job into its queue, allocate places its pods all at once or not at all, and backfill fills gaps with
# pods that request nothing. No action evicts: a training job loses everything since its last checkpoint.
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
"""
