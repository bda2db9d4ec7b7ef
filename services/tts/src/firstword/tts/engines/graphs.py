"""What the fast engine runs, made once from the model's int8 graph: see `tensors` for the parts.

Each ``build`` function writes one file; it takes the model's files by name and where to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from firstword.tts.engines.dequantise import UnknownGraphError, dequantise, prune
from firstword.tts.engines.runtime import onnx_runtime
from firstword.tts.engines.tensors import (
    ACOUSTIC_INPUTS,
    ACOUSTIC_OUTPUTS,
    FRONT_OUTPUTS,
    GRAPH,
    HARMONICS,
    WAVE,
)

_DECODER = "/decoder/decoder/"
_GENERATOR = "generator/"
_LONG_SUMS = f"{_DECODER}{_GENERATOR}noise_res.1/"
_BASIS = "decoder.decoder.generator.stft.istft.stft.inverse_basis"
_SOURCE = "/decoder/decoder/generator/m_source/l_linear/"
_WINDOW_SUM = "decoder.decoder.generator.stft.istft.stft.window_sum"


def build_front(files: Mapping[str, Path], destination: Path) -> None:
    """The front, from ``files[GRAPH]``: its outputs are `FRONT_OUTPUTS`.

    It stays int8: where the processor multiplies int8 faster, ONNX Runtime does, and elsewhere the
    front is as fast as in float32 and a quarter of the size.
    """
    onnx.save(cut(onnx.load(str(files[GRAPH])), {}, FRONT_OUTPUTS), str(destination))


def build_acoustic(files: Mapping[str, Path], destination: Path) -> None:
    """The rest: inputs `ACOUSTIC_INPUTS`, outputs `ACOUSTIC_OUTPUTS`."""
    model = _plain(files)
    _add_wide(model.graph)
    onnx.save(cut(model, ACOUSTIC_INPUTS, ACOUSTIC_OUTPUTS), str(destination))


def _add_wide(graph: onnx.GraphProto) -> None:
    """Let the means of `_LONG_SUMS` be added in float64; `cut` puts the nodes in order.

    They run over every sample hop, long stretches of which are equal, with means of up to 95
    deviations: in float32 half a minute of speech is 80 dB from what float64 gives, with these
    wide 100 dB.
    """
    long = [n for n in graph.node if _LONG_SUMS in n.name and n.name.endswith("/ReduceMean")]
    for node in long:
        x, mean = node.input[0], node.output[0]
        node.input[0], node.output[0] = f"{mean}_wide_x", f"{mean}_wide"
        before = onnx.helper.make_node("Cast", [x], [node.input[0]], to=onnx.TensorProto.DOUBLE)
        after = onnx.helper.make_node("Cast", [node.output[0]], [mean], to=onnx.TensorProto.FLOAT)
        graph.node.extend([before, after])


def build_vocoder(files: Mapping[str, Path], destination: Path) -> None:
    """The weights of decoder and generator, by name, as npz."""
    model = _plain(files)
    weights = acoustic_weights(model)
    weights["silence"] = _silence(model, weights["harmonics.b"])
    with destination.open("wb") as file:
        np.savez(file, allow_pickle=False, **weights)


def _silence(model: onnx.ModelProto, bias: NDArray[np.float32]) -> NDArray[np.float32]:
    """What ONNX Runtime gives for a frame of the source in which nothing is voiced, (22,).

    Such a frame is constant: ``bias``, that of the layer which mixes the harmonics, through its
    tanh.
    """
    level = np.tanh(bias[0])
    graph = cut(model, {WAVE: [1, "samples"]}, [HARMONICS])
    session = onnx_runtime().InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    spectrum = session.run(None, {WAVE: np.full((1, 600), level, np.float32)})[0]
    return np.array(spectrum[0, :, spectrum.shape[2] // 2], np.float32)


def cut(
    model: onnx.ModelProto,
    inputs: Mapping[str, Sequence[int | str]],
    outputs: Sequence[str],
) -> onnx.ModelProto:
    """``model`` in place from ``inputs`` (name: shape) to ``outputs``, all float32.

    With no ``inputs`` it keeps those of its own that are needed.

    Raises:
        UnknownGraphError: an output is not a tensor of the model.
    """
    graph = model.graph
    made = {name for node in graph.node for name in node.output}
    if absent := [name for name in outputs if name not in made]:
        raise UnknownGraphError(f"the graph has no tensor {absent[0]}")
    shapes = {output.name: output for output in graph.output}
    ends = [shapes.get(name) or _value(name, None) for name in outputs]
    nodes = [node for node in graph.node if not any(name in inputs for name in node.output)]
    prune(graph, nodes, (), outputs)
    used = {name for node in graph.node for name in node.input}
    starts = [_value(name, shape) for name, shape in inputs.items()]
    starts += [value for value in graph.input if value.name in used and value.name not in inputs]
    del graph.input[:], graph.output[:]
    graph.input.extend(starts)
    graph.output.extend(ends)
    return model


def acoustic_weights(model: onnx.ModelProto) -> dict[str, NDArray[np.float32]]:
    """The float32 model's weights from the decoder on, named by the module that holds them.

    ``M.w`` and ``M.b`` are a layer's weight and bias (an adaptive normalisation's are (style,
    2 · channels) and (2 · channels,)), ``M.alpha…`` a snake's frequencies; ``harmonics.w`` (9,) and
    ``harmonics.b`` (1,) mix the source; ``basis`` (22, 20) and ``window_sum`` (20,) are the inverse
    transform's. The generator's modules have no prefix.
    """
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}

    def array(name: str) -> NDArray[np.float32]:
        return np.array(onnx.numpy_helper.to_array(tensors[name]), np.float32)

    weights: dict[str, NDArray[np.float32]] = {}
    for node in model.graph.node:
        if not node.name.startswith(_DECODER) or "istft" in node.name:
            continue
        if node.name.startswith(_SOURCE):
            (given,) = (name for name in node.input if name in tensors)
            part = "w" if node.op_type == "MatMul" else "b"
            weights[f"harmonics.{part}"] = array(given).ravel()
            continue
        path = node.name.removeprefix(_DECODER).removeprefix(_GENERATOR)
        module = path.rsplit("/", 1)[0].removesuffix("/fc").replace("/", ".")
        if node.op_type in ("Conv", "ConvTranspose"):
            weights[f"{module}.w"] = array(node.input[1])
            if len(node.input) > 2:
                weights[f"{module}.b"] = array(node.input[2])
        elif "/fc/" in path and node.op_type in ("MatMul", "Add"):
            weights[f"{module}.{'w' if node.op_type == 'MatMul' else 'b'}"] = array(node.input[1])
    prefix = "decoder.decoder.generator."
    for name in tensors:
        if name.startswith(prefix) and ".alpha" in name:
            weights[name.removeprefix(prefix)] = array(name).ravel()
    weights["basis"] = array(_BASIS).reshape(22, 20)
    weights["window_sum"] = array(_WINDOW_SUM)
    return weights


def _plain(files: Mapping[str, Path]) -> onnx.ModelProto:
    return dequantise(onnx.load(str(files[GRAPH])))


def _value(name: str, shape: Sequence[int | str] | None) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
