"""All of it on one Docker host, without AWS: speech server, agent and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_docker as docker

from firstword.infra.environment import local_agent_environment, local_speech_environment
from firstword.infra.local_images import LocalImage, LocalImageArgs, local_recipes
from firstword.infra.names import PROJECT
from firstword.infra.settings import LocalSettings

MODEL_PATH = "/opt/ml/model"
KERNELS_PATH = "/var/cache/firstword"
"""Where the speech server's image has folders for volumes."""

SPEECH, AGENT, PAGE = "tts", "agent", "page"
"""Names of the containers in their network."""

PORT, PAGE_PORT = 8080, 8000

START_S = 600
"""How long a container may take to be healthy; on slow cores kernels are compiled for a minute."""

LOGS: Mapping[str, str] = {"max-size": "10m", "max-file": "3"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Most that a container may use, and how long it may take to end."""

    memory_mib: int
    stop_s: int = 30


LIMITS: Mapping[str, Limits] = {
    SPEECH: Limits(memory_mib=4096),
    AGENT: Limits(memory_mib=2048),
    PAGE: Limits(memory_mib=256, stop_s=10),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalHostArgs:
    """``root`` is the repository's, which the images are built from."""

    settings: LocalSettings
    root: Path


class LocalHost(pulumi.ComponentResource):
    """Network, volumes and three containers. ``page_url`` is where the page can be opened.

    Nothing but the page's port is published. The containers run as their images' user, with a
    read-only file system and without capabilities; the engine starts them again when they end.
    """

    page_url: pulumi.Output[str]

    def __init__(
        self, name: str, args: LocalHostArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:LocalHost", name, None, opts)
        self._settings = args.settings
        self._prefix = f"{PROJECT}-{args.settings.environment}"
        self._network = docker.Network(
            "network",
            docker.NetworkArgs(name=self._prefix, driver="bridge"),
            opts=pulumi.ResourceOptions(parent=self),
        )
        recipes = local_recipes(gpu=args.settings.gpu, thinks=args.settings.llm == "local")
        images = {
            recipe.name: LocalImage(
                recipe.name,
                LocalImageArgs(recipe=recipe, root=args.root),
                opts=pulumi.ResourceOptions(parent=self),
            )
            for recipe in recipes
        }
        speech = self._speech(images["tts"])
        agent = self._agent(images["agent"], speech)
        page = self._page(images["console"], [speech, agent])
        self.page_url = page.id.apply(lambda _: page_url(args.settings))
        self.register_outputs({"page_url": self.page_url})

    def _speech(self, image: LocalImage) -> docker.Container:
        model, filled = self._model(image)
        kernels = self._volume("kernels")
        return self._container(
            SPEECH,
            image,
            command=["serve"],
            environment=local_speech_environment(self._settings),
            mounts=[
                docker.ContainerMountArgs(
                    type="bind" if self._settings.model_folder else "volume",
                    source=model,
                    target=MODEL_PATH,
                    read_only=True,
                ),
                docker.ContainerMountArgs(type="volume", source=kernels.name, target=KERNELS_PATH),
            ],
            after=filled,
            gpus="all" if self._settings.gpu else None,
        )

    def _model(self, image: LocalImage) -> tuple[pulumi.Input[str], list[pulumi.Resource]]:
        """Where the weights are, and what must be done before they can be read."""
        if self._settings.model_folder is not None:
            return self._settings.model_folder, []
        volume = self._volume("model")
        fetch = docker.Container(
            "fetch",
            docker.ContainerArgs(
                name=f"{self._prefix}-fetch",
                image=image.tag,
                command=["models", "fetch", "--dir", MODEL_PATH],
                attach=True,
                must_run=False,
                restart="no",
                mounts=[
                    docker.ContainerMountArgs(type="volume", source=volume.name, target=MODEL_PATH)
                ],
                capabilities=docker.ContainerCapabilitiesArgs(drops=["ALL"]),
                log_driver="json-file",
                log_opts=LOGS,
            ),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[image]),
        )
        return volume.name, [fetch]

    def _agent(self, image: LocalImage, speech: docker.Container) -> docker.Container:
        return self._container(
            AGENT,
            image,
            command=["serve"],
            environment=local_agent_environment(self._settings, f"ws://{SPEECH}:{PORT}"),
            after=[speech],
            # So that FIRSTWORD_LLM_BASE_URL can name a server on the host itself.
            hosts=[docker.ContainerHostArgs(host="host.docker.internal", ip="host-gateway")],
        )

    def _page(self, image: LocalImage, after: Sequence[pulumi.Resource]) -> docker.Container:
        settings = self._settings
        token = ["--token", settings.page_token] if settings.page_token else ["--no-token"]
        return self._container(
            PAGE,
            image,
            command=pulumi.Output.secret(
                ["--agent", f"http://{AGENT}:{PORT}", "--tts", f"http://{SPEECH}:{PORT}", *token]
            ),
            environment={},
            port=PAGE_PORT,
            after=after,
            ports=[
                docker.ContainerPortArgs(
                    internal=PAGE_PORT, external=settings.page_port, ip=settings.page_host
                )
            ],
        )

    def _volume(self, name: str) -> docker.Volume:
        return docker.Volume(
            name,
            docker.VolumeArgs(name=f"{self._prefix}-{name}"),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _container(
        self,
        name: str,
        image: LocalImage,
        *,
        command: pulumi.Input[Sequence[pulumi.Input[str]]],
        environment: Mapping[str, str],
        port: int = PORT,
        mounts: Sequence[docker.ContainerMountArgs] = (),
        after: Sequence[pulumi.Resource] = (),
        ports: Sequence[docker.ContainerPortArgs] = (),
        hosts: Sequence[docker.ContainerHostArgs] = (),
        gpus: str | None = None,
    ) -> docker.Container:
        limits = LIMITS[name]
        return docker.Container(
            name,
            docker.ContainerArgs(
                name=f"{self._prefix}-{name}",
                image=image.tag,
                command=command,
                envs=[f"{key}={value}" for key, value in sorted(environment.items())],
                networks_advanced=[
                    docker.ContainerNetworksAdvancedArgs(name=self._network.name, aliases=[name])
                ],
                ports=list(ports),
                hosts=list(hosts),
                mounts=list(mounts),
                gpus=gpus,
                read_only=True,
                # The speech server loads a library from there.
                tmpfs={"/tmp": "exec"},  # noqa: S108 - a container's own
                capabilities=docker.ContainerCapabilitiesArgs(drops=["ALL"]),
                security_opts=["no-new-privileges:true"],
                memory=limits.memory_mib,
                memory_swap=limits.memory_mib,
                restart="unless-stopped",
                destroy_grace_seconds=limits.stop_s,
                stop_timeout=limits.stop_s,
                log_driver="json-file",
                log_opts=LOGS,
                healthcheck=docker.ContainerHealthcheckArgs(
                    tests=["CMD", "python", "-c", _ping(port)],
                    interval="5s",
                    timeout="5s",
                    retries=12,
                    start_period=f"{START_S}s",
                ),
                wait=True,
                wait_timeout=START_S,
            ),
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[image, *after], delete_before_replace=True
            ),
        )


def _ping(port: int) -> str:
    """A program that fails unless the server in its container is healthy."""
    return f"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}/ping', timeout=4)"


def page_url(settings: LocalSettings) -> str:
    """Where the page can be opened: on the host itself when it listens on every address."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(  # noqa: S104 - compared, not bound
        settings.page_host, settings.page_host
    )
    shown = f"[{host}]" if ":" in host else host
    token = f"/?token={settings.page_token}" if settings.page_token else ""
    return f"http://{shown}:{settings.page_port}{token}"
