"""What runs in the cluster, one component per file, each a cdk8s Chart."""
