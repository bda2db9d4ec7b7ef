"""S3 and ECR."""

from __future__ import annotations

from typing import Any

from engine.aws_calls import Calls
from engine.aws_world import Account
from engine.provider import Answer, Properties

_SETTINGS: dict[str, tuple[str, tuple[str, ...], str, str, frozenset[str]]] = {
    "bucketVersioning:BucketVersioning": (
        "put_bucket_versioning",
        (),
        "get_bucket_versioning",
        "",
        frozenset({"versioningConfiguration"}),
    ),
    "bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
        "put_bucket_encryption",
        ("serverSideEncryptionConfiguration",),
        "get_bucket_encryption",
        "delete_bucket_encryption",
        frozenset({"rules"}),
    ),
    "bucketPublicAccessBlock:BucketPublicAccessBlock": (
        "put_public_access_block",
        ("publicAccessBlockConfiguration",),
        "get_public_access_block",
        "delete_public_access_block",
        frozenset(
            {"blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"}
        ),
    ),
    "bucketPolicy:BucketPolicy": (
        "put_bucket_policy",
        (),
        "get_bucket_policy",
        "delete_bucket_policy",
        frozenset({"policy"}),
    ),
    "bucketLifecycleConfiguration:BucketLifecycleConfiguration": (
        "put_bucket_lifecycle_configuration",
        ("lifecycleConfiguration",),
        "get_bucket_lifecycle_configuration",
        "delete_bucket_lifecycle",
        frozenset({"rules"}),
    ),
    "bucketOwnershipControls:BucketOwnershipControls": (
        "put_bucket_ownership_controls",
        ("ownershipControls",),
        "get_bucket_ownership_controls",
        "delete_bucket_ownership_controls",
        frozenset({"rule"}),
    ),
}
"""Type to: put call, what wraps all but the bucket, get call, delete call, updatable properties."""


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer."""
    found: dict[str, Answer] = {
        "aws:s3/bucket:Bucket": _Bucket(account),
        "aws:ecr/repository:Repository": _repository(account),
        "aws:ecr/lifecyclePolicy:LifecyclePolicy": _of_repository(account, "lifecycle_policy"),
        "aws:ecr/repositoryPolicy:RepositoryPolicy": _of_repository(account, "repository_policy"),
    }
    for name in _SETTINGS:
        found[f"aws:s3/{name}"] = _setting(account, name)
    return found


def empty(account: Account, bucket: str) -> None:
    """Every version and every delete marker of a bucket goes."""
    s3 = account.client("s3")
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        for item in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
            s3.delete_object(Bucket=bucket, Key=item["Key"], VersionId=item["VersionId"])


class _Bucket:
    updatable = frozenset({"tags", "forceDestroy"})
    autoname = "bucket"

    def __init__(self, account: Account) -> None:
        self._account = account

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        account, name = self._account, str(inputs["bucket"])
        place: dict[str, Any] = {}
        if account.region != "us-east-1":
            place["CreateBucketConfiguration"] = {"LocationConstraint": account.region}
        account.client("s3").create_bucket(Bucket=name, **place)
        self._tag(name, inputs)
        return name, {
            **inputs,
            "arn": f"arn:aws:s3:::{name}",
            "region": account.region,
            "bucketDomainName": f"{name}.s3.amazonaws.com",
            "bucketRegionalDomainName": f"{name}.s3.{account.region}.amazonaws.com",
        }

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        self._tag(ident, new)
        return {**old, **new}

    def exists(self, ident: str, state: Properties) -> bool:
        buckets = self._account.client("s3").list_buckets()["Buckets"]
        return ident in {bucket["Name"] for bucket in buckets}

    def delete(self, ident: str, state: Properties) -> None:
        if not self.exists(ident, state):
            return
        if state.get("forceDestroy"):
            empty(self._account, ident)
        self._account.client("s3").delete_bucket(Bucket=ident)

    def _tag(self, name: str, inputs: Properties) -> None:
        tags = inputs.get("tags")
        if isinstance(tags, dict):
            pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
            self._account.client("s3").put_bucket_tagging(Bucket=name, Tagging={"TagSet": pairs})


def _setting(account: Account, name: str) -> Answer:
    put, wraps, get, delete, updatable = _SETTINGS[name]

    def shaped(inputs: Properties) -> Properties:
        inner = {key: value for key, value in inputs.items() if key != "bucket"}
        for wrapper in wraps:
            inner = {wrapper: inner}
        return {"bucket": inputs["bucket"], **inner}

    def key(ident: str, state: Properties) -> dict[str, Any]:
        # Versioning cannot be taken away, only suspended.
        off = {} if delete else {"VersioningConfiguration": {"Status": "Suspended"}}
        return {"Bucket": ident, **off}

    return Calls(
        account,
        "s3",
        put,
        delete or put,
        ident=lambda inputs, answer: str(inputs["bucket"]),
        key=key,
        describe_call=get if delete else None,
        shaped=shaped,
        updatable=updatable,
    )


def _repository(account: Account) -> Answer:
    def made(inputs: Properties, answer: dict[str, Any]) -> Properties:
        repository = answer["repository"]
        return {
            "arn": repository["repositoryArn"],
            "registryId": repository["registryId"],
            "repositoryUrl": repository["repositoryUri"],
        }

    def shaped(inputs: Properties) -> Properties:
        # pulumi-aws lists what AWS takes once.
        named = {"name": "repositoryName", "encryptionConfigurations": "encryptionConfiguration"}
        return {named.get(name, name): value for name, value in inputs.items()}

    def change(ident: str, old: Properties, new: Properties) -> None:
        account.client("ecr").put_image_tag_mutability(
            repositoryName=ident, imageTagMutability=new.get("imageTagMutability", "MUTABLE")
        )

    def delete_key(ident: str, state: Properties) -> dict[str, Any]:
        return {"repositoryName": ident, "force": bool(state.get("forceDelete"))}

    return Calls(
        account,
        "ecr",
        "create_repository",
        "delete_repository",
        ident=lambda inputs, answer: str(inputs["name"]),
        key=delete_key,
        made=made,
        shaped=shaped,
        change=change,
        updatable=frozenset({"tags", "forceDelete", "imageTagMutability"}),
        autoname="name",
    )


def _of_repository(account: Account, what: str) -> Answer:
    put, text = {
        "lifecycle_policy": ("put_lifecycle_policy", "lifecyclePolicyText"),
        "repository_policy": ("set_repository_policy", "policyText"),
    }[what]
    return Calls(
        account,
        "ecr",
        put,
        f"delete_{what}",
        ident=lambda inputs, answer: str(inputs["repository"]),
        key=lambda ident, state: {"repositoryName": ident},
        describe_call=f"get_{what}",
        names={"repository": "repositoryName", "policy": text},
        updatable=frozenset({"policy"}),
    )
