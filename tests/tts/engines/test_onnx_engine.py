"""The ONNX Runtime engine over a graph of a few nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from firstword.tts.engines import MAX_PHONEMES, SpokenWord, Utterance
from firstword.tts.engines.front import timed
from firstword.tts.engines.onnx import OnnxEngine
from firstword.tts.models import ModelFiles, ModelsMissingError
from firstword.tts.models.derive import DURATIONS, TIMED, add_durations
from firstword.tts.models.errors import ModelsCorruptError
from firstword.tts.models.manifest import Entry, Manifest
from firstword.tts.models.pins import GRAPH
from onnx import TensorProto, helper


def small_graph(path: Path) -> None:
    """Two frames for each token; the audio is the style's first number, divided by the speed."""
    make = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Shape", ["tokens"], ["shape"]),
        helper.make_node("Cast", ["shape"], ["shape_f"], to=TensorProto.FLOAT),
        helper.make_node("ConstantOfShape", ["shape"], [DURATIONS], value=constant(2.0)),
        helper.make_node("ReduceSum", [DURATIONS], ["frames"], keepdims=0),
        helper.make_node("Mul", ["frames", "frame_size"], ["samples"]),
        helper.make_node("Cast", ["samples"], ["count"], to=TensorProto.INT64),
        helper.make_node("Reshape", ["count", "one"], ["length"]),
        helper.make_node("Slice", ["style", "zero", "one", "one"], ["first"]),
        helper.make_node("Div", ["first", "speed"], ["level"]),
        helper.make_node("Reshape", ["level", "one"], ["level_1"]),
        helper.make_node("Expand", ["level_1", "length"], ["audio"]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [
            make("tokens", TensorProto.INT64, [1, "n"]),
            make("style", TensorProto.FLOAT, [1, 256]),
            make("speed", TensorProto.FLOAT, [1]),
        ],
        [make("audio", TensorProto.FLOAT, ["samples"])],
        [
            helper.make_tensor("frame_size", TensorProto.FLOAT, [], [600.0]),
            helper.make_tensor("one", TensorProto.INT64, [1], [1]),
            helper.make_tensor("zero", TensorProto.INT64, [1], [0]),
        ],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path
    )


def constant(value: float) -> onnx.TensorProto:
    return helper.make_tensor("value", TensorProto.FLOAT, [1], [value])


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    small_graph(folder / "plain.onnx")
    add_durations({GRAPH: folder / "plain.onnx"}, folder / "timed.onnx")
    return folder


@pytest.fixture
def engine(graphs: Path) -> OnnxEngine:
    return OnnxEngine(graphs / "timed.onnx", "abc-def", threads=1)


def rows() -> np.ndarray:
    """A style whose row says how many phonemes it is for, in every column."""
    return np.repeat(np.arange(1, 511, dtype=np.float32)[:, None], 256, axis=1)


HELLO = Utterance(
    "həlˈO wˈɜɹld.", (SpokenWord("Hello", 0, 5, 0, 5), SpokenWord("world", 6, 11, 6, 12))
)


def test_the_style_row_is_that_of_the_number_of_phonemes(engine: OnnxEngine) -> None:
    (block,) = engine.synthesize(HELLO, rows(), 1.0, "exact")
    assert block.samples[0] == pytest.approx(13 / 1.5)
    assert block.samples.dtype == np.float32


def test_the_exports_gain_is_taken_back_and_the_speed_handed_on(engine: OnnxEngine) -> None:
    (block,) = engine.synthesize(HELLO, rows(), 2.0, "fast")
    assert block.samples[0] == pytest.approx(13 / 2 / 1.5)


def test_words_are_timed_by_the_durations(engine: OnnxEngine) -> None:
    (block,) = engine.synthesize(HELLO, rows(), 1.0, "exact")
    # Two frames of 25 ms for each token, the boundary before the first among them.
    assert [word.text for word in block.words] == ["Hello", "world"]
    times = [time for word in block.words for time in (word.start_s, word.end_s)]
    assert times == pytest.approx([0.05, 0.05 * 6, 0.05 * 7, 0.05 * 13])
    assert block.samples.size == 15 * 2 * 600


def test_words_keep_their_spans() -> None:
    frames = np.array([3, 1, 2, 5], np.float32)
    (word,) = timed((SpokenWord("ab", 4, 6, 0, 2),), frames)
    assert (word.text, word.start, word.end) == ("ab", 4, 6)
    assert (word.start_s, word.end_s) == pytest.approx((0.075, 0.15))


@pytest.mark.parametrize(
    ("phonemes", "said"),
    [("", "0 phonemes"), ("a" * (MAX_PHONEMES + 1), "511 phonemes"), ("a1b", "no phoneme '1'")],
)
def test_what_does_not_fit_the_model_is_refused(
    engine: OnnxEngine, phonemes: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        next(engine.synthesize(Utterance(phonemes, ()), rows(), 1.0, "exact"))


def test_the_longest_utterance_fits(engine: OnnxEngine) -> None:
    (block,) = engine.synthesize(Utterance("a" * MAX_PHONEMES, ()), rows(), 1.0, "exact")
    assert block.samples[0] == pytest.approx(510 / 1.5)


def test_the_version_names_the_model_and_the_runtime(engine: OnnxEngine) -> None:
    assert engine.version.startswith("onnx-abc-def-r")
    assert "-ort" in engine.version


def test_it_opens_from_a_model_folder(graphs: Path) -> None:
    entries = (
        Entry("plain.onnx", 1, "a" * 64, GRAPH),
        Entry("timed.onnx", 1, "b" * 64, TIMED, "feedbeef"),
    )
    engine = OnnxEngine.open(ModelFiles(graphs, Manifest(entries)), threads=1)
    assert f"-{'a' * 12}-feedbeef-" in engine.version
    engine.warm_up()
    with pytest.raises(ModelsMissingError, match="'timed'"):
        OnnxEngine.open(ModelFiles(graphs, Manifest(entries[:1])))


def test_a_graph_without_durations_is_not_taken(tmp_path: Path, graphs: Path) -> None:
    model = onnx.load(str(graphs / "plain.onnx"))
    for node in model.graph.node:
        node.output[:] = ["other" if name == DURATIONS else name for name in node.output]
        node.input[:] = ["other" if name == DURATIONS else name for name in node.input]
    onnx.save(model, str(tmp_path / "other.onnx"))
    with pytest.raises(ModelsCorruptError, match="no tensor"):
        add_durations({GRAPH: tmp_path / "other.onnx"}, tmp_path / "out.onnx")
