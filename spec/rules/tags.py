"""Rules about a team's tags."""

from collections.abc import Iterator

from spec.findings import Problem
from spec.team import Team

MAX_TAG_BYTES = 400_000
"""Of the 1 MB that CloudFormation takes as a template; the interfaces of many node groups need the rest."""
TAGGED_KINDS = 3
"""Instances, volumes and network interfaces: each launch template repeats the tags for each."""
BYTES_AROUND_A_TAG = 80
"""What JSON writes around a key and a value."""


def problems(team: Team) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for key in team.tags:
        if key.lower().startswith("aws:"):
            yield Problem("error", ("tags", key), f"the key {key}", "a key that does not start with aws:")
        if (other := seen.setdefault(key.lower(), key)) != key:
            expected = f"a key that differs from {other} in more than case: IAM takes the two for one"
            yield Problem("error", ("tags", key), f"the key {key}", expected)
    size = sum(len(key) + len(value) + BYTES_AROUND_A_TAG for key, value in team.tags.items())
    groups = len(team.eks.node_groups) if team.eks else 0
    if size * TAGGED_KINDS * groups > MAX_TAG_BYTES:
        expected = "fewer or shorter tags: CloudFormation takes no template with these in every launch template"
        got = f"{len(team.tags)} tags for {groups} node groups"
        yield Problem("error", ("tags",), got, expected, (("eks", "node_groups"),))
