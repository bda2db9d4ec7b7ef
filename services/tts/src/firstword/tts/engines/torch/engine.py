"""Kokoro-82M in torch as the rest of the server sees it.

``exact`` renders an utterance whole, ``fast`` a longer one in windows with the voice's average
statistics; of both, every forward is a ticket on which the caller may wait together with other
sessions. The same arguments give the same samples up to rounding, in whatever company they are
rendered.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from firstword.tts.engines import Block, EngineQuality, Style, Utterance
from firstword.tts.engines.averages import Averages, Measurement, key
from firstword.tts.engines.front import FRAME_S, silence, timed, tokens_of
from firstword.tts.engines.vocoder.moments import Moments
from firstword.tts.engines.vocoder.steps import Steps
from firstword.tts.engines.windows import LONGEST, SHORTEST, beginning, plan, spoken
from firstword.tts.settings import Precision

from .desk import Desk, ItemTicket
from .forwards import FRAME_SAMPLES, Forwards, Line, Most, Ready, Sound, Stretch
from .generator import Measured
from .noise import seed_of
from .shapes import CONTEXT

_log = logging.getLogger(__name__)

REVISION = 2
"""Goes up when this code makes other samples of the same weights."""

ITEMS = 64
"""Items in one forward."""

WHOLE_FRAMES = LONGEST
"""Utterances up to here are rendered whole in both qualities: nothing is gained by windows, and
one of a word or two is mostly silence, for which averages of sentences are much too quiet."""

FRAMES = 8192
"""Frames in one forward of the generator, 205 s: about 4 GB of activations."""

RECORDED_COUNTS = (1, 2, 4, 8, 16, 32)
RECORDED = Most(tokens=256, frames=512, stretch=LONGEST + SHORTEST + 2 * CONTEXT)
"""Beyond these the arithmetic takes longer than the launches."""

_NOTHING = np.zeros(0, np.float32)
_TRIAL = "həlˈO wˈɜɹld."
SILENCE = 0.12
"""The usual share of silence in utterances longer than `WHOLE_FRAMES`."""

_STYLES = 64
"""Styles whose averages are kept on the device."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What an engine was made from; ``weights`` names their content."""

    weights: str
    precision: Precision
    noise: float
    cache: Path


