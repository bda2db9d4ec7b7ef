"""Kokoro-82M on a CPU: the front in ONNX Runtime, the rest in our own, faster kernels.

``exact`` renders an utterance whole. ``fast`` renders it window by window with the voice's average
statistics, so that the first audio is there before the rest is made. Where the self-test prefers
ONNX Runtime, both are the whole utterance by its graph.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstword.tts.engines import (
    Block,
    EngineQuality,
    Style,
    Utterance,
)
from firstword.tts.engines.acoustic import OnnxAcoustic
from firstword.tts.engines.averages import SILENCE, Averages, Measurement, shipped
from firstword.tts.engines.choice import TRIAL, Choice, choose, remember, remembered
from firstword.tts.engines.front import (
    FRAME_S,
    FRAME_SAMPLES,
    STYLE,
    VOICE,
    Array,
    Front,
    Prosody,
    silence,
    timed,
    tokens_of,
)
from firstword.tts.engines.tensors import ACOUSTIC, FRONT, VOCODER
from firstword.tts.engines.threads import cpu_threads
from firstword.tts.engines.windows import beginning, plan, spoken

if TYPE_CHECKING:
    from firstword.tts.engines.vocoder.steps import Steps
    from firstword.tts.engines.vocoder.vocoder import Utterance as Ready
    from firstword.tts.engines.vocoder.vocoder import Vocoder
    from firstword.tts.models import ModelFiles

WHOLE_FRAMES = 72
"""Utterances up to 1.8 s are rendered whole in ``fast`` too: what few words measure is seldom near
the average. So are longer ones with more silence in them than averages are known for."""

_NOTHING = Block(np.zeros(0, np.float32))

REVISION = 4
"""Goes up when this code makes other samples of the same weights."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The files that `graphs` builds, and where what is made on this machine is kept."""

    front: Path
    vocoder: Path
    acoustic: Path
    identity: str
    """What the files were made from."""
    cache: Path


class CpuEngine:
    """The engine; one instance serves all sessions, from any thread."""

    name = "cpu"
    healthy = True

    def __init__(self, parts: Parts, threads: int | None = None) -> None:
        self.threads = threads or cpu_threads()
        self._parts = parts
        self._front = Front(parts.front, self.threads)
        self._averages = Averages(
            shipped(), parts.cache / "averages" / parts.identity, self.measure
        )
        self._warming = threading.Lock()
        self._choice: Choice | None = None
        self._vocoder: Vocoder | None = None
        self._acoustic: OnnxAcoustic | None = None

    @classmethod
    def open(cls, files: ModelFiles, cache: Path, threads: int | None = None) -> CpuEngine:
        """The engine over a folder of model files; compiled code goes under ``cache``.

        Raises:
            ModelsMissingError: the folder lacks a file that this engine needs.
        """
        parts = Parts(
            front=files.path(FRONT),
            vocoder=files.path(VOCODER),
            acoustic=files.path(ACOUSTIC),
            identity=files.identity(VOCODER),
            cache=cache,
        )
        return cls(parts, threads)

    @property
    def choice(self) -> Choice:
        """Which vocoder runs, and why; the self-test is made now if it was not yet."""
        self.warm_up()
        assert self._choice is not None
        return self._choice

    @property
    def version(self) -> str:
        choice = self.choice
        return "-".join(
            (
                self.name,
                self._parts.identity,
                f"r{REVISION}",
                choice.vocoder,
                f"ort{metadata.version('onnxruntime')}",
                platform.machine(),
                f"t{self.threads}",
            )
        )

    @property
    def about(self) -> str:
        """Which vocoder runs, and why."""
        return f"{self.choice.vocoder}: {self.choice.reason}"

    def warm_up(self) -> None:
        """Compile what is not compiled yet (at first some 15 s) and choose the vocoder.

        A choice for our kernels holds for the same files, code and processor at later starts.
        """
        with self._warming:
            if self._choice is not None:
                return
            kept = self._kept_choice()
            if kept and (choice := remembered(kept)):
                self._vocoder, self._choice = self._load(), choice
                row = np.zeros(STYLE, np.float32)
                prosody = self._front(tokens_of(TRIAL), row, 1.0)
                self._vocoder.whole(_ready(self._vocoder, prosody, row))
                return
            acoustic = OnnxAcoustic(self._parts.acoustic, self.threads)
            choice, self._vocoder = choose(self._load, self._front, acoustic)
            if kept:
                remember(kept, choice)
            self._acoustic = None if self._vocoder else acoustic
            self._choice = choice

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance; a block without samples comes wherever the work may be interrupted.

        Raises:
            ValueError: no phoneme, too many, or one that the model does not have.
        """
        tokens = tokens_of(utterance.phonemes)
        self.warm_up()
        row = np.ascontiguousarray(style[len(tokens) - 1], np.float32)
        prosody = self._front(tokens, row, speed)
        words = timed(utterance.words, prosody.durations)
        if self._vocoder is None:
            assert self._acoustic is not None
            yield Block(self._acoustic(prosody, row).samples, words)
            return
        ready = _ready(self._vocoder, prosody, row)
        yield _NOTHING
        still = silence(prosody.durations)
        if quality == "exact" or ready.frames <= WHOLE_FRAMES or still > SILENCE[1]:
            audio = yield from _pausing(self._vocoder.whole_in_steps(ready))
            yield Block(audio.samples, words)
            return
        average = yield from _pausing(self._averages.in_steps(style))
        given = average.at(still)
        first, last = spoken(
            ready.frames, prosody.durations[0], words[-1].end_s / FRAME_S if words else None
        )
        quiet = np.zeros(first * FRAME_SAMPLES, np.float32)
        for start, end in plan(first, last, utterance.after_s):
            begins = start == first
            steps = self._vocoder.stretch_in_steps(ready, start, end, given, quiet=begins)
            samples = yield from _pausing(steps)
            if begins:
                samples = np.concatenate([quiet, samples])
            yield Block(samples, beginning(words, (start, end), (first, last)))

    def measure(self, phonemes: str, style: Style) -> Steps[Measurement]:
        """What an utterance of these phonemes measures, rendered whole by our kernels."""
        self.warm_up()
        if self._vocoder is None:
            raise RuntimeError(f"nothing is measured by ONNX Runtime: {self.choice.reason}")
        row = np.ascontiguousarray(style[len(phonemes) - 1], np.float32)
        prosody = self._front(tokens_of(phonemes), row, 1.0)
        ready = _ready(self._vocoder, prosody, row)
        yield
        audio = yield from self._vocoder.whole_in_steps(ready)
        return Measurement(audio.moments, silence(prosody.durations))

    def _kept_choice(self) -> Path | None:
        """Where the self-test of these files on this machine is kept, if kernels can be at all."""
        try:
            from firstword.tts.engines.vocoder.jit import folder_in
        except ImportError:
            return None
        name = f"self-test-{self._parts.identity}-t{self.threads}.json"
        return folder_in(self._parts.cache / "kernels") / name

    def _load(self) -> Vocoder:
        from firstword.tts.engines.vocoder.jit import keep_in

        keep_in(self._parts.cache / "kernels")
        from firstword.tts.engines.vocoder.vocoder import Vocoder

        with np.load(self._parts.vocoder, allow_pickle=False) as weights:
            return Vocoder(weights, self.threads)


def _pausing[T](steps: Steps[T]) -> Generator[Block, None, T]:
    """An empty block at each pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
        yield _NOTHING


def _ready(vocoder: Vocoder, prosody: Prosody, row: Array) -> Ready:
    return vocoder.prepare(prosody.text, prosody.pitch, prosody.energy, row[VOICE])
