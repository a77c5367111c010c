"""The parts of a team that ask for Trainium nodes."""

from __future__ import annotations

from dataclasses import dataclass

from spec.rules.network import trainium_parts
from spec.team import Batch, NodeGroup, Team


@dataclass(frozen=True, slots=True)
class Part:
    """A node group or the Batch path."""

    name: str
    asks: NodeGroup | Batch

    @property
    def nodes(self) -> int:
        """Nodes at their most."""
        return self.asks.max if isinstance(self.asks, NodeGroup) else self.asks.max_nodes


def parts_of(team: Team) -> list[Part]:
    return [
        Part(f"node group {asks.name}" if isinstance(asks, NodeGroup) else "batch", asks)
        for _, asks in trainium_parts(team)
    ]
