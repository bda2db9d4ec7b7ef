"""Decoder and generator by ONNX Runtime: our kernels' yardstick, and what runs without them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from firstword.tts.engines import tensors
from firstword.tts.engines.front import Array, Prosody, session

LOUDNESS = np.float32(1.5)
"""The export's inverse STFT leaves a part of its window sum out: exactly so many times too loud."""

_EDGE = 10
"""First samples, which the export does divide by their window sum."""


class Rendered(NamedTuple):
    """``samples`` (600 · frames,) at the right loudness; the source's ``wave`` (600 · frames,), its
    ``harmonics`` (120 · frames + 1, 22) and ``features`` (2 · frames, 512) on the way there."""

    samples: Array
    wave: Array
    harmonics: Array
    features: Array


class OnnxAcoustic:
    """The acoustic graph, an utterance at a time; calls from several threads at once are safe."""

    def __init__(self, graph: Path, threads: int) -> None:
        self._session = session(graph, threads)

    def __call__(self, prosody: Prosody, row: Array) -> Rendered:
        """``row`` (256,): the voice's style."""
        fed = {
            tensors.TEXT: np.ascontiguousarray(prosody.text.T)[None],
            tensors.PITCH: prosody.pitch[None],
            tensors.ENERGY: prosody.energy[None],
            "style": np.ascontiguousarray(row, np.float32)[None],
        }
        audio, wave, harmonics, features = self._session.run(list(tensors.ACOUSTIC_OUTPUTS), fed)
        samples = np.ravel(audio).astype(np.float32) / LOUDNESS
        samples[:_EDGE] *= LOUDNESS
        return Rendered(
            samples,
            np.ravel(wave),
            np.ascontiguousarray(harmonics[0].T),
            np.ascontiguousarray(features[0].T),
        )
