"""What the mutants are made from: the sample teams, and what no sample is: without NAT, on a capacity block."""

from __future__ import annotations

import pytest

from tests.conftest import Synthesized, TeamFactory, synthesize_teams


@pytest.fixture(scope="session")
def originals(
    samples: dict[str, Synthesized], make_team: TeamFactory, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Synthesized]:
    """Teams by name: the samples, `private`, and `special` with everything that is given by its id."""
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
    return samples | synthesize_teams([private, special], tmp_path_factory.mktemp("originals"))
