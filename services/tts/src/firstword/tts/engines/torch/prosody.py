"""From tokens and their durations to frames: text features, pitch and energy."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from .layers import BothWays, StyledBlock, mask_of
from .text import CHANNELS, SPOKEN, Read


class Frames(NamedTuple):
    """A batch frame by frame; 40 frames a second."""

    lengths: Tensor
    """Frames of each item, (batch,)."""
    text: Tensor
    """(batch, CHANNELS, frames)."""
    pitch: Tensor
    """Hz, (batch, 2 · frames)."""
    energy: Tensor
    """(batch, 2 · frames)."""


class Curve(nn.Module):
    """Pitch or energy: three blocks, the second of which doubles the rate."""

    def __init__(self) -> None:
        super().__init__()
        half = CHANNELS // 2
        self.blocks = nn.ModuleList(
            [
                StyledBlock(CHANNELS, CHANNELS),
                StyledBlock(CHANNELS, half, doubles=True),
                StyledBlock(half, half),
            ]
        )
        self.proj = nn.Conv1d(half, 1, 1)

    def forward(self, x: Tensor, style: Tensor, mask: Tensor, wide: Tensor) -> Tensor:
        for block, before, after in zip(
            self.blocks, (mask, mask, wide), (mask, wide, wide), strict=True
        ):
            x = block(x, style, before, after)
        curve: Tensor = (self.proj(x) * wide)[:, 0]
        return curve


class Prosody(nn.Module):
    """The second stage, up to the decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = BothWays(SPOKEN, CHANNELS // 2)
        self.pitch = Curve()
        self.energy = Curve()

    def forward(self, read: Read, style: Tensor, longest: int) -> Frames:
        """``style`` (batch, STYLE) sets the rhythm; no item may have more than ``longest``
        frames."""
        ends = torch.cumsum(read.durations, 1)
        lengths = ends[:, -1]
        mask = mask_of(lengths, longest)
        wide = torch.repeat_interleave(mask, 2, 2)
        places = torch.arange(longest, device=ends.device).expand(len(ends), -1).contiguous()
        token = torch.searchsorted(ends, places, right=True).clamp(max=ends.shape[1] - 1)
        tall = mask.transpose(1, 2)
        heard = self.shared(_taken(read.spoken, token) * tall, lengths).transpose(1, 2) * mask
        return Frames(
            lengths,
            _taken(read.written, token).transpose(1, 2) * mask,
            self.pitch(heard, style, mask, wide),
            self.energy(heard, style, mask, wide),
        )


def _taken(x: Tensor, places: Tensor) -> Tensor:
    """Rows of ``x`` (batch, time, features) at ``places`` (batch, frames)."""
    return torch.gather(x, 1, places[:, :, None].expand(-1, -1, x.shape[2]))
