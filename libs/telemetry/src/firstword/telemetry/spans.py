"""The seam between what happens and whoever records it: spans, without a library behind them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

from firstword.telemetry.trace import TraceContext

type Kind = Literal["internal", "server", "client"]
type Value = str | bool | int | float
"""What an attribute holds: an id, a length, a time, a code. Never text or audio."""


class Span(Protocol):
    """Something that takes time. It is recorded when it has ended."""

    @property
    def context(self) -> TraceContext:
        """What its children, here or in the next process, are told as their parent."""
        ...

    def set(self, attributes: Mapping[str, Value]) -> None: ...

    def fail(self, code: str) -> None:
        """Mark it as failed, with the error's code."""
        ...

    def end(self) -> None: ...

    def current(self) -> AbstractContextManager[object]:
        """While it lasts, spans of libraries in the same task become children of this one."""
        ...


class Spans(Protocol):
    """Begins spans."""

    def start(
        self,
        name: str,
        parent: TraceContext | None,
        *,
        kind: Kind = "internal",
        attributes: Mapping[str, Value] | None = None,
    ) -> Span: ...

    def surrounding(self) -> TraceContext | None:
        """The span that an instrumented server has put around the request that is being served."""
        ...


class PassedOn:
    """A span that is not recorded: its children get its parent's context."""

    __slots__ = ("context",)

    def __init__(self, context: TraceContext) -> None:
        self.context = context

    def set(self, attributes: Mapping[str, Value]) -> None: ...

    def fail(self, code: str) -> None: ...

    def end(self) -> None: ...

    def current(self) -> AbstractContextManager[object]:
        return nullcontext()


class NoSpans:
    """Nothing is recorded, but every turn has a trace id that runs through all processes."""

    def start(
        self,
        name: str,
        parent: TraceContext | None,
        *,
        kind: Kind = "internal",
        attributes: Mapping[str, Value] | None = None,
    ) -> PassedOn:
        return PassedOn(parent or TraceContext.fresh())

    def surrounding(self) -> TraceContext | None:
        return None
