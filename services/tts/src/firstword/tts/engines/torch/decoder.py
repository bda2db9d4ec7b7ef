"""From frames to the generator's features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import StyledBlock, mask_of
from .prosody import Frames
from .text import CHANNELS

FEATURES = 512
_WIDE = 1024
_NARROW = 64


class Decoder(nn.Module):
    """Five blocks, all after the first also given the text (fewer channels), pitch and energy."""

    def __init__(self) -> None:
        super().__init__()
        self.F0_conv = nn.Conv1d(1, 1, 3, 2, padding=1)
        self.N_conv = nn.Conv1d(1, 1, 3, 2, padding=1)
        self.asr_res = nn.Sequential(nn.Conv1d(CHANNELS, _NARROW, 1))
        self.encode = StyledBlock(CHANNELS + 2, _WIDE)
        given = _WIDE + _NARROW + 2
        self.decode = nn.ModuleList(
            [StyledBlock(given, _WIDE) for _ in range(3)]
            + [StyledBlock(given, FEATURES, doubles=True)]
        )

    def forward(self, frames: Frames, style: Tensor) -> Tensor:
        """(batch, FEATURES, 2 · frames); ``style`` (batch, STYLE) is the half that is heard."""
        mask = mask_of(frames.lengths, frames.text.shape[2])
        wide = torch.repeat_interleave(mask, 2, 2)
        pitch = self.F0_conv(frames.pitch[:, None]) * mask
        energy = self.N_conv(frames.energy[:, None]) * mask
        beside = torch.cat([self.asr_res(frames.text) * mask, pitch, energy], 1)
        x = self.encode(torch.cat([frames.text, pitch, energy], 1), style, mask, mask)
        for block in self.decode:
            x = block(torch.cat([x, beside], 1), style, mask, wide if block.doubles else mask)
        features: Tensor = x
        return features
