"""What an operator does: the `trn` command, and the pinned CDK CLI."""
