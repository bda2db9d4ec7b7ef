"""The harmonic source: a wave that follows the pitch, and its short-time spectrum.

Nine harmonics and noise, mixed by one learned layer (Wang et al. 2019, arXiv:1904.12088). The noise
of the nine is one here: a weighted sum of independent normal noises is normal noise.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from .noise import gaussian

RATE = 24_000
PER_ROW = 300
"""Samples of a value of the pitch."""

WINDOW = 20
HOP = 5
BINS = WINDOW // 2 + 1
MARGIN = WINDOW // 2

_HARMONICS = 9
_VOICED_HZ = 10
_AMPLITUDE = 0.1
_VOICED_NOISE = 0.003
_UNVOICED_NOISE = _AMPLITUDE / 3


class Source(nn.Module):
    """Pitch to a wave. ``noise`` 0 leaves the noise out, as the packaged export does."""

    def __init__(self, noise: float = 1.0) -> None:
        super().__init__()
        self.noise = noise
        self.l_linear = nn.Linear(_HARMONICS, 1)

    def forward(self, pitch: Tensor, seeds: Tensor) -> Tensor:
        """``pitch`` in Hz (batch, rows), ``seeds`` int64 (batch,) -> (batch, rows · PER_ROW)."""
        voiced = torch.repeat_interleave(pitch > _VOICED_HZ, PER_ROW, 1)
        weights = self.l_linear.weight[0]
        tone = self._tone(pitch, weights) * voiced
        if self.noise:
            level = _UNVOICED_NOISE + (_VOICED_NOISE - _UNVOICED_NOISE) * voiced
            level = level * (self.noise * torch.linalg.vector_norm(weights))
            tone = torch.addcmul(tone, level, gaussian(seeds, tone.shape[1]))
        return torch.tanh(tone + self.l_linear.bias)

    def _tone(self, pitch: Tensor, weights: Tensor) -> Tensor:
        """The harmonics' weighted sum.

        The turns are counted in float64 at the pitch's rate and only their fractions go on, so
        that the wave is as exact at the end of an item as at its beginning.
        """
        step = torch.arange(1, _HARMONICS + 1, device=pitch.device)
        rise = torch.remainder(pitch.double()[:, None] * step[:, None] / RATE, 1) * PER_ROW
        turns = torch.cumsum(rise, 2)
        # Sample n lies between the values (n + 0.5) / PER_ROW - 0.5, the outermost held.
        ahead = functional.pad(rise[:, :, 1:], (0, 1)).float()
        fraction = torch.remainder(turns, 1).float()
        half = PER_ROW // 2
        place = (torch.arange(PER_ROW, device=pitch.device) + 0.5) / PER_ROW
        tone = torch.zeros(pitch.shape[0], pitch.shape[1] * PER_ROW, device=pitch.device)
        for harmonic in range(_HARMONICS):
            start, slope = fraction[:, harmonic, :, None], ahead[:, harmonic, :, None]
            wave = torch.sin((2 * math.pi) * torch.addcmul(start, slope, place)).flatten(1)
            begin = torch.sin((2 * math.pi) * start[:, :1, 0]).expand(-1, half)
            wave = torch.cat([begin, wave[:, :-half]], 1)
            tone.addcmul_(wave, weights[harmonic] * _AMPLITUDE)
        return tone


class Spectrum(nn.Module):
    """Short-time Fourier transform, Hann window: magnitudes, then phases."""

    basis: Tensor

    def __init__(self) -> None:
        super().__init__()
        window, cosine, sine = fourier()
        basis = torch.cat([window * cosine, -window * sine])
        self.register_buffer("basis", basis.float().T.contiguous(), persistent=False)

    def forward(self, wave: Tensor, lengths: Tensor) -> Tensor:
        """``wave`` (batch, samples) of which the first ``lengths`` count, each item mirrored at
        both its ends -> (batch, 2 · BINS, samples / HOP + 1)."""
        places = torch.arange(-MARGIN, wave.shape[1] + MARGIN, device=wave.device).abs()
        end = lengths[:, None] - 1
        mirrored = torch.where(places > end, 2 * end - places, places).clamp(min=0)
        padded = torch.gather(wave, 1, mirrored)
        parts = padded.unfold(1, WINDOW, HOP) @ self.basis
        real, imaginary = parts.transpose(1, 2).chunk(2, 1)
        # A real signal has none at zero frequency and at the highest; a product's rounding might.
        inner = torch.arange(BINS, device=wave.device).remainder(BINS - 1) > 0
        imaginary = imaginary.masked_fill(~inner[:, None], 0.0)
        return torch.cat([torch.hypot(real, imaginary), torch.atan2(imaginary, real)], 1)


def fourier() -> tuple[Tensor, Tensor, Tensor]:
    """A Hann window (WINDOW,), cosines and sines (BINS, WINDOW), float64.

    On the CPU whatever the default device is: a model is first laid out without any memory.
    """
    n = torch.arange(WINDOW, dtype=torch.float64, device="cpu")
    angle = (
        2 * math.pi * torch.arange(BINS, dtype=torch.float64, device="cpu")[:, None] * n / WINDOW
    )
    return 0.5 - 0.5 * torch.cos(2 * math.pi * n / WINDOW), torch.cos(angle), torch.sin(angle)
