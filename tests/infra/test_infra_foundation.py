"""The foundation: a closed bucket, repositories whose tags stay, roles, logs that end."""

from __future__ import annotations

import json

from infra.environments import Environment
from infra.planning import ACCOUNT, Plan

BUCKET = "aws:s3/bucket:Bucket"
REPOSITORY = "aws:ecr/repository:Repository"


def test_the_bucket_is_versioned_encrypted_closed_and_tidied_up(dev: Environment) -> None:
    plan = dev.foundation({"oldVersionDays": 5})
    bucket = plan.one(BUCKET)
    assert bucket.inputs["bucket"] == f"firstword-dev-{ACCOUNT}-us-west-2"
    versioning = plan.one("aws:s3/bucketVersioning:BucketVersioning").inputs
    assert versioning["versioningConfiguration"] == {"status": "Enabled"}
    encryption = plan.one(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    ).inputs
    assert encryption["rules"] == [
        {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    ]
    closed = plan.one("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock").inputs
    assert all(value for name, value in closed.items() if name != "bucket")
    assert len(closed) == 5
    lifecycle = plan.one("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
    (rule,) = lifecycle.inputs["rules"]
    assert rule["noncurrentVersionExpiration"] == {"noncurrentDays": 5}
    assert rule["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 1}
    assert "expiration" not in rule, "weights in use must never expire"


def test_repositories_keep_their_tags_are_scanned_and_lose_old_images(dev: Environment) -> None:
    plan = dev.foundation({"imagesKept": 7})
    assert {r.inputs["name"] for r in plan.all(REPOSITORY)} == {
        "firstword/dev/tts",
        "firstword/dev/agent",
    }
    for repository in plan.all(REPOSITORY):
        assert repository.inputs["imageTagMutability"] == "IMMUTABLE"
        assert repository.inputs["imageScanningConfiguration"] == {"scanOnPush": True}
    for policy in plan.all("aws:ecr/lifecyclePolicy:LifecyclePolicy"):
        untagged, surplus = json.loads(policy.inputs["policy"])["rules"]
        assert untagged["selection"]["tagStatus"] == "untagged"
        assert surplus["selection"]["countNumber"] == 7
        assert surplus["selection"]["tagStatus"] == "any"


def test_nothing_with_contents_is_deleted_unless_the_settings_say_so(dev: Environment) -> None:
    for wanted in (False, True):
        plan = dev.foundation({"forceDestroy": wanted})
        assert plan.one(BUCKET).inputs["forceDestroy"] is wanted
        assert {r.inputs["forceDelete"] for r in plan.all(REPOSITORY)} == {wanted}


def test_logs_end(dev: Environment, prod: Environment) -> None:
    group = "aws:cloudwatch/logGroup:LogGroup"
    days = {g.inputs["retentionInDays"] for g in dev.foundation().all(group)}
    assert days == {14}
    names = {g.inputs["name"] for g in prod.foundation().all(group)}
    assert names == {
        "/aws/sagemaker/Endpoints/firstword-prod-tts",
        "/aws/vendedlogs/bedrock-agentcore/firstword-prod",
    }


def test_every_resource_is_made_by_the_provider_of_the_stated_region_and_account(
    dev: Environment,
) -> None:
    plan = dev.foundation({"account": ACCOUNT, "tags": {"CostCenter": "v", "Project": "mine"}})
    provider = plan.one("pulumi:providers:aws")
    assert provider.inputs["region"] == "us-west-2"
    assert json.loads(provider.inputs["allowedAccountIds"]) == [ACCOUNT]
    assert json.loads(provider.inputs["defaultTags"])["tags"] == {
        "CostCenter": "v",
        "Project": "firstword",
        "Environment": "dev",
        "Stack": "foundation",
        "ManagedBy": "pulumi",
    }
    assert all(resource.provider.startswith(provider.urn) for resource in plan.cloud)
    assert plan.calls == [], "the account is stated; nobody needs to be asked"


def test_tags_reach_every_resource_of_every_stack(plans: list[Plan]) -> None:
    for plan in plans:
        provider = plan.one("pulumi:providers:aws")
        tags = json.loads(provider.inputs["defaultTags"])["tags"]
        assert set(tags) == {"Project", "Environment", "Stack", "ManagedBy"}
        made_by_us = [r for r in plan.cloud if r.type.startswith("aws:")]
        assert made_by_us
        assert all(r.provider.startswith(provider.urn) for r in made_by_us)
