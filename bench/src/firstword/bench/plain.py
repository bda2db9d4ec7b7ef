"""The model as everybody runs it: its graph in ONNX Runtime with the default options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from firstword.tts.engines import Block, EngineQuality, Style, Utterance
from firstword.tts.engines.dequantise import dequantise
from firstword.tts.engines.front import tokens_of
from firstword.tts.models import ModelFiles, cache_dir

type Weights = Literal["int8", "fp32"]

_GRAPH = "graph"
_LOUDNESS = np.float32(1.5)


class PlainEngine:
    """One utterance at a time, whole; there is no other quality."""

    healthy = True

    def __init__(self, graph: Path, weights: Weights) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        self.name = f"plain-{weights}"
        self.about = "onnxruntime: the whole model in one graph, default options"
        self.version = f"{self.name}-ort{onnxruntime.__version__}"
        self._session = onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])

    def warm_up(self) -> None:
        """Nothing is compiled; a bench's warm-up run does the rest."""

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        """The utterance as one block without word times."""
        tokens = tokens_of(utterance.phonemes)
        fed = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": np.ascontiguousarray(style[len(tokens) - 1 : len(tokens)], np.float32),
            "speed": np.array([speed], np.float32),
        }
        audio = np.ravel(self._session.run(None, fed)[0])
        yield Block(np.divide(audio, _LOUDNESS, dtype=np.float32))


def graph(files: ModelFiles, weights: Weights, environ: Mapping[str, str]) -> Path:
    """The fetched graph, or the same weights in float32: made once, 310 MB in the cache."""
    source = files.path(_GRAPH)
    if weights == "int8":
        return source
    made = cache_folder(environ) / f"kokoro-fp32-{files.identity(_GRAPH)}.onnx"
    if not made.exists():
        import onnx

        part = made.with_suffix(".part")
        onnx.save(dequantise(onnx.load(str(source))), str(part))
        part.replace(made)
    return made


def voices_file(files: ModelFiles, environ: Mapping[str, str]) -> Path:
    """The voices as peers want them: one npz of (510, 1, 256) float32 by name."""
    made = cache_folder(environ) / f"voices-{files.identity(_GRAPH)}.npz"
    if not made.exists():
        styles = {
            path.stem: np.fromfile(path, "<f4").reshape(-1, 1, 256)
            for path in sorted((files.folder / "voices").glob("*.bin"))
        }
        part = made.with_suffix(".part.npz")
        np.savez(part, allow_pickle=False, **styles)
        part.replace(made)
    return made


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where the benches keep what they make of the model files."""
    folder = cache_dir(environ) / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
