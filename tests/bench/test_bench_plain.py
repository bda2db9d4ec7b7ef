from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from firstword.bench.plain import PlainEngine, graph, voices_file
from firstword.tts.engines import Utterance
from firstword.tts.engines.onnx import OnnxEngine
from firstword.tts.models import ModelFiles
from firstword.tts.models.voices import Voices

pytestmark = pytest.mark.model

HELLO = Utterance("həlˈO wˈɜɹld.", ())


@pytest.fixture
def files(model_folder: Path) -> ModelFiles:
    return ModelFiles.open(model_folder)


def test_plain_onnx_runtime_says_what_our_onnx_engine_says(files: ModelFiles) -> None:
    style = Voices(files.folder).style("af_heart")
    plain = PlainEngine(graph(files, "int8", {}), "int8")
    (ours,) = OnnxEngine.open(files).synthesize(HELLO, style, 1.0, "exact")
    (theirs,) = plain.synthesize(HELLO, style, 1.0, "exact")
    assert theirs.samples.size == ours.samples.size
    assert np.max(np.abs(theirs.samples - ours.samples)) < 1e-3


def test_peers_get_our_voices_in_their_shape(files: ModelFiles, tmp_path: Path) -> None:
    path = voices_file(files, {"XDG_CACHE_HOME": str(tmp_path)})
    style = Voices(files.folder).style("af_heart")
    with np.load(path) as voices:
        assert voices["af_heart"].shape == (510, 1, 256)
        assert voices["af_heart"].dtype == np.float32
        assert np.array_equal(voices["af_heart"][:, 0], style)
        assert len(voices.files) == len(list((files.folder / "voices").glob("*.bin")))
