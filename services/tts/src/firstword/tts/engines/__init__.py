"""Room 9: what an engine takes and gives. It knows nothing of sockets, JSON or event loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

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


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and when it is heard, in seconds from the utterance's first sample."""

    text: str
    start: int
    end: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Block:
    """Audio as the engine gives it: float32 (samples,), 24 kHz, and the words that begin in it."""

    samples: NDArray[np.float32]
    words: tuple[TimedWord, ...] = ()


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
