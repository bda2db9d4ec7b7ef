"""Images that are really built and pushed stand in the endpoint's model and the agent's runtime."""

from __future__ import annotations

import hashlib
import json
import os
from functools import partial
from pathlib import Path

import pytest
from engine import pushed_images
from engine.aws_world import Account
from engine.site import opened
from images.docker_engine import Engine

pytestmark = [pytest.mark.pulumi, pytest.mark.docker, pytest.mark.timeout(1500)]


def test_what_was_pushed_is_what_is_deployed_for_its_platform(
    pulumi: Path, aws_url: str, tmp_path: Path
) -> None:
    registry = os.environ.get("FIRSTWORD_REGISTRY")
    assert registry, 'no registry: eval "$(tools/docker/up)"'
    account = Account.fresh(aws_url)
    build = partial(pushed_images.stand_in, engine=Engine.found(), registry=registry)
    with opened(tmp_path, pulumi, account, "dev", build) as site:
        assert (run := site.firstword("deploy", "dev")).returncode == 0, run.stderr
        built = len(site.builder.journal.changes)
        assert (run := site.firstword("deploy", "dev")).returncode == 0, run.stderr
        assert len(site.builder.journal.changes) == built

    sagemaker = account.client("sagemaker")
    model = sagemaker.describe_model(ModelName=sagemaker.list_models()["Models"][0]["ModelName"])
    control = account.client("bedrock-agentcore-control")
    ident = control.list_agent_runtimes()["agentRuntimes"][0]["agentRuntimeId"]
    artifact = control.get_agent_runtime(agentRuntimeId=ident)["agentRuntimeArtifact"]
    for image, architecture in (
        (model["PrimaryContainer"]["Image"], "amd64"),
        (artifact["containerConfiguration"]["containerUri"], "arm64"),
    ):
        repository, _, digest = image.partition("/")[2].partition("@")
        manifest, _ = pushed_images.manifest_of(registry, repository, digest)
        assert f"sha256:{hashlib.sha256(manifest).hexdigest()}" == digest
        config = json.loads(manifest)["config"]["digest"]
        described = pushed_images.blob_of(registry, repository, config)
        assert json.loads(described)["architecture"] == architecture
