"""Two team files without a finding, and a way to spoil them."""

BATCH = """\
region: us-west-2
network:
  training_zone: usw2-az4
batch:
  instance_type: trn1.32xlarge
  max_nodes: 4
"""

EKS = """\
region: us-west-2
network:
  training_zone: usw2-az4
  second_zone: usw2-az3
eks:
  admins: ["arn:aws:iam::111122223333:role/Admin"]
  node_groups:
    - name: trn1
      instance_type: trn1.32xlarge
"""


def edited(text: str, *changes: tuple[str, str]) -> str:
    """The text with each change made; a change that no longer applies is a mistake in the test."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the sample"
        text = text.replace(old, new)
    return text
