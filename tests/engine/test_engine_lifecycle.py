"""The whole life of an environment through the real Pulumi engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.images import put_platforms
from engine.site import Site, leftovers

pytestmark = [pytest.mark.pulumi, pytest.mark.timeout(1500)]

ELSEWHERE = {"environment": "prod-2", "region": "eu-central-1", "account": "987654321098"}
"""Of the kind prod by its name: two machines, and a network without a way to the internet."""


def succeeded(run: object) -> None:
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"  # type: ignore[attr-defined]


def test_plain_pulumi_previews_brings_up_and_takes_down_the_stacks_in_order(site: Site) -> None:
    _, endpoint, agent = site.stacks
    for stack in site.stacks:
        succeeded(site.pulumi("stack", "select", "--create", stack))
        site.aws.journal.steps.clear()
        succeeded(site.pulumi("preview", "--stack", stack))
        assert site.aws.journal.changes == []
        succeeded(site.pulumi("up", "--yes", "--skip-preview", "--stack", stack))
    described = site.account.client("sagemaker").describe_endpoint(EndpointName="firstword-dev-tts")
    assert described["EndpointStatus"] == "InService"

    for stack in site.stacks:
        site.aws.journal.steps.clear()
        succeeded(site.pulumi("up", "--yes", "--expect-no-changes", "--stack", stack))
        assert site.aws.journal.changes == []

    for stack in (agent, endpoint):
        succeeded(site.pulumi("destroy", "--yes", "--stack", stack))
    left = leftovers(site.account)
    assert left["buckets"]
    assert not left["endpoints"] + left["runtimes"] + left["models"] + left["alarms"]


@pytest.mark.parametrize("place", [{}, ELSEWHERE], ids=["dev", "prod elsewhere"])
def test_an_environment_is_deployed_replaced_taken_down_and_purged_to_nothing(
    sites: Callable[..., Site], place: dict[str, str]
) -> None:
    site = sites(**place)
    name = site.environment
    deployed = site.firstword("deploy", name)
    succeeded(deployed)
    assert f"runtimeArn: arn:aws:bedrock-agentcore:{site.account.region}:" in deployed.stdout
    created = len(site.aws.journal.of("create"))

    succeeded(site.firstword("deploy", name))
    assert len(site.aws.journal.of("create", "update", "delete")) == created

    status = site.firstword("status", name)
    succeeded(status)
    assert f"endpointName: firstword-{name}-tts" in status.stdout

    replaced_before_deleted(site)

    early = site.firstword("purge", name, "--yes")
    assert early.returncode == 1
    assert f"{name}-endpoint and {name}-agent still need it" in early.stderr

    destroyed = site.firstword("destroy", name)
    succeeded(destroyed)
    assert f"{name}-foundation stays" in destroyed.stderr
    assert "USD a month" in destroyed.stderr

    nobody_there = site.firstword("purge", name)
    assert nobody_there.returncode == 1
    assert "--yes" in nobody_there.stderr
    assert leftovers(site.account)["buckets"]

    fill_with_leavings(site)
    succeeded(site.firstword("purge", name, "--yes"))
    assert {kind: found for kind, found in leftovers(site.account).items() if found} == {}


def replaced_before_deleted(site: Site) -> None:
    """New weights, then a new image: new model and configuration first, the endpoint stays."""
    sagemaker = site.account.client("sagemaker")
    endpoint = f"firstword-{site.environment}-tts"
    for change in (
        lambda: site.new_weights(b"a graph of another pin"),
        lambda: site.change_speech_server("another image"),
    ):
        before = sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointConfigName"]
        change()
        site.aws.journal.steps.clear()
        succeeded(site.firstword("deploy", site.environment))
        steps = [
            (step.verb, step.token.split(":")[-1])
            for step in site.aws.journal.steps
            if step.verb in ("create", "update", "delete")
        ]
        assert steps == [
            ("create", "Model"),
            ("create", "EndpointConfiguration"),
            ("update", "Endpoint"),
            ("delete", "EndpointConfiguration"),
            ("delete", "Model"),
        ]
        after = sagemaker.describe_endpoint(EndpointName=endpoint)
        assert after["EndpointStatus"] == "InService"
        assert after["EndpointConfigName"] != before


def fill_with_leavings(site: Site) -> None:
    """What gathers in an account: old versions, delete markers, unfinished uploads, lists."""
    account, name = site.account, site.environment
    s3 = account.client("s3")
    bucket = s3.list_buckets()["Buckets"][0]["Name"]
    for body in (b"one", b"two"):
        s3.put_object(Bucket=bucket, Key="models/x", Body=body)
    s3.delete_object(Bucket=bucket, Key="models/x")
    s3.create_multipart_upload(Bucket=bucket, Key="models/half")
    repository = f"firstword/{name}/tts"
    images = account.client("ecr").list_images(repositoryName=repository)["imageIds"]
    put_platforms(account, repository, [image["imageDigest"] for image in images])
