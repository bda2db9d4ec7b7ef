"""What a test lets go wrong in the middle of a deployment."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.provider import Journal, RefusedError, Step

DEADLINE_S = 180.0


@dataclass
class OnceEach:
    """Lets the first try of every step of one kind fail; ``failed`` are those that did."""

    verb: str
    failed: list[str] = field(default_factory=list)

    def __call__(self, step: Step) -> None:
        name = f"{step.token}::{step.name}"
        if step.verb == self.verb and name not in self.failed:
            self.failed.append(name)
            raise RefusedError(f"ServiceUnavailable: the first try of {step.name} fails")


@dataclass
class Gate:
    """Holds one step until it is opened; ``reached`` is set when it waits there."""

    verb: str
    token: str
    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, step: Step) -> None:
        if step.verb == self.verb and step.token == self.token:
            self.reached.set()
            if not self.opened.wait(DEADLINE_S):
                raise RefusedError("the test forgot to open the gate")


@contextmanager
def disturbed[T: OnceEach | Gate](journal: Journal, disturbance: T) -> Iterator[T]:
    """The disturbance is there inside; a gate is open at the end in any case."""
    before, journal.before = journal.before, disturbance
    try:
        yield disturbance
    finally:
        journal.before = before
        if isinstance(disturbance, Gate):
            disturbance.opened.set()
