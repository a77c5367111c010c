"""Cleaning up a team: plan, steps, receipt."""
