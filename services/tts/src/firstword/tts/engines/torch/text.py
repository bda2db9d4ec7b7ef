"""From tokens to how long each of them lasts."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from .albert import HIDDEN, Albert
from .layers import EPSILON, STYLE, AdaptiveLayerNorm, BothWays, mask_of

SYMBOLS = 178
CHANNELS = 512
SPOKEN = CHANNELS + STYLE
"""Features of a token beside its style."""

_LAYERS = 3
_TAPS = 5
_LONGEST = 50


class Read(NamedTuple):
    """A batch of texts, token by token."""

    durations: Tensor
    """Frames of each token, int64 (batch, tokens); 0 behind the item."""
    spoken: Tensor
    """What the prosody is made of, (batch, tokens, SPOKEN)."""
    written: Tensor
    """What the sound is made of, (batch, tokens, CHANNELS)."""


class ChannelNorm(nn.Module):
    """Normalises over the channels of (batch, channels, time)."""

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(CHANNELS))
        self.beta = nn.Parameter(torch.zeros(CHANNELS))

    def forward(self, x: Tensor) -> Tensor:
        x = x.transpose(1, 2)
        return functional.layer_norm(x, (CHANNELS,), self.gamma, self.beta, EPSILON).transpose(1, 2)


class TextEncoder(nn.Module):
    """Tokens to the features of their sound."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, CHANNELS)
        self.cnn = nn.ModuleList(
            nn.ModuleList([nn.Conv1d(CHANNELS, CHANNELS, _TAPS, padding=_TAPS // 2), ChannelNorm()])
            for _ in range(_LAYERS)
        )
        self.lstm = BothWays(CHANNELS, CHANNELS // 2)

    def forward(self, tokens: Tensor, lengths: Tensor, mask: Tensor) -> Tensor:
        """(batch, time, CHANNELS)."""
        x = self.embedding(tokens).transpose(1, 2) * mask
        for index in range(_LAYERS):
            convolve, norm = (self.get_submodule(f"cnn.{index}.{part}") for part in (0, 1))
            x = functional.leaky_relu(norm(convolve(x)), 0.2) * mask
        encoded: Tensor = self.lstm(x.transpose(1, 2), lengths) * mask.transpose(1, 2)
        return encoded


class DurationEncoder(nn.Module):
    """Features of the tokens mixed with the style, (batch, time, SPOKEN)."""

    def __init__(self) -> None:
        super().__init__()
        self.lstms = nn.ModuleList()
        for _ in range(_LAYERS):
            self.lstms.append(BothWays(SPOKEN, CHANNELS // 2))
            self.lstms.append(AdaptiveLayerNorm(CHANNELS))

    def forward(self, x: Tensor, style: Tensor, lengths: Tensor, mask: Tensor) -> Tensor:
        """``mask`` (batch, time, 1)."""
        beside = style[:, None].expand(-1, x.shape[1], -1)
        x = torch.cat([x, beside], 2) * mask
        for index in range(_LAYERS):
            x = self.lstms[2 * index](x, lengths) * mask
            x = torch.cat([self.lstms[2 * index + 1](x, style), beside], 2) * mask
        return x


class Reader(nn.Module):
    """The first stage. Its parts' names are those of the published file, see `model`."""

    def __init__(self) -> None:
        super().__init__()
        self.bert = Albert(SYMBOLS)
        self.bert_encoder = nn.Linear(HIDDEN, CHANNELS)
        self.text_encoder = TextEncoder()
        self.encoder = DurationEncoder()
        self.lstm = BothWays(SPOKEN, CHANNELS // 2)
        self.duration_proj = nn.Linear(CHANNELS, _LONGEST)

    def forward(self, tokens: Tensor, lengths: Tensor, style: Tensor, speed: Tensor) -> Read:
        """``tokens`` (batch, time), ``lengths`` and ``speed`` (batch,), ``style`` (batch, STYLE)
        the half of the row that sets the rhythm."""
        mask = mask_of(lengths, tokens.shape[1])
        tall = mask.transpose(1, 2)
        spoken = self.bert_encoder(self.bert(tokens, mask))
        spoken = self.encoder(spoken, style, lengths, tall)
        shares = torch.sigmoid(self.duration_proj(self.lstm(spoken, lengths)))
        durations = torch.round(shares.sum(2) / speed[:, None]).clamp(min=1) * mask[:, 0]
        return Read(durations.long(), spoken, self.text_encoder(tokens, lengths, mask))
