"""pulumi-docker, answered by a real Docker engine: networks, volumes and containers that run.

Only what the product's program uses is known; anything else is refused, so that it cannot pass
unseen. Refusals are the engine's own.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from engine.provider import Answer, Properties, RefusedError, StandIn
from images.docker_engine import BUILD_S, Engine, EngineError

MIB = 1 << 20
ATTACH_S = 900

type Options = Callable[[Any], Sequence[str]]


@dataclass(frozen=True)
class Named:
    """A network or a volume: made by name, which is its id."""

    engine: Engine
    noun: str
    options: Mapping[str, Options]
    updatable: frozenset[str] = frozenset()
    autoname: str | None = "name"

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        name = str(inputs["name"])
        # The engine takes a second volume of one name for the first one.
        if self.exists(name, inputs):
            raise RefusedError(f"{self.noun} {name} is there already")
        self.engine(self.noun, "create", *_options(self.options, inputs), name)
        return name, dict(inputs)

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        raise RefusedError(f"a {self.noun} cannot be changed")

    def exists(self, ident: str, state: Properties) -> bool:
        return ident in self.engine(self.noun, "ls", "--format", "{{.Name}}").splitlines()

    def delete(self, ident: str, state: Properties) -> None:
        if self.exists(ident, state):
            self.engine(self.noun, "rm", ident)


@dataclass(frozen=True)
class Containers:
    """Containers: created, joined to their networks, started, waited for as the program asks."""

    engine: Engine
    updatable: frozenset[str] = frozenset()
    autoname: str | None = "name"

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        name = str(inputs["name"])
        command = [str(part) for part in cast(list[object], inputs.get("command", []))]
        options = _options(CONTAINER, inputs)
        ident = self.engine("create", *options, str(inputs["image"]), *command)
        try:
            self.engine("start", ident)
            if inputs.get("attach"):
                self._attend(ident, must_run=bool(inputs.get("mustRun", True)))
            elif inputs.get("wait"):
                self._healthy(name, float(cast(float, inputs.get("waitTimeout", 60))))
        except (EngineError, RefusedError):
            self.engine("rm", "--force", "--volumes", ident)
            raise
        return ident, dict(inputs)

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        raise RefusedError("a container cannot be changed")

    def exists(self, ident: str, state: Properties) -> bool:
        known = self.engine("ps", "--all", "--no-trunc", "--format", "{{.ID}}")
        return ident in known.splitlines()

    def delete(self, ident: str, state: Properties) -> None:
        if self.exists(ident, state):
            grace = int(cast(float, state.get("destroyGraceSeconds", 0)))
            if grace:
                self.engine("stop", "--time", str(grace), ident)
            self.engine("rm", "--force", "--volumes", ident)

    def _attend(self, ident: str, *, must_run: bool) -> None:
        status = self.engine("wait", ident, timeout_s=ATTACH_S)
        if status != "0" and must_run:
            raise RefusedError(f"the container ended with {status}:\n{self._logs(ident)}")

    def _healthy(self, name: str, within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while True:
            state = json.loads(self.engine("inspect", "--format", "{{json .State}}", name))
            if state["Health"]["Status"] == "healthy":
                return
            if not state["Running"] or time.monotonic() > deadline:
                raise RefusedError(f"{name} does not become healthy:\n{self._logs(name)}")
            time.sleep(0.5)

    def _logs(self, ident: str) -> str:
        return self.engine.logs(ident)[-4000:]


@dataclass(frozen=True)
class LoadedImages:
    """Images of pulumi-docker-build that the engine itself keeps, none of them pushed.

    ``folder`` is where a plugin would run: paths are relative to it.
    """

    engine: Engine
    folder: Path
    updatable: frozenset[str] = frozenset({"tags", "context", "dockerfile", "target"})
    autoname: str | None = None

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        options = _options(IMAGE, inputs)
        if not inputs.get("load") or inputs.get("push"):
            raise RefusedError("the stand-in knows images that are loaded, not pushed")
        context = cast(dict[str, str], inputs["context"])["location"]
        dockerfile = cast(dict[str, str], inputs["dockerfile"])["location"]
        command = ["build", "--quiet", "-f", str((self.folder / dockerfile).resolve()), *options]
        ident = self.engine(*command, str((self.folder / context).resolve()), timeout_s=BUILD_S)
        tags = cast(list[str], inputs["tags"])
        return ident, {**inputs, "digest": ident, "ref": tags[0], "contextHash": ident}

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        return self.create(new)[1]

    def exists(self, ident: str, state: Properties) -> bool:
        tags = cast(list[str], state["tags"])
        known = self.engine("images", "--format", "{{.Repository}}:{{.Tag}}").splitlines()
        return all(tag in known for tag in tags)

    def delete(self, ident: str, state: Properties) -> None:
        """Nothing, as the real one: an image that was not pushed stays with the engine."""


def stand_in(engine: Engine) -> StandIn:
    """The provider ``docker`` for this engine."""
    answers: dict[str, Answer] = {
        "docker:index/network:Network": Named(engine, "network", NETWORK),
        "docker:index/volume:Volume": Named(engine, "volume", VOLUME),
        "docker:index/container:Container": Containers(engine),
    }
    return StandIn(answers, {}, version("pulumi-docker"), str)


def build_stand_in(engine: Engine, folder: Path) -> StandIn:
    """The provider ``docker-build`` for images that stay with this engine."""
    answers: dict[str, Answer] = {"docker-build:index:Image": LoadedImages(engine, folder)}
    return StandIn(answers, {}, version("pulumi-docker-build"), str)


def _options(known: Mapping[str, Options], inputs: Properties) -> list[str]:
    unknown = sorted(set(inputs) - set(known))
    if unknown:
        raise RefusedError(f"the stand-in does not know {', '.join(unknown)}")
    return [part for name, value in inputs.items() for part in known[name](value)]


def _nothing(value: Any) -> Sequence[str]:
    return ()


def _option(name: str) -> Options:
    return lambda value: (name, f"{value:g}" if isinstance(value, float) else str(value))


def _each(name: str, shown: Callable[[Any], str] = str) -> Options:
    return lambda values: [part for value in values for part in (name, shown(value))]


def _pairs(name: str, between: str) -> Options:
    return lambda values: [p for k, v in values.items() for p in (name, f"{k}{between}{v}")]


def _networks(values: Any) -> Iterator[str]:
    if len(values) != 1:
        raise RefusedError("the stand-in knows containers in one network only")
    yield from ("--network", values[0]["name"])
    for alias in values[0].get("aliases", []):
        yield from ("--network-alias", alias)


def _mount(value: Any) -> str:
    mount = f"type={value['type']},source={value['source']},target={value['target']}"
    return mount + (",readonly" if value.get("readOnly") else "")


def _port(value: Any) -> str:
    return f"{value['ip']}:{value['external']:g}:{value['internal']:g}"


def _health(value: Any) -> Iterator[str]:
    kind, *command = value["tests"]
    if kind != "CMD":
        raise RefusedError("the stand-in knows health checks of kind CMD only")
    # The command line has the shell's kind only: quoted, it is the same.
    yield from ("--health-cmd", shlex.join(command))
    for name in ("interval", "timeout"):
        yield from (f"--health-{name}", value[name])
    yield from ("--health-start-period", value["startPeriod"])
    yield from ("--health-retries", f"{value['retries']:g}")


IMAGE: Mapping[str, Options] = {
    **dict.fromkeys(("context", "dockerfile", "load", "push", "buildOnPreview"), _nothing),
    # The provider says "default" itself.
    "network": _option("--network"),
    "target": _option("--target"),
    "tags": _each("--tag"),
}
NETWORK: Mapping[str, Options] = {"name": _nothing, "driver": _option("--driver")}
VOLUME: Mapping[str, Options] = {"name": _nothing}
CONTAINER: Mapping[str, Options] = {
    **dict.fromkeys(("image", "command", "attach", "mustRun", "wait", "waitTimeout"), _nothing),
    "destroyGraceSeconds": _nothing,
    "name": _option("--name"),
    "envs": _each("--env"),
    "networksAdvanced": lambda values: list(_networks(values)),
    "ports": _each("--publish", _port),
    "hosts": _each("--add-host", lambda value: f"{value['host']}:{value['ip']}"),
    "mounts": _each("--mount", _mount),
    "gpus": _option("--gpus"),
    "readOnly": lambda value: ["--read-only"] if value else [],
    "tmpfs": _pairs("--tmpfs", ":"),
    "capabilities": lambda value: _each("--cap-drop")(value["drops"]),
    "securityOpts": _each("--security-opt"),
    "memory": lambda value: ["--memory", str(int(value * MIB))],
    "memorySwap": lambda value: ["--memory-swap", str(int(value * MIB))],
    "restart": _option("--restart"),
    "stopTimeout": _option("--stop-timeout"),
    "logDriver": _option("--log-driver"),
    "logOpts": _pairs("--log-opt", "="),
    "healthcheck": lambda value: list(_health(value)),
}
"""Inputs of a container as options of ``docker create``."""
