"""Kokoro-82M by ONNX Runtime on a CPU: a whole utterance at a time."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstword.tts.engines import Block, EngineQuality, Style, Utterance
from firstword.tts.engines.acoustic import LOUDNESS
from firstword.tts.engines.front import STYLE, Array, session, timed, tokens_of
from firstword.tts.engines.threads import cpu_threads

if TYPE_CHECKING:
    from firstword.tts.models import ModelFiles

REVISION = 1
"""Goes up when this file makes other samples of the same graph."""

_WARM_UP = "həlˈO wˈɜɹld."


class OnnxEngine:
    """The exported graph as it is. ``quality`` makes no difference: there is one path, the exact.

    ``graph`` is the model with its durations as second output, ``identity`` what it was made from.
    """

    name = "onnx"
    healthy = True

    def __init__(self, graph: Path, identity: str, threads: int | None = None) -> None:
        self.threads = threads or cpu_threads()
        self.version = "-".join(
            (
                self.name,
                identity,
                f"r{REVISION}",
                f"ort{metadata.version('onnxruntime')}",
                platform.machine(),
            )
        )
        self._session = session(graph, self.threads)

    @property
    def about(self) -> str:
        """What makes the samples."""
        return "onnxruntime: the whole model in one graph, as FIRSTWORD_ENGINE asks"

    @classmethod
    def open(cls, files: ModelFiles, threads: int | None = None) -> OnnxEngine:
        """The engine over a folder of model files; ``threads`` by default all that are allowed.

        Raises:
            ModelsMissingError: the folder lacks the graph with durations.
        """
        from firstword.tts.models.derive import TIMED

        return cls(files.path(TIMED), files.identity(TIMED), threads)

    def warm_up(self) -> None:
        """Read the weights once and let the runtime take its memory."""
        self._run(tokens_of(_WARM_UP), np.zeros((1, STYLE), np.float32), 1.0)

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance as one block, its words timed by the model's durations.

        Raises:
            ValueError: no phoneme, too many, or one that the model does not have.
        """
        tokens = tokens_of(utterance.phonemes)
        samples, frames = self._run(tokens, style[len(tokens) - 1 : len(tokens)], speed)
        yield Block(samples, timed(utterance.words, frames))

    def _run(self, tokens: Sequence[int], row: Array, speed: float) -> tuple[Array, Array]:
        fed = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": np.ascontiguousarray(row, np.float32).reshape(1, STYLE),
            "speed": np.array([speed], np.float32),
        }
        audio, frames = self._session.run(None, fed)
        samples = np.divide(np.ravel(audio), LOUDNESS, dtype=np.float32)
        return samples, np.ravel(frames)
