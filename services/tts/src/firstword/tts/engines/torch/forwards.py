"""The model's stages over batches of items, from plain numbers to plain numbers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from .device import Device
from .generator import Measured
from .model import HOPS_PER_FRAME, Drawn, Kokoro
from .replay import Runner, Tensors
from .shapes import Shapes
from .source import PER_ROW
from .text import Read

FRAME_SAMPLES = 2 * PER_ROW
STYLE_ROW = 256

type Floats = NDArray[np.float32]


class Line(NamedTuple):
    """What is to be said: tokens without their boundaries, a style row (256,), speed, seed."""

    tokens: Sequence[int]
    row: Floats
    speed: float
    seed: int


class Ready(NamedTuple):
    """An utterance on the device; ``durations`` are frames of each token, boundaries included."""

    durations: Floats
    features: Tensor
    spectrum: Tensor
    row: Floats

    @property
    def frames(self) -> int:
        return self.features.shape[1] // 2


class Stretch(NamedTuple):
    """Frames ``first`` to ``last`` of an utterance, given means and variances (channels,) each, or
    the whole of it without any."""

    ready: Ready
    first: int
    last: int
    given: Measured | None


class Sound(NamedTuple):
    """Samples (600 · frames,) and, of a whole utterance, mean and variance of all norms."""

    samples: Floats
    measured: tuple[Floats, Floats] | None


class Most(NamedTuple):
    """The largest shapes that are recorded: tokens, frames, and frames of a window."""

    tokens: int
    frames: int
    stretch: int


class Forwards:
    """One model on one device; calls from several threads follow each other."""

    def __init__(self, model: Kokoro, device: Device, shapes: Shapes, runner: Runner) -> None:
        self.device = device
        self.shapes = shapes
        self.runner = runner
        self._model = model.to(device.place)
        self._lock = threading.Lock()

    def draw(self, lines: Sequence[Line]) -> list[Ready]:
        """Utterances ready to be heard, in the same order.

        Raises:
            DeviceLostError: the device has failed.
            OutOfRoomError: an item is too long for its memory.
        """
        with self._lock, torch.inference_mode():
            return self.device.carry(self._draw, lines)

    def hear(self, stretches: Sequence[Stretch]) -> list[Sound]:
        """Their audio, in the same order; all with statistics given, or all without.

        Raises:
            DeviceLostError: the device has failed.
            OutOfRoomError: an item is too long for its memory.
        """
        with self._lock, torch.inference_mode():
            return self.device.carry(self._hear, stretches)

    def record(self, counts: Sequence[int], most: Most) -> None:
        """Record all shapes up to ``most`` for batches of these counts."""
        with self._lock, torch.inference_mode(), self.runner.recording():
            for count in counts:
                self._record(count, most)

    def _record(self, count: int, most: Most) -> None:
        line = Line([1], np.zeros(STYLE_ROW, np.float32), 1.0, 0)
        channels = sum(norm.channels for norm in self._model.generator.norms())
        given = Measured(self._zeros(channels), self._zeros(channels) + 1)
        for longest in (size for size in self.shapes.tokens if size <= most.tokens):
            read, styles = self._read([line] * count, longest)
            if longest == self.shapes.tokens[0]:
                seeds = self._numbers([0] * count)
                for length in (size for size in self.shapes.frames if size <= most.frames):
                    self._frames(read, styles, seeds, length)
        for length in (size for size in self.shapes.stretches if size <= most.stretch):
            ready = Ready(
                np.zeros(3, np.float32),
                self._zeros(512, 2 * length),
                self._zeros(22, HOPS_PER_FRAME * length + 1),
                line.row,
            )
            for statistics in (given, None):
                self._hear([Stretch(ready, 0, length, statistics)] * count)

    def _draw(self, lines: Sequence[Line]) -> list[Ready]:
        longest = self.shapes.text(max(len(line.tokens) for line in lines) + 2)
        read, styles = self._read(lines, longest)
        durations = read.durations.cpu().numpy()
        lengths = durations.sum(1)[: len(lines)]
        seeds = [line.seed for line in lines]
        padded = self._numbers(seeds + [0] * (len(styles) - len(lines)))
        drawn = self._frames(read, styles, padded, self.shapes.whole(int(lengths.max())))
        return [
            Ready(
                durations[i, : len(line.tokens) + 2].astype(np.float32),
                drawn.features[i, :, : 2 * lengths[i]],
                drawn.spectrum[i, :, : HOPS_PER_FRAME * lengths[i] + 1],
                line.row,
            )
            for i, line in enumerate(lines)
        ]

    def _read(self, lines: Sequence[Line], longest: int) -> tuple[Read, Tensor]:
        """What the first stage makes, and the style rows; items that only fill up are one token."""
        count = self.shapes.count(len(lines))
        tokens = np.zeros((count, longest), np.int64)
        lengths = np.ones(count, np.int64)
        rows = np.zeros((count, STYLE_ROW), np.float32)
        speeds = np.ones(count, np.float32)
        for i, line in enumerate(lines):
            tokens[i, 1 : len(line.tokens) + 1] = line.tokens
            lengths[i] = len(line.tokens) + 2
            rows[i], speeds[i] = line.row, line.speed
        styles = self._moved(rows)
        inputs = (self._moved(tokens), self._moved(lengths), styles, self._moved(speeds))
        return Read(*self.runner.run("text", self._model.text, *inputs)), styles

    def _frames(self, read: Read, styles: Tensor, seeds: Tensor, longest: int) -> Drawn:
        room = self.shapes.alignment(read.durations.shape[1]) - read.durations.shape[1]
        read = Read(
            functional.pad(read.durations, (0, room)),
            functional.pad(read.spoken, (0, 0, 0, room)),
            functional.pad(read.written, (0, 0, 0, room)),
        )

        def work(
            durations: Tensor, spoken: Tensor, written: Tensor, style: Tensor, seed: Tensor
        ) -> Tensors:
            return self._model.frames(Read(durations, spoken, written), style, seed, longest)

        return Drawn(*self.runner.run(("frames", longest), work, *read, styles, seeds))

    def _hear(self, stretches: Sequence[Stretch]) -> list[Sound]:
        longest = self.shapes.stretch(max(one.last - one.first for one in stretches))
        count = self.shapes.count(len(stretches))
        features = self._zeros(count, 512, 2 * longest)
        spectrum = self._zeros(count, 22, HOPS_PER_FRAME * longest + 1)
        rows = np.zeros((count, STYLE_ROW), np.float32)
        frames = np.ones(count, np.int64)
        for i, (ready, first, last, _) in enumerate(stretches):
            part = ready.features[:, 2 * first : 2 * last]
            features[i, :, : part.shape[1]] = part
            part = ready.spectrum[:, HOPS_PER_FRAME * first : HOPS_PER_FRAME * last + 1]
            spectrum[i, :, : part.shape[1]] = part
            rows[i], frames[i] = ready.row, last - first
        inputs = (features, spectrum, self._moved(rows), self._moved(frames))
        samples, *measured = self._sound(stretches, inputs)
        audio, found = samples.cpu().numpy(), [each.cpu().numpy() for each in measured]
        return [
            Sound(
                audio[i, : FRAME_SAMPLES * frames[i]].copy(),
                (found[0][i], found[1][i]) if found else None,
            )
            for i in range(len(stretches))
        ]

    def _sound(self, stretches: Sequence[Stretch], inputs: Tensors) -> Tensors:
        """Samples and, where no statistics are given, those measured."""
        given = [one.given for one in stretches if one.given is not None]
        if not given:
            return self.runner.run("whole", self._whole, *inputs)
        fill = given + given[:1] * (len(inputs[0]) - len(given))
        means = torch.stack([one.mean for one in fill])
        variances = torch.stack([one.variance for one in fill])
        return self.runner.run("audio", self._given, *inputs, means, variances)

    def _whole(self, features: Tensor, spectrum: Tensor, styles: Tensor, frames: Tensor) -> Tensors:
        heard = self._model.audio(Drawn(features, spectrum), styles, frames)
        assert heard.measured is not None
        return (heard.samples, *heard.measured)

    def _given(
        self, features: Tensor, spectrum: Tensor, styles: Tensor, frames: Tensor, *given: Tensor
    ) -> Tensors:
        heard = self._model.audio(Drawn(features, spectrum), styles, frames, Measured(*given))
        return (heard.samples,)

    def _zeros(self, *shape: int) -> Tensor:
        return torch.zeros(shape, device=self.device.place)

    def _numbers(self, numbers: Sequence[int]) -> Tensor:
        return self._moved(np.array(numbers, np.int64))

    def _moved(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(self.device.place)
