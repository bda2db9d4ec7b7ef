"""How far a deployment is: a live view on a terminal, plain lines anywhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, TextIO

from pulumi.automation import EngineEvent, OpType
from pulumi.automation.events import StepEventMetadata
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

DOING: Mapping[OpType, tuple[str, str]] = MappingProxyType(
    {
        OpType.CREATE: ("creating", "created"),
        OpType.CREATE_REPLACEMENT: ("creating anew", "created anew"),
        OpType.UPDATE: ("changing", "changed"),
        OpType.DELETE: ("deleting", "deleted"),
        OpType.DELETE_REPLACED: ("deleting the old", "deleted the old"),
    }
)
"""Steps that people want to see, while they go on and when they are done."""

SLOW = ("sagemaker.Endpoint", "bedrock.AgentcoreAgentRuntime", "docker-build.Image")
"""What takes minutes: plain lines name it at its start too."""


class View(Protocol):
    """Where a run reports to."""

    def line(self, text: str, style: str = "") -> None:
        """One line that stays."""
        ...

    def running(self, steps: Mapping[str, tuple[str, float]]) -> None:
        """What goes on now: URN to (what it is, when it began by the monotonic clock)."""
        ...


class Lines:
    """Line after line, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def line(self, text: str, style: str = "") -> None:
        """Write it."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def running(self, steps: Mapping[str, tuple[str, float]]) -> None:
        """Nothing moves in a log."""


class LiveView:
    """Lines that stay, and below them a line for each step that goes on, with its seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._steps: Mapping[str, tuple[str, float]] = {}
        self._spinner = Spinner("dots")

    def line(self, text: str, style: str = "") -> None:
        """Print it above what moves."""
        self._console.print(Text(text, style=style))

    def running(self, steps: Mapping[str, tuple[str, float]]) -> None:
        """Take over what goes on; the next refresh shows it."""
        self._steps = dict(steps)

    def __rich__(self) -> RenderableType:
        now = time.monotonic()
        rows = [
            Text(f"  {what}  {now - since:.0f} s", style="dim")
            for what, since in self._steps.values()
        ]
        return Group(self._spinner, *rows) if rows else Text("")


@contextmanager
def viewing(stream: TextIO) -> Iterator[View]:
    """The view that fits ``stream``."""
    if not stream.isatty():
        yield Lines(stream)
        return
    console = Console(file=stream, highlight=False)
    view = LiveView(console)
    with Live(view, console=console, transient=True, refresh_per_second=8):
        yield view


@dataclass
class Progress:
    """What a run of one stack has told so far. Events come from another thread, one at a time."""

    stack: str
    view: View
    faults: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Types of the resources that failed."""
    done: int = 0
    _running: dict[str, tuple[str, float]] = field(default_factory=dict)

    def on_event(self, event: EngineEvent) -> None:
        """Take one event of the engine."""
        if event.resource_pre_event is not None:
            self._begin(event.resource_pre_event.metadata)
        elif event.res_outputs_event is not None:
            self._end(event.res_outputs_event.metadata, failed=False)
        elif event.res_op_failed_event is not None:
            self._end(event.res_op_failed_event.metadata, failed=True)
        elif event.diagnostic_event is not None:
            self._hear(event.diagnostic_event.severity, event.diagnostic_event.message)

    def _begin(self, step: StepEventMetadata) -> None:
        if step.op in DOING and _is_real(step):
            what = _what(step)
            self._running[step.urn] = f"{DOING[step.op][0]} {what}", time.monotonic()
            self.view.running(self._running)
            if isinstance(self.view, Lines) and what.startswith(SLOW):
                self.view.line(f"{self.stack}: {DOING[step.op][0]} {what}")

    def _end(self, step: StepEventMetadata, *, failed: bool) -> None:
        if step.op not in DOING or not _is_real(step):
            return
        _, since = self._running.pop(step.urn, ("", time.monotonic()))
        self.view.running(self._running)
        took = f"{time.monotonic() - since:.1f} s"
        if failed:
            self.failed.append(step.type)
            self.view.line(f"{self.stack}: failed {_what(step)}, {took}", "bold red")
        else:
            self.done += 1
            self.view.line(f"{self.stack}: {DOING[step.op][1]} {_what(step)}, {took}")

    def _hear(self, severity: str, message: str) -> None:
        text = _plain(message).strip()
        if severity == "error" and text:
            self.faults.append(text)
        elif severity == "warning" and text:
            self.view.line(f"{self.stack}: {text}", "yellow")
        elif severity == "info" and text:
            self.view.line(f"{self.stack}: {text}")


def _is_real(step: StepEventMetadata) -> bool:
    """Whether it is something of a cloud's: components and providers are only Pulumi's own."""
    return not step.type.startswith(("pulumi:", "firstword:"))


def _what(step: StepEventMetadata) -> str:
    """``aws:s3/bucket:Bucket`` named ``models`` to ``s3.Bucket models``."""
    package, module, name = step.type.split(":")
    folder = module.split("/")[0]
    room = package if folder == "index" else folder
    return f"{room}.{name} {step.urn.rpartition('::')[2]}"


def _plain(message: str) -> str:
    """Without Pulumi's own colour tags, ``<{%reset%}>`` and the like."""
    parts = message.split("<{%")
    return parts[0] + "".join(part.partition("%}>")[2] for part in parts[1:])
