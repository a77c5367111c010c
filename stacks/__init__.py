"""Composition: which constructs of a team are deployed together, what they grant each other, what they output."""
