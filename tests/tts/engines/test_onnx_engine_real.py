"""The ONNX Runtime engine over the real weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from firstword.tts.engines import SAMPLE_RATE, SpokenWord, Utterance
from firstword.tts.engines.onnx import OnnxEngine
from firstword.tts.models import ModelFiles
from firstword.tts.models.pins import GRAPH
from firstword.tts.models.voices import Voices

pytestmark = pytest.mark.model

HELLO = Utterance(
    "həlˈO wˈɜɹld.", (SpokenWord("Hello", 0, 5, 0, 5), SpokenWord("world", 6, 11, 6, 12))
)


@pytest.fixture(scope="module")
def engine(model_folder: Path) -> OnnxEngine:
    return OnnxEngine.open(ModelFiles.open(model_folder))


def test_the_durations_leave_the_audio_as_it_was(model_folder: Path, engine: OnnxEngine) -> None:
    import onnxruntime  # type: ignore[import-untyped]

    files = ModelFiles.open(model_folder)
    style = Voices(model_folder).style("af_heart")
    plain = onnxruntime.InferenceSession(str(files.path(GRAPH)), providers=["CPUExecutionProvider"])
    from firstword.tts.text.vocabulary import token_ids

    ids = token_ids(HELLO.phonemes)
    fed = {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": style[len(ids) - 1][None],
        "speed": np.ones(1, np.float32),
    }
    (block,) = engine.synthesize(HELLO, style, 1.0, "exact")
    expected = np.ravel(plain.run(None, fed)[0]) / np.float32(1.5)
    assert np.array_equal(block.samples, expected)


def test_the_same_arguments_give_the_same_samples(model_folder: Path, engine: OnnxEngine) -> None:
    style = Voices(model_folder).style("bf_emma")
    (first,) = engine.synthesize(HELLO, style, 1.3, "exact")
    (again,) = engine.synthesize(HELLO, style, 1.3, "fast")
    assert np.array_equal(first.samples, again.samples)
    assert first.words == again.words


def test_the_words_lie_where_the_voice_is(model_folder: Path, engine: OnnxEngine) -> None:
    (block,) = engine.synthesize(HELLO, Voices(model_folder).style("af_heart"), 1.0, "exact")
    hello, world = block.words
    assert 0 < hello.start_s < hello.end_s < world.start_s < world.end_s
    assert world.end_s < block.samples.size / SAMPLE_RATE
    before = block.samples[: round((hello.start_s - 0.15) * SAMPLE_RATE)]
    inside = block.samples[round(hello.start_s * SAMPLE_RATE) : round(world.end_s * SAMPLE_RATE)]
    assert np.sqrt(np.mean(inside**2)) > 20 * np.sqrt(np.mean(before**2))
    assert np.max(np.abs(block.samples)) < 1


def test_twice_the_speed_takes_about_half_the_time(model_folder: Path, engine: OnnxEngine) -> None:
    style = Voices(model_folder).style("af_heart")
    (slow,) = engine.synthesize(HELLO, style, 1.0, "exact")
    (fast,) = engine.synthesize(HELLO, style, 2.0, "exact")
    assert 0.4 < fast.samples.size / slow.samples.size < 0.7
