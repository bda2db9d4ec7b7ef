"""Noise by counting: sample n of an item depends on the item's seed and n, and on nothing else.

So an item sounds the same in every batch, on every device, from whichever sample it is wanted.
"""

from __future__ import annotations

import hashlib
import math

import torch
from torch import Tensor

_WORD = 0xFFFFFFFF


def seed_of(phonemes: str, style_key: str, speed: float) -> int:
    """32 bits that belong to what is said, how fast and with which voice."""
    text = f"{phonemes}\n{style_key}\n{speed!r}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest())


def gaussian(seeds: Tensor, samples: int) -> Tensor:
    """Normal noise, float32 (batch, samples), from int64 ``seeds`` (batch,) of 32 bits."""
    count = torch.arange(samples, device=seeds.device)
    first = _mixed(_mixed(2 * count) ^ seeds[:, None])
    second = _mixed(_mixed(2 * count + 1) ^ seeds[:, None])
    # Box and Muller 1958; the middle of each of 2^24 steps, so that no logarithm is of zero.
    radius = torch.sqrt(-2 * torch.log(_unit(first)))
    return radius * torch.cos(2 * math.pi * _unit(second))


def _mixed(x: Tensor) -> Tensor:
    """A bijection of 32-bit words that scatters neighbours (Wellons' lowbias32)."""
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & _WORD
    x = ((x ^ (x >> 15)) * 0x846CA68B) & _WORD
    return x ^ (x >> 16)


def _unit(words: Tensor) -> Tensor:
    return ((words >> 8).to(torch.float32) + 0.5) * 2.0**-24
