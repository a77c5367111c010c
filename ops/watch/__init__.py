"""Watching runs: what there is, what it prints, what it uses, its end."""
