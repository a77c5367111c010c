"""The Trn node groups of a cluster."""
