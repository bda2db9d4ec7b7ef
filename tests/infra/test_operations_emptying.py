"""A bucket and repositories are emptied of everything that keeps AWS from deleting them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from engine import moto_gaps
from firstword.infra.errors import InfraError
from firstword.infra.operations.emptying import Account
from firstword.infra.operations.purge import confirm
from moto import mock_aws

REGION = "eu-central-1"
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    with mock_aws(), moto_gaps.filled():
        yield Account(REGION)


def client(service: str) -> Any:
    return boto3.client(service, region_name=REGION)


def push(text: str, kind: str = MANIFEST, tagged: bool = True, **more: Any) -> str:
    """One image of the repository tts; gives its digest."""
    manifest = {"schemaVersion": 2, "mediaType": kind, "annotations": {"t": text}, **more}
    if kind == MANIFEST:
        manifest["layers"] = [{"digest": f"sha256:{text.encode().hex():0>64}", "size": 1}]
    answer = client("ecr").put_image(
        repositoryName="tts",
        imageManifest=json.dumps(manifest),
        imageManifestMediaType=kind,
        **({"imageTag": text} if tagged else {}),
        imageDigest=f"sha256:{text.encode().hex():0>64}",
    )
    return str(answer["image"]["imageId"]["imageDigest"])


def test_versions_markers_and_unfinished_uploads_go(account: Account) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="some-models", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_versioning(Bucket="some-models", VersioningConfiguration={"Status": "Enabled"})
    for number in range(1005):
        s3.put_object(Bucket="some-models", Key=f"k{number % 700}", Body=b"x")
    s3.delete_object(Bucket="some-models", Key="k1")
    s3.create_multipart_upload(Bucket="some-models", Key="half")
    assert account.empty_bucket("some-models") == 1006
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="some-models")
    s3.delete_bucket(Bucket="some-models")


def test_untagged_images_and_lists_of_platforms_go(account: Account) -> None:
    ecr = client("ecr")
    ecr.create_repository(repositoryName="tts")
    platforms = [push("amd"), push("arm", tagged=False)]
    push("all", INDEX, manifests=[{"digest": digest} for digest in platforms])
    assert account.empty_repository("tts") == len(platforms) + 1
    ecr.delete_repository(repositoryName="tts")


def test_what_does_not_exist_is_empty(account: Account) -> None:
    assert account.empty_bucket("nobodys-bucket") == 0
    assert account.empty_repository("nobodys") == 0
    assert account.delete_log_groups("/nobodys") == []


def test_log_groups_go_by_what_they_begin_with(account: Account) -> None:
    logs = client("logs")
    for name in ("/aws/x/dev-1", "/aws/x/dev-2", "/aws/x/other"):
        logs.create_log_group(logGroupName=name)
    assert account.delete_log_groups("/aws/x/dev-") == ["/aws/x/dev-1", "/aws/x/dev-2"]
    left = logs.describe_log_groups()["logGroups"]
    assert [group["logGroupName"] for group in left] == ["/aws/x/other"]


def test_purge_goes_on_only_when_the_environments_name_is_typed() -> None:
    confirm("dev", True, lambda question: " dev\n")
    with pytest.raises(InfraError, match="nothing was deleted"):
        confirm("dev", True, lambda question: "yes")
    with pytest.raises(InfraError, match="--yes"):
        confirm("dev", False, lambda question: "dev")
