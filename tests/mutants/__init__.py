"""Mutation test of the rules: each mistake in a copy of our own templates is seen by the rule that is named for it."""
