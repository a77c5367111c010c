"""How long EKS supports each Kubernetes version.

https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html, collected on AS_OF.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Literal

AS_OF = date(2026, 11, 30)
"""When the table was collected. Synthesis judges by this day, so that one file gives one result on every day."""

Support = Literal["standard", "extended", "ended"]


@dataclass(frozen=True, slots=True)
class SupportWindow:
    """Last days of standard and of (charged) extended support; None where no date is published."""

    standard_until: date | None
    extended_until: date | None

    def on(self, day: date) -> Support:
        if self.standard_until is None or day <= self.standard_until:
            return "standard"
        if self.extended_until is None or day <= self.extended_until:
            return "extended"
        return "ended"


SUPPORT_WINDOWS: Mapping[str, SupportWindow] = MappingProxyType(
    {
        "1.33": SupportWindow(date(2026, 7, 29), date(2027, 7, 29)),
        "1.34": SupportWindow(date(2026, 12, 2), date(2027, 12, 2)),
        "1.35": SupportWindow(date(2027, 3, 27), date(2028, 3, 27)),
        "1.36": SupportWindow(None, None),  # offered by EKS; its dates were not published
    }
)
