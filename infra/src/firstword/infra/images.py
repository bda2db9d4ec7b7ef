"""A service's image in ECR, built from this tree when its files have changed, named by digest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pulumi_docker_build as docker_build

from firstword.infra.build_context import hash_context

CONTENT_CHARS = 12

CONTEXT = ".."
"""The repository's root as the engine's plugins see it: they run in the program's folder, infra/.

Relative, because an absolute path would make every other machine build and push again.
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one of the images is built. Paths are relative to the repository's root."""

    name: str
    dockerfile: str
    platform: docker_build.Platform
    target: str | None = None


SPEECH_IMAGE = Recipe(
    "tts", "services/tts/Dockerfile", docker_build.Platform.LINUX_AMD64, target="gpu"
)
AGENT_IMAGE = Recipe(
    "agent", "services/agent/Dockerfile", docker_build.Platform.LINUX_ARM64, target="agent"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceImageArgs:
    """``digest_ref`` names an image that exists; without it one is built from ``root``."""

    recipe: Recipe
    root: Path
    repository_url: pulumi.Input[str]
    digest_ref: str | None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


class ServiceImage(pulumi.ComponentResource):
    """Outputs ``uri``: ``REPOSITORY@sha256:...``, which no later push can change.

    Each state of the files is a resource of its own, with a tag of their hash and the time, as the
    repository lets no tag be used twice. Images stay in the repository when their resource goes:
    an endpoint that is rolled back needs the one before.
    """

    uri: pulumi.Output[str]

    def __init__(
        self, name: str, args: ServiceImageArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:ServiceImage", name, None, opts)
        if args.digest_ref is not None:
            self.uri = pulumi.Output.from_input(args.digest_ref)
        else:
            self.uri = self._built(name, args)
        self.register_outputs({"uri": self.uri})

    def _built(self, name: str, args: ServiceImageArgs) -> pulumi.Output[str]:
        recipe = args.recipe
        content = hash_context(args.root, args.root / recipe.dockerfile)[:CONTENT_CHARS]
        tag = f"{content}-{args.now():%Y%m%d%H%M%S}"
        url = pulumi.Output.from_input(args.repository_url)
        token = aws.ecr.get_authorization_token_output(opts=pulumi.InvokeOutputOptions(parent=self))
        image = docker_build.Image(
            f"{name}-{content}",
            docker_build.ImageArgs(
                push=True,
                build_on_preview=False,
                context=docker_build.BuildContextArgs(location=CONTEXT),
                dockerfile=docker_build.DockerfileArgs(location=f"{CONTEXT}/{recipe.dockerfile}"),
                platforms=[recipe.platform],
                target=recipe.target,
                tags=[pulumi.Output.format("{0}:{1}", url, tag)],
                registries=[
                    docker_build.RegistryArgs(
                        address=url.apply(lambda u: u.split("/")[0]),
                        username=token.user_name,
                        password=pulumi.Output.secret(token.password),
                    )
                ],
            ),
            opts=pulumi.ResourceOptions(
                parent=self, ignore_changes=["tags"], retain_on_delete=True
            ),
        )
        return pulumi.Output.format("{0}@{1}", url, image.digest)
