"""Layers that give an item of a batch what they would give it alone.

Every item has its own length; what lies behind it is zero before and after each layer. Sequences
are (batch, channels, time) unless a docstring says otherwise, masks (batch, 1, time) of 0 and 1.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

EPSILON = 1e-5
STYLE = 128
"""Numbers of a style row that one half of the model takes."""


def mask_of(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths -> (batch, 1, longest): 1 where something is."""
    places = torch.arange(longest, device=lengths.device)
    return (places < lengths[:, None]).to(torch.float32)[:, None]


class BothWays(nn.Module):
    """A bidirectional LSTM over (batch, time, features), each item read back from its own end.

    The way back is a forward LSTM over the item reversed, so that no length is needed on the host.
    """

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.ahead = nn.LSTM(features, hidden, batch_first=True)
        self.back = nn.LSTM(features, hidden, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """(batch, time, 2 · hidden); behind an item's length it is not zero."""
        places = torch.arange(x.shape[1], device=x.device)
        turned = lengths[:, None] - 1 - places
        order = torch.where(turned >= 0, turned, places)[:, :, None]
        ahead, _ = self.ahead(x)
        back, _ = self.back(torch.gather(x, 1, order.expand(-1, -1, x.shape[2])))
        back = torch.gather(back, 1, order.expand(-1, -1, back.shape[2]))
        return torch.cat([ahead, back], 2)


class AdaptiveLayerNorm(nn.Module):
    """Normalises over channels; gain and shift come from the style. (batch, time, channels)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels
        self.fc = nn.Linear(STYLE, 2 * channels)

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        gain, shift = self.fc(style)[:, None].chunk(2, 2)
        normal = functional.layer_norm(x, (self.channels,), eps=EPSILON)
        scaled: Tensor = (1 + gain) * normal + shift
        return scaled


def moments(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance over what the mask shows, float32 (batch, channels, 1) each."""
    wide = x.float() * mask
    count = mask.sum(2, keepdim=True)
    mean = wide.sum(2, keepdim=True) / count
    centred = (wide - mean) * mask
    return mean, (centred * centred).sum(2, keepdim=True) / count


class AdaptiveNorm(nn.Module):
    """Normalises over time; gain and shift come from the style."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels
        self.fc = nn.Linear(STYLE, 2 * channels)

    def affine(self, style: Tensor, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """Gain and shift (batch, channels, 1) that normalise, then style."""
        gain, shift = self.fc(style)[:, :, None].chunk(2, 1)
        gain = (1 + gain) * torch.rsqrt(variance + EPSILON)
        return gain, shift - gain * mean

    def forward(self, x: Tensor, style: Tensor, mask: Tensor) -> Tensor:
        """Not masked: behind an item it is the shift."""
        gain, shift = self.affine(style, *moments(x, mask))
        return torch.addcmul(shift, gain, x)


class StyledBlock(nn.Module):
    """Two convolutions of three taps around a shortcut, normalised; may double the rate."""

    def __init__(self, given: int, made: int, *, doubles: bool = False) -> None:
        super().__init__()
        self.doubles = doubles
        self.conv1 = nn.Conv1d(given, made, 3, padding=1)
        self.conv2 = nn.Conv1d(made, made, 3, padding=1)
        self.norm1 = AdaptiveNorm(given)
        self.norm2 = AdaptiveNorm(made)
        self.conv1x1 = nn.Conv1d(given, made, 1, bias=False) if given != made else None
        self.pool = (
            nn.ConvTranspose1d(given, given, 3, 2, padding=1, output_padding=1, groups=given)
            if doubles
            else None
        )

    def forward(self, x: Tensor, style: Tensor, mask: Tensor, wide: Tensor) -> Tensor:
        """``wide`` is the mask at the rate that comes out."""
        y = functional.leaky_relu(self.norm1(x, style, mask), 0.2) * mask
        if self.pool is not None:
            y = self.pool(y) * wide
        y = self.conv1(y)
        y = functional.leaky_relu(self.norm2(y, style, wide), 0.2) * wide
        y = self.conv2(y) * wide
        if self.doubles:
            x = torch.repeat_interleave(x, 2, 2)
        if self.conv1x1 is not None:
            x = self.conv1x1(x)
        total: Tensor = (y + x) * math.sqrt(0.5)
        return total
