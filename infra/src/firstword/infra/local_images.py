"""The images of an environment on one Docker host: built by its engine, kept there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_docker_build as docker_build

from firstword.infra.build_context import hash_context
from firstword.infra.images import CONTENT_CHARS, CONTEXT
from firstword.infra.names import PROJECT


@dataclass(frozen=True, slots=True)
class LocalRecipe:
    """Which of a Dockerfile's targets is run here."""

    name: str
    dockerfile: str
    target: str


def local_recipes(*, gpu: bool, thinks: bool) -> tuple[LocalRecipe, ...]:
    """Speech server, agent and page; ``thinks``: the agent has the small language model inside."""
    return (
        LocalRecipe("tts", "services/tts/Dockerfile", "gpu" if gpu else "cpu"),
        LocalRecipe("agent", "services/agent/Dockerfile", "local" if thinks else "agent"),
        LocalRecipe("console", "services/console/Dockerfile", "console"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalImageArgs:
    """``root`` is the repository's, which the image is built from."""

    recipe: LocalRecipe
    root: Path


class LocalImage(pulumi.ComponentResource):
    """Outputs ``tag``, made of the files' hash: changed files give another image, others none."""

    tag: str

    def __init__(
        self, name: str, args: LocalImageArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:LocalImage", name, None, opts)
        recipe = args.recipe
        content = hash_context(args.root, args.root / recipe.dockerfile)[:CONTENT_CHARS]
        self.tag = f"{PROJECT}-{recipe.name}:{recipe.target}-{content}"
        docker_build.Image(
            name,
            docker_build.ImageArgs(
                push=False,
                load=True,
                build_on_preview=False,
                context=docker_build.BuildContextArgs(location=CONTEXT),
                dockerfile=docker_build.DockerfileArgs(location=f"{CONTEXT}/{recipe.dockerfile}"),
                target=recipe.target,
                tags=[self.tag],
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"tag": self.tag})
