"""What the mutants are made from: the sample teams, and what no sample is."""

from __future__ import annotations

import pytest

from tests.conftest import Synthesized, TeamFactory, synthesize_teams
from tests.mutants.eks_mutants import RESEARCHERS


@pytest.fixture(scope="session")
def originals(
    samples: dict[str, Synthesized], make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Synthesized]:
    """Teams by name: the samples; `private` without NAT; `special` with everything that is given by its id.

    And `shared`, where researchers, no administrators, have queues and make file systems of their own.
    """
    network = {"training_zone": "usw2-az4", "second_zone": "usw2-az3", "nat": "none"}
    groups = [{"name": "a", "instance_type": "trn1.32xlarge"}]
    private = make_team("private", network=network, eks={"node_groups": groups})
    special = make_team(
        "special",
        storage={"lustre": {"s3_link": False}},
        eks={"node_groups": [groups[0] | {"capacity": {"capacity_block": "cr-0123456789abcdef0"}}]},
        batch={
            "instance_type": "trn1.32xlarge",
            "max_nodes": 2,
            "ami_id": "ami-0123456789abcdef0",
            "placement_group": "existing",
        },
    )
    shared = make_team(
        "shared",
        storage={"lustre": {}},
        eks={
            "node_groups": groups,
            "dynamic_volumes": True,
            "queues": [
                {"name": "vision", "neuron_devices": 16, "researchers": RESEARCHERS},
                {"name": "language", "neuron_devices": 16, "researchers": RESEARCHERS[:1]},
            ],
        },
    )
    return samples | synthesize_teams([private, special, shared], tmp_path_factory.mktemp("originals"))