class TorchEngine:
    """The engine; one instance serves all sessions, from any thread."""

    name = "torch"

    def __init__(self, forwards: Forwards, origin: Origin) -> None:
        self.forwards = forwards
        self._origin = origin
        card = forwards.device.card.replace(" ", "")
        release = torch.__version__.split("+")[0]
        noise = "" if origin.noise == 1 else f"-n{origin.noise:g}"
        parts = (self.name, origin.weights, f"r{REVISION}", f"torch{release}", origin.precision)
        self.version = "-".join((*parts, card)) + noise
        folder = origin.cache / "averages" / f"{self.name}-{origin.weights}-r{REVISION}{noise}"
        self._averages = Averages({}, folder, self.measure)
        self._given: dict[str, Measured] = {}
        self._warming = threading.Lock()
        self._warm = False
        self._draws = Desk(forwards.draw, lambda: self._room(ITEMS))
        self._sounds: dict[int, Desk[Stretch, Sound]] = {}

    @property
    def healthy(self) -> bool:
        """False for good once the device has failed."""
        return self.forwards.device.fault is None

    @property
    def about(self) -> str:
        """On what it runs, and how."""
        device, runner = self.forwards.device, self.forwards.runner
        return (
            f"torch {torch.__version__} on {device.place}, {self._origin.precision} generator, "
            f"{runner.recorded} shapes recorded"
        )

    def warm_up(self) -> None:
        """Say something once and, on a graphics card, record the usual shapes: up to a minute."""
        with self._warming:
            if self._warm:
                return
            began = time.monotonic()
            if self.forwards.device.graphic:
                self.forwards.record(RECORDED_COUNTS, RECORDED)
            tokens = tokens_of(_TRIAL)
            line = Line(tokens, np.zeros(256, np.float32), 1.0, 0)
            ready = self.forwards.draw([line])[0]
            self.forwards.hear([Stretch(ready, 0, ready.frames, None)])
            self._warm = True
            _log.info("took_s=<%.1f>, about=<%s> | warm", time.monotonic() - began, self.about)

    def prepare_voice(self, style: Style) -> None:
        """Measure now what the first ``fast`` utterance with ``style`` would wait for."""
        self._average(style)

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance; a block without samples carries the ticket to be waited for.

        Raises:
            ValueError: no phoneme, too many, or one that the model does not have.
            DeviceLostError: the device has failed.
            OutOfRoomError: it does not fit into the device's memory.
        """
        line = self._line(utterance.phonemes, style, speed)
        ready = yield from _waited(self._draw_ticket(line))
        words = timed(utterance.words, ready.durations)
        if quality == "exact" or ready.frames <= WHOLE_FRAMES:
            sound = yield from _waited(self._sound_ticket(ready, 0, ready.frames, None))
            yield Block(sound.samples, words)
            return
        given = self._average(style)
        first, last = spoken(
            ready.frames, ready.durations[0], words[-1].end_s / FRAME_S if words else None
        )
        quiet = np.zeros(first * FRAME_SAMPLES, np.float32)
        for start, end in plan(first, last):
            left, right = max(0, start - CONTEXT), min(ready.frames, end + CONTEXT)
            sound = yield from _waited(self._sound_ticket(ready, left, right, given))
            own = slice((start - left) * FRAME_SAMPLES, (end - left) * FRAME_SAMPLES)
            samples = sound.samples[own]
            if start == first:
                samples = np.concatenate([quiet, samples])
            yield Block(samples, beginning(words, (start, end), (first, last)))

    def window(self, phonemes: str, style: Style, frames: int) -> Stretch:
        """The first ``frames`` of what is said, or all, ready to be rendered: for measurements."""
        ready = self.forwards.draw([self._line(phonemes, style, 1.0)])[0]
        return Stretch(ready, 0, min(ready.frames, frames), self._average(style))

    def measure(self, phonemes: str, style: Style) -> Steps[Measurement]:
        """What an utterance of these phonemes measures, rendered whole."""
        yield
        ready = self.forwards.draw([self._line(phonemes, style, 1.0)])[0]
        sound = self.forwards.hear([Stretch(ready, 0, ready.frames, None)])[0]
        assert sound.measured is not None
        mean, variance = sound.measured
        moments = Moments(mean.astype(np.float64), np.sqrt(variance.astype(np.float64)))
        return Measurement(moments, silence(ready.durations))

    def _line(self, phonemes: str, style: Style, speed: float) -> Line:
        tokens = tokens_of(phonemes)
        row = np.ascontiguousarray(style[len(tokens) - 1], np.float32)
        return Line(tokens, row, speed, seed_of(phonemes, key(style), speed))

    def _average(self, style: Style) -> Measured:
        name = key(style)
        given = self._given.get(name)
        if given is None:
            moments = self._averages.of(style).at(SILENCE)
            place = self.forwards.device.place
            mean = torch.from_numpy(moments.mean.astype(np.float32)).to(place)
            variance = torch.from_numpy((moments.deviation**2).astype(np.float32)).to(place)
            given = self._given[name] = Measured(mean, variance)
            while len(self._given) > _STYLES:
                self._given.pop(next(iter(self._given)), None)
        return given

    def _draw_ticket(self, line: Line) -> ItemTicket[Line, Ready]:
        length = self.forwards.shapes.text(len(line.tokens) + 2)
        return self._draws.ticket(("draw", length), length, line)

    def _sound_ticket(
        self, ready: Ready, first: int, last: int, given: Measured | None
    ) -> ItemTicket[Stretch, Sound]:
        length = self.forwards.shapes.stretch(last - first)
        desk = self._sounds.get(length)
        if desk is None:
            most = max(1, min(ITEMS, FRAMES // length))
            desk = self._sounds[length] = Desk(self.forwards.hear, lambda: self._room(most))
        kind = ("sound", length, given is not None)
        return desk.ticket(kind, length, Stretch(ready, first, last, given))

    def _room(self, most: int) -> int:
        return min(most, self.forwards.device.most or most)


def _waited[R](ticket: ItemTicket[Any, R]) -> Generator[Block, None, R]:
    """Give the ticket to whoever drives the engine, then its result."""
    yield Block(_NOTHING, waits=ticket)
    return ticket.result()
