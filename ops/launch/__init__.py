"""Starting runs: from a job file to what is sent for it."""
