"""What must go before AWS lets a bucket or a repository be deleted, by boto3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import batched
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from firstword.infra.errors import InfraError

CONNECT_S, READ_S = 10.0, 60.0
IMAGES_AT_ONCE = 100
_REFERENCED = "ImageReferencedByManifestList"


class Account:
    """The account of the credentials in use, in one region.

    Raises:
        InfraError: there are no usable credentials, or AWS refuses a call.
    """

    def __init__(self, region: str) -> None:
        self._region = region
        with _explained("the account"):
            self.number: str = self._client("sts").get_caller_identity()["Account"]

    def empty_bucket(self, bucket: str) -> int:
        """Delete every version, delete marker and unfinished upload; gives how many.

        A bucket that does not exist is empty.
        """
        s3, count = self._client("s3"), 0
        with _explained(bucket, missing="NoSuchBucket"):
            for page in s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket):
                for upload in page.get("Uploads", ()):
                    s3.abort_multipart_upload(
                        Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                    )
            while some := _versions(s3.list_object_versions(Bucket=bucket)):
                answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": some, "Quiet": True})
                if errors := answer.get("Errors"):
                    fault = errors[0]
                    raise InfraError(
                        f"{bucket}: {len(errors)} objects could not be deleted, the first "
                        f"{fault['Key']}: {fault['Code']} {fault.get('Message', '')}"
                    )
                count += len(some)
        return count

    def empty_repository(self, repository: str) -> int:
        """Delete every image, untagged and multi-platform ones too; gives how many.

        A repository that does not exist is empty. An image that a list of platforms refers to can
        go only after the list, so what was refused for that is tried again.
        """
        ecr, count = self._client("ecr"), 0
        with _explained(repository, missing="RepositoryNotFoundException"):
            left = _digests(ecr, repository)
            while left:
                refused: list[str] = []
                for some in batched(left, IMAGES_AT_ONCE):
                    ids = [{"imageDigest": digest} for digest in some]
                    answer = ecr.batch_delete_image(repositoryName=repository, imageIds=ids)
                    refused += _referenced(repository, answer.get("failures", ()))
                if len(refused) == len(left):
                    raise InfraError(f"{repository}: {len(left)} images refer to each other")
                count += len(left) - len(refused)
                left = refused
        return count

    def delete_log_groups(self, prefix: str) -> Sequence[str]:
        """Delete the log groups whose names begin so; gives their names."""
        logs = self._client("logs")
        with _explained(prefix):
            pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix)
            names = [group["logGroupName"] for page in pages for group in page["logGroups"]]
            for name in names:
                logs.delete_log_group(logGroupName=name)
        return names

    def _client(self, service: str) -> Any:
        return boto3.client(
            service,
            region_name=self._region,
            config=Config(
                connect_timeout=CONNECT_S,
                read_timeout=READ_S,
                retries={"mode": "standard", "total_max_attempts": 5},
            ),
        )


def _versions(page: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """What one page lists, as it is deleted. 1000 at most, which is what one call deletes."""
    found = (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
    return [{"Key": item["Key"], "VersionId": item["VersionId"]} for item in found]


def _digests(ecr: Any, repository: str) -> list[str]:
    pages = ecr.get_paginator("list_images").paginate(repositoryName=repository)
    found = (image["imageDigest"] for page in pages for image in page["imageIds"])
    return list(dict.fromkeys(found))


def _referenced(repository: str, failures: Sequence[Mapping[str, Any]]) -> list[str]:
    for failure in failures:
        if failure["failureCode"] != _REFERENCED:
            raise InfraError(
                f"{repository}: {failure['imageId']} could not be deleted: "
                f"{failure['failureCode']} {failure.get('failureReason', '')}"
            )
    return [failure["imageId"]["imageDigest"] for failure in failures]


class _explained:  # noqa: N801 - read as a word: with _explained(bucket): ...
    """AWS's refusals as InfraError; ``missing`` is the code of what is no error."""

    def __init__(self, what: str, missing: str | None = None) -> None:
        self._what, self._missing = what, missing

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, ClientError) and error.response["Error"]["Code"] == self._missing:
            return True
        if isinstance(error, ClientError | BotoCoreError):
            raise InfraError(f"{self._what}: {error}") from error
        return False
