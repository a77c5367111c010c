"""A stand-in for an AWS account that the unmodified CDK CLI deploys into."""
