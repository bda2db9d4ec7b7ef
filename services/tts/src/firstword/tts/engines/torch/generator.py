"""From features and the source's spectrum to audio.

Two stages, each: upsample the features, add the source at that rate, average three residual blocks.
Convolutions may run in float16; statistics, activations, sums and the inverse transform do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from .decoder import FEATURES
from .layers import AdaptiveNorm, mask_of, moments
from .source import BINS, HOP, MARGIN, WINDOW, fourier

UPSAMPLE = (10, 6)
SAMPLES_PER_ROW = UPSAMPLE[0] * UPSAMPLE[1] * HOP
"""Samples of a row of features: 300."""

_TAPS = (3, 7, 11)
_DILATIONS = (1, 3, 5)
_SLOPE = 0.1
_LEAST = 1e-11
"""Of a window's overlap: below it there is nothing to be divided."""


class Measured(NamedTuple):
    """What the norms are given or found: (batch, channels of all norms) each."""

    mean: Tensor
    variance: Tensor


class Statistics:
    """Given ones handed out norm by norm, or each norm's own, measured and kept."""

    def __init__(self, given: Measured | None) -> None:
        self._given = given
        self._at = 0
        self._found: list[tuple[Tensor, Tensor]] = []

    def of(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance (batch, channels, 1) for the next norm, whose input is ``x``."""
        if self._given is None:
            self._found.append(moments(x, mask))
            return self._found[-1]
        part = slice(self._at, self._at + x.shape[1])
        self._at += x.shape[1]
        return self._given.mean[:, part, None], self._given.variance[:, part, None]

    def found(self) -> Measured:
        """All that was measured."""
        means, variances = zip(*self._found, strict=True)
        return Measured(torch.cat(means, 1)[:, :, 0], torch.cat(variances, 1)[:, :, 0])


class ResidualBlock(nn.Module):
    """Three pairs of convolutions, each normalised and bent (snake: x + sin²(ax) / a)."""

    def __init__(self, channels: int, taps: int) -> None:
        super().__init__()
        self.convs1 = nn.ModuleList(
            nn.Conv1d(channels, channels, taps, padding=taps // 2 * d, dilation=d)
            for d in _DILATIONS
        )
        self.convs2 = nn.ModuleList(
            nn.Conv1d(channels, channels, taps, padding=taps // 2) for _ in _DILATIONS
        )
        self.adain1 = nn.ModuleList(AdaptiveNorm(channels) for _ in _DILATIONS)
        self.adain2 = nn.ModuleList(AdaptiveNorm(channels) for _ in _DILATIONS)
        self.alpha1 = nn.ParameterList(torch.ones(1, channels, 1) for _ in _DILATIONS)
        self.alpha2 = nn.ParameterList(torch.ones(1, channels, 1) for _ in _DILATIONS)

    def forward(self, x: Tensor, style: Tensor, mask: Tensor, statistics: Statistics) -> Tensor:
        for index in range(len(_DILATIONS)):
            y = x
            for norms, alphas, convolutions in (
                (self.adain1, self.alpha1, self.convs1),
                (self.adain2, self.alpha2, self.convs2),
            ):
                norm: Any = norms[index]
                gain, shift = norm.affine(style, *statistics.of(y, mask))
                bent = snake(y, gain, shift, alphas[index]) * mask
                y = in_weights_type(convolutions[index], bent)
            x = x + y
        return x * mask


def snake(x: Tensor, gain: Tensor, shift: Tensor, alpha: Tensor) -> Tensor:
    """``y + sin²(a y) / a`` of ``y = gain · x + shift``, by ``sin² = (1 - cos 2ay) / 2``."""
    half = 0.5 / alpha
    bent = torch.addcmul(2 * alpha * shift, 2 * alpha * gain, x).cos_()
    return torch.addcmul(shift + half, gain, x).addcmul_(bent, -half)


def in_weights_type(layer: Any, x: Tensor) -> Tensor:
    """``layer`` of ``x`` in the type of its weights, given back in float32."""
    made: Tensor = layer(x.to(layer.weight.dtype)).float()
    return made


class Generator(nn.Module):
    """The third stage; a stretch of an utterance or all of it."""

    window: Tensor
    basis: Tensor

    def __init__(self) -> None:
        super().__init__()
        channels = [FEATURES // 2, FEATURES // 4]
        self.noise_convs = nn.ModuleList(
            [
                nn.Conv1d(2 * BINS, channels[0], 2 * UPSAMPLE[1], UPSAMPLE[1], padding=3),
                nn.Conv1d(2 * BINS, channels[1], 1),
            ]
        )
        self.noise_res = nn.ModuleList(
            [ResidualBlock(channels[0], 7), ResidualBlock(channels[1], 11)]
        )
        self.ups = nn.ModuleList(
            nn.ConvTranspose1d(2 * width, width, 2 * scale, scale, padding=scale // 2)
            for width, scale in zip(channels, UPSAMPLE, strict=True)
        )
        self.resblocks = nn.ModuleList(
            ResidualBlock(width, taps) for width in channels for taps in _TAPS
        )
        self.conv_post = nn.Conv1d(channels[1], 2 * BINS, 7, padding=3)
        window, cosine, sine = fourier()
        # Every bin but the outermost stands for its mirror image as well.
        twice = torch.tensor([1.0] + [2.0] * (BINS - 2) + [1.0], device="cpu")[:, None]
        basis = torch.cat([cosine, -sine]) * torch.cat([twice, twice]) / WINDOW * window
        self.register_buffer("basis", basis.float()[:, None], persistent=False)
        self.register_buffer("window", (window**2).float()[None, None], persistent=False)

    def forward(
        self,
        features: Tensor,
        spectrum: Tensor,
        style: Tensor,
        rows: Tensor,
        statistics: Statistics,
    ) -> Tensor:
        """Audio (batch, time · SAMPLES_PER_ROW).

        ``features`` (batch, FEATURES, time), ``spectrum`` (batch, 2 · BINS, 60 · time + 1), of
        which ``rows`` (batch,) count; ``style`` (batch, STYLE).
        """
        x, length, count = features, features.shape[2], rows
        mask = mask_of(count, length)
        for stage, scale in enumerate(UPSAMPLE):
            last = stage == len(UPSAMPLE) - 1
            length, count = length * scale + last, count * scale + last
            mask = mask_of(count, length)
            beside = in_weights_type(self.noise_convs[stage], spectrum) * mask
            beside = self.noise_res[stage](beside, style, mask, statistics)
            x = in_weights_type(self.ups[stage], functional.leaky_relu(x, _SLOPE))
            if last:
                x = torch.cat([x[:, :, 1:2], x], 2)
            x = (x + beside) * mask
            blocks = [self.resblocks[len(_TAPS) * stage + i] for i in range(len(_TAPS))]
            total = blocks[0](x, style, mask, statistics)
            for block in blocks[1:]:
                total += block(x, style, mask, statistics)
            x = total / len(_TAPS)
        x = in_weights_type(self.conv_post, functional.leaky_relu(x, 0.01)) * mask
        level, turn = x.chunk(2, 1)
        return self._audio(level, turn, mask)

    def _audio(self, level: Tensor, turn: Tensor, mask: Tensor) -> Tensor:
        """Inverse short-time transform, the window's overlap divided out item by item."""
        magnitude, phase = torch.exp(level) * mask, torch.sin(turn)
        parts = torch.cat([magnitude * torch.cos(phase), magnitude * torch.sin(phase)], 1)
        audio = functional.conv_transpose1d(parts, self.basis, stride=HOP)
        overlap = functional.conv_transpose1d(mask, self.window, stride=HOP)
        inner = slice(MARGIN, -MARGIN)
        audio, overlap = audio[:, 0, inner], overlap[:, 0, inner]
        return (audio / overlap.clamp(min=_LEAST)).masked_fill(overlap < _LEAST, 0.0)

    def norms(self) -> Iterator[AdaptiveNorm]:
        """All norms in the order in which statistics are asked for."""
        per = len(_TAPS)
        for stage, beside in enumerate(self.noise_res):
            for block in [beside, *self.resblocks[per * stage : per * (stage + 1)]]:
                for pair in zip(block.adain1, block.adain2, strict=True):
                    yield from pair

    def in_half(self) -> None:
        """Let the convolutions run in float16; what they are given and give stays float32."""
        for module in self.modules():
            if isinstance(module, nn.Conv1d | nn.ConvTranspose1d):
                module.half()
