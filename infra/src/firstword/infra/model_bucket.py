"""The model cache's bucket: versioned, encrypted, closed to the public, TLS only, tidied up."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from firstword.infra import policies
from firstword.infra.names import Names

UPLOAD_DAYS = 1
"""After which an upload that nobody finished is thrown away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBucketArgs:
    """``force_destroy``: it may be deleted with weights in it."""

    names: Names
    old_version_days: int
    force_destroy: bool


class ModelBucket(pulumi.ComponentResource):
    """Outputs ``bucket_name``."""

    bucket_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ModelBucketArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:ModelBucket", name, None, opts)
        self._name, self._args = name, args
        bucket = aws.s3.Bucket(
            name,
            aws.s3.BucketArgs(bucket=args.names.bucket, force_destroy=args.force_destroy),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self._inside = pulumi.ResourceOptions(parent=bucket)
        self._keep_versions(bucket)
        self._encrypt(bucket)
        self._close(bucket)
        self.bucket_name = bucket.bucket
        self.register_outputs({"bucket_name": self.bucket_name})

    def _keep_versions(self, bucket: aws.s3.Bucket) -> None:
        versioning = aws.s3.BucketVersioning(
            f"{self._name}-versioning",
            aws.s3.BucketVersioningInitArgs(
                bucket=bucket.bucket,
                versioning_configuration=aws.s3.BucketVersioningVersioningConfigurationArgs(
                    status="Enabled"
                ),
            ),
            opts=self._inside,
        )
        aws.s3.BucketLifecycleConfiguration(
            f"{self._name}-lifecycle",
            aws.s3.BucketLifecycleConfigurationArgs(bucket=bucket.bucket, rules=[self._tidy()]),
            opts=pulumi.ResourceOptions(parent=bucket, depends_on=[versioning]),
        )

    def _tidy(self) -> aws.s3.BucketLifecycleConfigurationRuleArgs:
        return aws.s3.BucketLifecycleConfigurationRuleArgs(
            id="tidy",
            status="Enabled",
            filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=""),
            noncurrent_version_expiration=(
                aws.s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(
                    noncurrent_days=self._args.old_version_days
                )
            ),
            abort_incomplete_multipart_upload=(
                aws.s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                    days_after_initiation=UPLOAD_DAYS
                )
            ),
        )

    def _encrypt(self, bucket: aws.s3.Bucket) -> None:
        by_default = aws.s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(  # noqa: E501
            sse_algorithm="AES256"
        )
        aws.s3.BucketServerSideEncryptionConfiguration(
            f"{self._name}-encryption",
            aws.s3.BucketServerSideEncryptionConfigurationInitArgs(
                bucket=bucket.bucket,
                rules=[
                    aws.s3.BucketServerSideEncryptionConfigurationRuleArgs(
                        apply_server_side_encryption_by_default=by_default
                    )
                ],
            ),
            opts=self._inside,
        )

    def _close(self, bucket: aws.s3.Bucket) -> None:
        aws.s3.BucketOwnershipControls(
            f"{self._name}-owner",
            aws.s3.BucketOwnershipControlsArgs(
                bucket=bucket.bucket,
                rule=aws.s3.BucketOwnershipControlsRuleArgs(object_ownership="BucketOwnerEnforced"),
            ),
            opts=self._inside,
        )
        closed = aws.s3.BucketPublicAccessBlock(
            f"{self._name}-closed",
            aws.s3.BucketPublicAccessBlockArgs(
                bucket=bucket.bucket,
                block_public_acls=True,
                block_public_policy=True,
                ignore_public_acls=True,
                restrict_public_buckets=True,
            ),
            opts=self._inside,
        )
        # S3 refuses two changes of a bucket's access at once.
        aws.s3.BucketPolicy(
            f"{self._name}-tls",
            aws.s3.BucketPolicyArgs(
                bucket=bucket.bucket, policy=policies.bucket_policy(self._args.names)
            ),
            opts=pulumi.ResourceOptions(parent=bucket, depends_on=[closed]),
        )
