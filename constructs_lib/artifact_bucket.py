"""The S3 bucket of a team's datasets, compile cache, checkpoints and logs."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy, aws_iam as iam, aws_s3 as s3
from constructs import Construct

from spec.names import Prefix


class ArtifactBucket(Construct):
    """Encrypted, versioned, TLS-only bucket; or one that exists, whose settings stay its owner's."""

    def __init__(self, scope: Construct, id_: str, *, existing: str | None, removal_policy: RemovalPolicy) -> None:
        super().__init__(scope, id_)
        self.bucket: s3.IBucket = (
            s3.Bucket.from_bucket_name(self, "Existing", existing) if existing else self._new_bucket(removal_policy)
        )

    def _new_bucket(self, removal_policy: RemovalPolicy) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Resource",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            versioned=True,
            lifecycle_rules=[
                s3.LifecycleRule(id="AbortedUploads", abort_incomplete_multipart_upload_after=Duration.days(7)),
                # A training program prunes its own checkpoints; what it pruned or overwrote stays for a month.
                s3.LifecycleRule(
                    id="OldCheckpoints",
                    prefix=Prefix.CHECKPOINTS,
                    noncurrent_version_expiration=Duration.days(30),
                    expired_object_delete_marker=True,
                ),
                s3.LifecycleRule(
                    id="OldCompileCache",
                    prefix=Prefix.NEURON_CACHE,
                    noncurrent_version_expiration=Duration.days(7),
                    expired_object_delete_marker=True,
                ),
            ],
            removal_policy=removal_policy,
            auto_delete_objects=removal_policy == RemovalPolicy.DESTROY,
        )
        # A bucket that stays keeps refusing plain HTTP.
        assert bucket.policy is not None
        bucket.policy.apply_removal_policy(removal_policy)
        return bucket

    def uri(self, prefix: Prefix) -> str:
        """`s3://BUCKET/PREFIX/`."""
        return f"s3://{self.bucket.bucket_name}/{prefix}"

    def grant_train(self, grantee: iam.IGrantable) -> None:
        """Let a training job read datasets, and read and write the cache, checkpoints and logs; nothing else.

        By hand because the bucket's own grants allow wildcard actions on every prefix.
        """
        written = [p for p in Prefix if p is not Prefix.DATASETS]
        statements = (
            # ListObjectsV2, restricted to the team's prefixes.
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[self.bucket.bucket_arn],
                conditions={"StringLike": {"s3:prefix": [f"{prefix}*" for prefix in Prefix]}},
            ),
            # The Neuron compile cache asks for the bucket's Region before it opens an s3:// URL.
            iam.PolicyStatement(actions=["s3:GetBucketLocation"], resources=[self.bucket.bucket_arn]),
            iam.PolicyStatement(
                actions=["s3:GetObject"], resources=[self.bucket.arn_for_objects(f"{prefix}*") for prefix in Prefix]
            ),
            # PutObject and multipart uploads; DeleteObject prunes old checkpoints.
            iam.PolicyStatement(
                actions=[
                    "s3:AbortMultipartUpload",
                    "s3:DeleteObject",
                    "s3:ListMultipartUploadParts",
                    "s3:PutObject",
                ],
                resources=[self.bucket.arn_for_objects(f"{prefix}*") for prefix in written],
            ),
        )
        for statement in statements:
            grantee.grant_principal.add_to_principal_policy(statement)
