"""Room 9: what an engine takes and gives. It knows nothing of sockets, JSON or event loops."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE = 24_000
"""Hz of every engine's output."""

MAX_PHONEMES = 510
"""Symbols in one forward of the model; its two boundary tokens come on top."""

type Style = NDArray[np.float32]
"""A voice: float32 (510, 256), one row for each number of phonemes."""

type EngineQuality = Literal["fast", "exact"]


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word of the source text and the phonemes that say it.

    ``start`` and ``end`` are characters of the request's text; ``first`` and ``last`` (exclusive)
    are symbols of the utterance's ``phonemes``.
    """

    text: str
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """What goes through the model at once: at most ``MAX_PHONEMES`` symbols of its alphabet."""

    phonemes: str
    words: tuple[SpokenWord, ...]
    pause_s: float = 0.0
    """Silence that follows, in seconds at speed 1."""
    after_s: float = 0.0
    """Seconds of the same speech that were made before it."""


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and when it is heard, in seconds from the utterance's first sample."""

    text: str
    start: int
    end: int
    start_s: float
    end_s: float


class Ticket(Protocol):
    """A forward that an utterance waits for, and that others' can go through at the same time."""

    @property
    def done(self) -> bool: ...

    @property
    def kind(self) -> Hashable:
        """Tickets of equal kind can be served together."""
        ...

    @property
    def size(self) -> int:
        """How much work it is; comparable within its kind."""
        ...

    @property
    def most(self) -> int:
        """Tickets of its kind that may be served together now."""
        ...

    def serve(self, others: Sequence[Any]) -> None:
        """Do it and ``others`` of its kind at once. Failures are raised in the waiting iterators.

        Nobody has to: an iterator that is advanced earlier does its forward alone."""
        ...


@dataclass(frozen=True, slots=True)
class Block:
    """Audio as the engine gives it: float32 (samples,), 24 kHz, and the words that begin in it.

    ``waits`` is what the next block is waiting for, where that can be done in company.
    """

    samples: NDArray[np.float32]
    words: tuple[TimedWord, ...] = ()
    waits: Ticket | None = None


class Engine(Protocol):
    """Speech from phonemes. One instance serves all sessions; calls may come from any thread."""

    @property
    def name(self) -> str:
        """What it is called in settings and reports."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the samples of a given utterance, style and speed would."""
        ...

    @property
    def about(self) -> str:
        """Which code makes the samples here, and why: for reports."""
        ...

    @property
    def healthy(self) -> bool:
        """False for good once what it runs on has failed."""
        ...

    def warm_up(self) -> None:
        """Do once whatever would slow the first request down."""

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance in one or more blocks; each ``next`` is one unit of work.

        A block without samples is a pause in which other work may be done. The same arguments give
        the same samples. Closing the iterator stops the work.
        """
        ...
