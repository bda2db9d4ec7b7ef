"""The front: phonemes to what is said when and at which pitch, by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstword.tts.engines import MAX_PHONEMES, SAMPLE_RATE, SpokenWord, TimedWord
from firstword.tts.engines.runtime import onnx_runtime
from firstword.tts.text.vocabulary import TOKENS

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]

FRAME_SAMPLES = 600
FRAME_S = FRAME_SAMPLES / SAMPLE_RATE
"""A frame of the model's durations: 25 ms."""

STYLE = 256
VOICE = slice(0, 128)
"""The part of a style row that the vocoder hears; the rest sets the rhythm."""

type Array = NDArray[np.float32]


class Prosody(NamedTuple):
    """An utterance frame by frame; all float32."""

    text: Array
    """(frames, 512)."""
    pitch: Array
    """Hz, (2 · frames,)."""
    energy: Array
    """(2 · frames,)."""
    durations: Array
    """Frames of each token, the two boundaries included, (phonemes + 2,)."""

    @property
    def frames(self) -> int:
        return len(self.text)


class Front:
    """The front graph; calls from several threads at once are safe."""

    def __init__(self, graph: Path, threads: int) -> None:
        self._session = session(graph, threads)

    def __call__(self, tokens: Sequence[int], row: Array, speed: float) -> Prosody:
        """``row`` (256,): the voice's style for that many phonemes."""
        fed = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": np.ascontiguousarray(row, np.float32).reshape(1, STYLE),
            "speed": np.array([speed], np.float32),
        }
        text, pitch, energy, durations = self._session.run(None, fed)
        return Prosody(
            np.ascontiguousarray(text[0].T),
            np.ravel(pitch),
            np.ravel(energy),
            np.ravel(durations),
        )


def tokens_of(phonemes: str) -> list[int]:
    """The model's numbers of these symbols.

    Raises:
        ValueError: no phoneme, too many, or one that the model does not have.
    """
    if not 0 < len(phonemes) <= MAX_PHONEMES:
        raise ValueError(f"an utterance of {len(phonemes)} phonemes: 1 to {MAX_PHONEMES} fit")
    unknown = sorted(set(phonemes) - TOKENS.keys())
    if unknown:
        raise ValueError(f"the model has no phoneme {unknown[0]!r}")
    return [TOKENS[symbol] for symbol in phonemes]


def timed(words: Sequence[SpokenWord], durations: Array) -> tuple[TimedWord, ...]:
    """When each word is heard, from the frames that each token takes."""
    # The first token is the boundary before the first phoneme: ends[i] is where phoneme i begins.
    ends = np.cumsum(durations, dtype=np.float64) * FRAME_S
    return tuple(
        TimedWord(word.text, word.start, word.end, float(ends[word.first]), float(ends[word.last]))
        for word in words
    )


def silence(durations: Array) -> float:
    """The share of the frames that the model gives to the boundaries, before and after all."""
    return float((durations[0] + durations[-1]) / durations.sum())


def session(graph: Path, threads: int) -> onnxruntime.InferenceSession:
    """A session of ``graph`` on the CPU with that many threads, which sleep between tasks."""
    library = onnx_runtime()
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A thread that spins for its next task takes the core that somebody else's task needs: a tenth
    # faster on an idle machine, 1.7 times slower beside other work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return library.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
