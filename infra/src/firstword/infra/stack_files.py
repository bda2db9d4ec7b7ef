"""``Pulumi.<stack>.yaml``: found, read and written, without Pulumi."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from firstword.infra.errors import InfraError, SettingError
from firstword.infra.keys import Key, Kind, Room
from firstword.infra.names import PROJECT, split_stack_name, stack_names
from firstword.infra.reading import read_settings
from firstword.infra.schema import keys_of
from firstword.infra.settings import Settings

WIDTH = 96


def repository_root(start: Path) -> Path:
    """The folder with the project's Pulumi.yaml, at or above ``start``.

    Raises:
        InfraError: there is none.
    """
    for folder in (start, *start.parents):
        project = folder / "Pulumi.yaml"
        if project.is_file() and f"name: {PROJECT}\n" in project.read_text(encoding="utf-8"):
            return folder
    raise InfraError(f"no Pulumi.yaml of {PROJECT} at or above {start}: run this in the clone")


def stack_file(root: Path, stack: str) -> Path:
    """Where a stack's settings are."""
    return root / f"Pulumi.{stack}.yaml"


def stacks_of(root: Path, environment: str) -> tuple[str, ...]:
    """The stacks of an environment that `firstword init` has made, the first one first.

    Raises:
        InfraError: it has none.
    """
    for kind in ("local", "dev"):
        stacks = stack_names(environment, kind)
        if stack_file(root, stacks[0]).is_file():
            return stacks
    known = sorted({split_stack_name(p.name[7:-5])[0] for p in root.glob("Pulumi.*.yaml")})
    listed = f"; there are: {', '.join(known)}" if known else ""
    raise InfraError(
        f"no environment {environment}{listed}. Make it with `firstword init {environment}`"
    )


def read_stack(root: Path, stack: str) -> Settings:
    """The settings of a stack from its file.

    Raises:
        SettingError: the file cannot be read, or holds a setting that cannot be used.
    """
    path = stack_file(root, stack)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        config: Mapping[str, Any] = data["config"]
        prefix = f"{PROJECT}:"
        values = {k.removeprefix(prefix): v for k, v in config.items() if k.startswith(prefix)}
    except (OSError, yaml.YAMLError, TypeError, KeyError, AttributeError) as error:
        raise SettingError(
            f"{path} cannot be read ({type(error).__name__}): it must be YAML with a map config"
        ) from error
    return read_settings(stack, values)


def write_stack(room: Room, kind: Kind, values: Mapping[str, object]) -> str:
    """The text of a stack's file: what is set, and every other setting as a comment."""
    lines = [
        f"# {ABOUT[room]}",
        "# A line without # sets something; the others show what holds without them.",
        "config:",
    ]
    for key in keys_of(room):
        lines += [f"  # {line}" for line in textwrap.wrap(_about(key, kind), WIDTH - 4)]
        if key.name in values:
            lines.append(f"  {PROJECT}:{key.name}: {scalar(values[key.name])}")
        else:
            lines.append(f"  # {PROJECT}:{key.name}: {_shown(key, kind)}")
    return "\n".join(lines) + "\n"


ABOUT: Mapping[Room, str] = {
    "foundation": "What stays when the other stacks go: weights, images, roles, logs.",
    "endpoint": "The voice: a SageMaker endpoint that scales.",
    "agent": "The mind: an agent on Bedrock AgentCore.",
    "local": "All of it on one Docker host.",
}


def _about(key: Key, kind: Kind) -> str:
    unset = not key.required and key.default_of(kind) in (None, ())
    return f"{key.about} (not set; as an example)" if unset else key.about


def _shown(key: Key, kind: Kind) -> str:
    default = key.default_of(kind)
    return key.example if default in (None, ()) and key.example else scalar(default)


def scalar(value: object) -> str:
    """A value as YAML on one line."""
    if value is None:
        return "..."
    if isinstance(value, tuple):
        value = list(value)
    return (
        yaml.safe_dump(value, default_flow_style=True, width=10_000).strip().removesuffix("\n...")
    )
