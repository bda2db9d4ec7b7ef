"""What is said about one stack setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from firstword.infra.names import Part
from firstword.infra.values import Parse

type Kind = Literal["dev", "prod", "local"]
type Room = Part | Literal["local"]

ALL: tuple[Room, ...] = ("foundation", "endpoint", "agent", "local")
AWS: tuple[Room, ...] = ("foundation", "endpoint", "agent")

IMAGE = r"[a-z0-9.\-:]+(/[a-z0-9._\-]+)+@sha256:[0-9a-f]{64}"
"""An image by digest."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting, ``firstword:NAME`` in a stack's file.

    ``default`` of None: it may be left out, and then nothing is set. A mapping has one default for
    each kind of environment.
    """

    name: str
    rooms: tuple[Room, ...]
    parse: Parse
    about: str
    default: object = None
    required: bool = False
    example: str = ""

    def default_of(self, kind: Kind) -> object:
        """What holds in an environment of that kind when the stack's file says nothing."""
        return self.default[kind] if isinstance(self.default, Mapping) else self.default


def by_kind(dev: object, prod: object) -> Mapping[Kind, object]:
    """Defaults that differ between trying out and production."""
    return {"dev": dev, "prod": prod, "local": dev}
