"""pulumi-docker-build, answered without Docker: a digest is that of what an image is built from.

For tests that are about Pulumi. The manifests lie in moto's ECR, so what names a digest that was
never pushed is refused, as by AWS.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.aws_world import Account, reason
from engine.provider import Properties, RefusedError, StandIn

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


class BuiltImage:
    """``docker-build:index:Image``: builds when it is made or changed, forgets when it is deleted.

    ``program_folder`` is what relative paths are relative to, as the engine's plugins see it.
    """

    updatable = frozenset(
        {"tags", "context", "dockerfile", "platforms", "target", "push", "registries", "labels"}
    )
    autoname = None

    def __init__(self, account: Account, program_folder: Path) -> None:
        self._account, self._folder = account, program_folder

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        outputs = self._built(inputs)
        return str(outputs["ref"]), outputs

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        return self._built(new)

    def exists(self, ident: str, state: Properties) -> bool:
        return True

    def delete(self, ident: str, state: Properties) -> None:
        """The real provider leaves what was pushed alone, too."""

    def _built(self, inputs: Properties) -> Properties:
        given: Mapping[str, Any] = inputs
        dockerfile = self._folder / given["dockerfile"]["location"]
        if not dockerfile.is_file():
            raise RefusedError(f"failed to read dockerfile: {dockerfile} does not exist")
        # No two real builds are alike to the byte: the tag, which has the time in it, counts too.
        made_of = hashlib.sha256(f"{given['tags'][0]}\n".encode() + dockerfile.read_bytes())
        for path in sorted(dockerfile.parent.rglob("*")):
            if path.is_file():
                made_of.update(path.name.encode() + path.read_bytes())
        layer = f"sha256:{made_of.hexdigest()}"
        digest = put_image(self._account, given["tags"][0], layer)
        return {**inputs, "digest": digest, "ref": f"{given['tags'][0]}@{digest}"}


def put_image(account: Account, tag: str, layer: str) -> str:
    """Push an image of one layer as ``REGISTRY/REPOSITORY:TAG``; gives its digest."""
    repository, _, name = tag.partition("/")[2].rpartition(":")
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": {"mediaType": "application/json", "size": 2, "digest": layer},
            "layers": [{"mediaType": "application/gzip", "size": 1, "digest": layer}],
        }
    )
    digest = f"sha256:{hashlib.sha256(manifest.encode()).hexdigest()}"
    account.client("ecr").put_image(
        repositoryName=repository,
        imageManifest=manifest,
        imageManifestMediaType=MANIFEST_TYPE,
        imageTag=name,
        imageDigest=digest,
    )
    return digest


def put_platforms(account: Account, repository: str, digests: list[str]) -> str:
    """Push a list of platforms that refers to ``digests``; gives its digest."""
    kind = "application/vnd.oci.image.index.v1+json"
    entries = [{"mediaType": MANIFEST_TYPE, "size": 1, "digest": each} for each in digests]
    manifest = json.dumps({"schemaVersion": 2, "mediaType": kind, "manifests": entries})
    digest = f"sha256:{hashlib.sha256(manifest.encode()).hexdigest()}"
    account.client("ecr").put_image(
        repositoryName=repository,
        imageManifest=manifest,
        imageManifestMediaType=kind,
        imageTag="all-platforms",
        imageDigest=digest,
    )
    return digest


def stand_in(account: Account, program_folder: Path) -> StandIn:
    """The provider ``docker-build``."""
    answers = {"docker-build:index:Image": BuiltImage(account, program_folder)}
    return StandIn(answers, {}, version("pulumi-docker-build"), reason)
