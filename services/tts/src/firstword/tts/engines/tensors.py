"""Where the model is taken apart: names of its parts, and of the tensors at the seams.

The *front* (tokens to what is said when, at which pitch) stays a graph for ONNX Runtime. Of the
rest, decoder and generator, the weights are taken out for our own kernels (the *vocoder* file);
and the rest as a graph, the *acoustic* one, is the yardstick and fall-back.
"""

from __future__ import annotations

from collections.abc import Mapping

GRAPH = "graph"
FRONT = "front"
VOCODER = "vocoder"
ACOUSTIC = "acoustic"

TEXT = "/encoder/MatMul_1_output_0"
"""Text features of each frame, float32 (1, 512, frames); 40 frames a second."""

PITCH = "/encoder/Reshape_output_0"
"""Fundamental frequency in Hz, float32 (1, 2 · frames)."""

ENERGY = "/encoder/Reshape_1_output_0"
"""float32 (1, 2 · frames)."""

WAVE = "/decoder/decoder/generator/Squeeze_output_0"
"""The harmonic source, float32 (1, 600 · frames) at 24 kHz."""

DURATIONS = "/encoder/Clip_output_0"
"""Frames of each token, float32 (1, tokens): rounded, at least 1."""

HARMONICS = "/decoder/decoder/generator/Concat_3_output_0"
"""The source's spectrum, float32 (1, 22, 120 · frames + 1): magnitudes, then phases."""

FEATURES = "/decoder/decoder/decode.3/Div_4_output_0"
"""What the decoder gives the generator, float32 (1, 512, 2 · frames)."""

FRONT_OUTPUTS = (TEXT, PITCH, ENERGY, DURATIONS)
ACOUSTIC_INPUTS: Mapping[str, list[int | str]] = {
    TEXT: [1, 512, "frames"],
    PITCH: [1, "rows"],
    ENERGY: [1, "rows"],
    "style": [1, 256],
}
ACOUSTIC_OUTPUTS = ("audio", WAVE, HARMONICS, FEATURES)
