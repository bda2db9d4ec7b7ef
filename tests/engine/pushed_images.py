"""pulumi-docker-build, answered by a real Docker engine: images are built, pushed and have digests.

They go to a registry on loopback, and their manifests into moto's ECR under the same digest.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.aws_world import Account, reason
from engine.images import MANIFEST_TYPE
from engine.provider import Properties, StandIn
from images.docker_engine import BUILD_S, Engine

DOCKER_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
PULL_S = 30


class PushedImage:
    """``docker-build:index:Image``, of one platform, with ``push``."""

    updatable = frozenset({"tags", "context", "dockerfile", "platforms", "target", "registries"})
    autoname = None

    def __init__(self, account: Account, folder: Path, engine: Engine, registry: str) -> None:
        self._account, self._folder = account, folder
        self._engine, self._registry = engine, registry

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        outputs = self._pushed(inputs)
        return str(outputs["ref"]), outputs

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        return self._pushed(new)

    def exists(self, ident: str, state: Properties) -> bool:
        return True

    def delete(self, ident: str, state: Properties) -> None:
        """What was pushed stays."""

    def _pushed(self, inputs: Properties) -> Properties:
        given: Mapping[str, Any] = inputs
        (tag,), (platform,) = given["tags"], given["platforms"]
        repository, _, name = tag.partition("/")[2].rpartition(":")
        here = f"{self._registry}/{repository}:{name}"
        target = ["--target", given["target"]] if given.get("target") else []
        self._engine(
            *("build", "--quiet", "--platform", platform, "--tag", here, *target),
            *("--file", str(self._folder / given["dockerfile"]["location"])),
            str(self._folder / given["context"]["location"]),
            timeout_s=BUILD_S,
        )
        self._engine("push", "--quiet", here, timeout_s=BUILD_S)
        self._engine("image", "rm", here)
        manifest, digest = manifest_of(self._registry, repository, name)
        self._account.client("ecr").put_image(
            repositoryName=repository,
            imageManifest=manifest.decode(),
            imageManifestMediaType=json.loads(manifest)["mediaType"],
            imageTag=name,
            imageDigest=digest,
        )
        return {**inputs, "digest": digest, "ref": f"{tag}@{digest}"}


def manifest_of(registry: str, repository: str, name: str) -> tuple[bytes, str]:
    """A manifest as the registry keeps it, by tag or digest, and its digest."""
    request = urllib.request.Request(f"http://{registry}/v2/{repository}/manifests/{name}")
    request.add_header("accept", f"{DOCKER_TYPE}, {MANIFEST_TYPE}")
    with urllib.request.urlopen(request, timeout=PULL_S) as answer:
        return answer.read(), str(answer.headers["docker-content-digest"])


def blob_of(registry: str, repository: str, digest: str) -> bytes:
    """A blob of the registry."""
    address = f"http://{registry}/v2/{repository}/blobs/{digest}"
    with urllib.request.urlopen(address, timeout=PULL_S) as answer:
        found: bytes = answer.read()
        return found


def stand_in(account: Account, folder: Path, engine: Engine, registry: str) -> StandIn:
    """The provider ``docker-build`` on this engine."""
    answers = {"docker-build:index:Image": PushedImage(account, folder, engine, registry)}
    return StandIn(answers, {}, version("pulumi-docker-build"), reason)
