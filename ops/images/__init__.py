"""Building and pushing container images."""
