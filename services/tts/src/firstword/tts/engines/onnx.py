"""Kokoro-82M by ONNX Runtime on a CPU: a whole utterance at a time."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firstword.tts.engines import (
    MAX_PHONEMES,
    SAMPLE_RATE,
    Block,
    EngineQuality,
    SpokenWord,
    Style,
    TimedWord,
    Utterance,
)
from firstword.tts.engines.threads import cpu_threads
from firstword.tts.text.vocabulary import TOKENS

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]

    from firstword.tts.models import ModelFiles

REVISION = 1
"""Goes up when this file makes other samples of the same graph."""

FRAME_S = 600 / SAMPLE_RATE
"""One frame of the model's durations: 600 samples, 25 ms."""

GAIN = np.float32(1 / 1.5)
"""The export's inverse STFT leaves a part of its window sum out: exactly 1.5 times too loud."""

_WARM_UP = "həlˈO wˈɜɹld."


class OnnxEngine:
    """The exported graph as it is. ``quality`` makes no difference: there is one path, the exact.

    ``graph`` is the model with its durations as second output, ``identity`` what it was made from.
    """

    name = "onnx"

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
        self._session = _session(graph, self.threads)

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
        self._run(_tokens(_WARM_UP), np.zeros((1, 256), np.float32), 1.0)

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance as one block, its words timed by the model's durations.

        Raises:
            ValueError: no phoneme, too many, or one that the model does not have.
        """
        tokens = _tokens(utterance.phonemes)
        samples, frames = self._run(tokens, style[len(tokens) - 1 : len(tokens)], speed)
        yield Block(samples, timed(utterance.words, frames))

    def _run(
        self, tokens: Sequence[int], row: NDArray[np.float32], speed: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        fed = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": np.ascontiguousarray(row, np.float32).reshape(1, 256),
            "speed": np.array([speed], np.float32),
        }
        audio, frames = self._session.run(None, fed)
        return np.ravel(audio) * GAIN, np.ravel(frames)


def timed(words: Sequence[SpokenWord], frames: NDArray[np.float32]) -> tuple[TimedWord, ...]:
    """When each word is heard, from the frames (tokens + 2,) that each token takes."""
    # The first token is the boundary before the first phoneme: ends[i] is where phoneme i begins.
    ends = np.cumsum(frames, dtype=np.float64) * FRAME_S
    return tuple(
        TimedWord(word.text, word.start, word.end, float(ends[word.first]), float(ends[word.last]))
        for word in words
    )


def _tokens(phonemes: str) -> list[int]:
    if not 0 < len(phonemes) <= MAX_PHONEMES:
        raise ValueError(f"an utterance of {len(phonemes)} phonemes: 1 to {MAX_PHONEMES} fit")
    unknown = sorted(set(phonemes) - TOKENS.keys())
    if unknown:
        raise ValueError(f"the model has no phoneme {unknown[0]!r}")
    return [TOKENS[symbol] for symbol in phonemes]


def _session(graph: Path, threads: int) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A thread that spins for its next task takes the core that somebody else's task needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
