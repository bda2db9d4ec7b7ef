"""Decoder, source and generator together: an utterance whole, or stretch by stretch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .decoder import Decoder
from .generator import SAMPLES_PER_FEATURE, Audio, Generator
from .harmonics import HarmonicSource, Phases
from .istft import HOP
from .moments import Moments
from .source import SourceSpectrum, reflected
from .steps import Steps, finish

FRAME = 2 * SAMPLES_PER_FEATURE
"""Samples of a frame: 600."""

CONTEXT = 4
"""Frames (100 ms) on each side that a stretch is given besides its own."""

QUIET_CONTEXT = 1
"""Those before a stretch that begins in silence: 53 dB and more instead of 85."""

type Array = NDArray[np.float32]


class Utterance(NamedTuple):
    """An utterance ready to be rendered."""

    features: Array
    """(2 · frames, 512)."""
    phases: Phases
    style: Array

    @property
    def frames(self) -> int:
        return len(self.features) // 2


class Vocoder:
    """Our kernels with their weights, see `graphs.acoustic_weights`; safe from several threads.

    The same arguments give the same samples, bit for bit, on one ``threads``.
    """

    def __init__(self, weights: Mapping[str, Array], threads: int) -> None:
        crew = Crew(threads)
        self._decoder = Decoder(weights, crew)
        self.source = HarmonicSource(crew, weights["harmonics.w"], weights["harmonics.b"])
        self._spectrum = SourceSpectrum(crew, weights["silence"])
        self.generator = Generator(weights, crew)

    def prepare(self, text: Array, pitch: Array, energy: Array, style: Array) -> Utterance:
        """From ``text`` (frames, 512), ``pitch`` (Hz) and ``energy`` (2 · frames,) and ``style``
        (128,)."""
        features = self._decoder(text, pitch, energy, style)
        return Utterance(features, self.source.phases(pitch), style)

    def whole(self, utterance: Utterance) -> Audio:
        """All of it, (600 · frames,), normalised by its own statistics."""
        return finish(self.whole_in_steps(utterance))

    def whole_in_steps(self, utterance: Utterance) -> Steps[Audio]:
        """`whole`, paused where something more urgent may come in between."""
        source = self._harmonics(utterance, 0, utterance.frames)
        return (yield from self.generator.steps(utterance.features, source, utterance.style))

    def stretch(
        self, utterance: Utterance, first: int, last: int, given: Moments, *, quiet: bool = False
    ) -> Array:
        """Frames ``first`` to ``last``, as in the whole utterance with the ``given`` statistics.

        ``quiet``: it begins in silence, so that little of what comes before it is needed.
        """
        return finish(self.stretch_in_steps(utterance, first, last, given, quiet=quiet))

    def stretch_in_steps(
        self, utterance: Utterance, first: int, last: int, given: Moments, *, quiet: bool = False
    ) -> Steps[Array]:
        """`stretch`, paused where something more urgent may come in between."""
        before = QUIET_CONTEXT if quiet else CONTEXT
        left, right = max(0, first - before), min(utterance.frames, last + CONTEXT)
        source = self._harmonics(utterance, left, right)
        features = utterance.features[2 * left : 2 * right]
        steps = self.generator.steps(features, source, utterance.style, given, begins=left == 0)
        audio = yield from steps
        return audio.samples[(first - left) * FRAME : (last - left) * FRAME]

    def _harmonics(self, utterance: Utterance, first: int, last: int) -> Array:
        """The source's spectrum from frame ``first`` to ``last``."""
        phases, count = utterance.phases, (last - first) * FRAME // HOP + 1
        wave = partial(self.source, phases)
        part = reflected(wave, phases.samples, first * FRAME // HOP, count)
        return self._spectrum(part, count)
