"""The three stages of the model, each a function of fixed shapes without a look at the host.

*text*: tokens to durations. *frames*: durations to features and the source's spectrum. *audio*: a
stretch of both to samples. Between the first and the second the host must learn how long the items
are; what lies behind an item changes nothing in it, so shapes can be rounded up. No stage takes a
number from the host on the way (a `where` with a scalar does): such a copy cannot be recorded.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from .decoder import Decoder
from .generator import Generator, Measured, Statistics
from .layers import STYLE, mask_of
from .prosody import Prosody
from .source import HOP, PER_ROW, Source, Spectrum
from .text import Read, Reader

HOPS_PER_FRAME = 2 * PER_ROW // HOP
"""Columns of the spectrum in a frame: 120, and one more at the end."""


class Drawn(NamedTuple):
    """Utterances ready to be heard."""

    features: Tensor
    """(batch, 512, 2 · frames)."""
    spectrum: Tensor
    """(batch, 22, 120 · frames + 1)."""


class Heard(NamedTuple):
    """Samples and what normalised them."""

    samples: Tensor
    """(batch, 600 · frames)."""
    measured: Measured | None


class Kokoro(nn.Module):
    """Style rows are (batch, 256): the first half is heard, the second sets the rhythm."""

    def __init__(self, noise: float = 1.0) -> None:
        super().__init__()
        self.reader = Reader()
        self.prosody = Prosody()
        self.decoder = Decoder()
        self.source = Source(noise)
        self.spectrum = Spectrum()
        self.generator = Generator()

    def text(self, tokens: Tensor, lengths: Tensor, style: Tensor, speed: Tensor) -> Read:
        """Tokens int64 (batch, time) with their boundaries, of which ``lengths`` count."""
        read: Read = self.reader(tokens, lengths, style[:, STYLE:], speed)
        return read

    def frames(self, read: Read, style: Tensor, seeds: Tensor, longest: int) -> Drawn:
        """What was read, frame by frame; no item may have more than ``longest``."""
        frames = self.prosody(read, style[:, STYLE:], longest)
        wave = self.source(frames.pitch, seeds)
        spectrum = self.spectrum(wave, 2 * PER_ROW * frames.lengths)
        mask = mask_of(HOPS_PER_FRAME * frames.lengths + 1, HOPS_PER_FRAME * longest + 1)
        return Drawn(self.decoder(frames, style[:, :STYLE]), spectrum * mask)

    def audio(
        self, drawn: Drawn, style: Tensor, frames: Tensor, given: Measured | None = None
    ) -> Heard:
        """Samples of a stretch of ``frames`` (batch,) frames, normalised by what is given or, an
        utterance whole, by itself."""
        statistics = Statistics(given)
        samples = self.generator(
            drawn.features, drawn.spectrum, style[:, :STYLE], 2 * frames, statistics
        )
        return Heard(samples, None if given else statistics.found())
