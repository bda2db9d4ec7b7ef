"""The torch model's weights out of the int8 graph: the same numbers that its products use.

Knows the graph's names only; whether all weights of the model were found, `weights` checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from firstword.tts.engines.dequantise import UnknownGraphError, dequantise

type Weights = dict[str, NDArray[np.float32]]
"""By the name that the published model gives them, weight normalisation multiplied out."""

REVISION = 1
"""Goes up with every change of what is recovered."""

_PREFIXES = ("encoder.", "decoder.")
_OTHERS = ".stft."
"""Tables of the export's inverse transform."""
_SHARED = ("F0", "N", "shared", "F0_proj", "N_proj")
"""Parts of the predictor whose nodes do not say so."""

_GATES = (0, 2, 3, 1)
"""ONNX keeps a cell's gates as input, output, forget, new; torch as input, forget, new, output."""


def recover(graph: Path) -> Weights:
    """All weights of the int8 graph at ``graph``; takes some seconds.

    Raises:
        UnknownGraphError: the graph is not built as this code knows it.
    """
    return _weights(dequantise(onnx.load(str(graph))))


def _weights(model: onnx.ModelProto) -> Weights:
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}

    def array(name: str) -> NDArray[np.float32]:
        if name not in tensors:
            raise UnknownGraphError(f"the graph has no tensor {name}")
        return np.array(onnx.numpy_helper.to_array(tensors[name]), np.float32)

    found: Weights = {}
    for name, tensor in tensors.items():
        plain = name.removesuffix("_quantized_f32")
        if tensor.data_type == onnx.TensorProto.FLOAT and plain.startswith(_PREFIXES):
            found[plain.split(".", 1)[1]] = array(name)
    for module, node in _modules(model.graph.node):
        if node.op_type == "LSTM":
            found.update(_cell(module, *(array(name) for name in node.input[1:4])))
        elif node.input[1] not in tensors:
            continue
        elif node.op_type in ("Conv", "ConvTranspose"):
            found[f"{module}.weight"] = array(node.input[1])
        elif node.op_type == "MatMul":
            found[f"{module}.weight"] = np.ascontiguousarray(array(node.input[1]).T)
    return {name: values for name, values in found.items() if _OTHERS not in name}


def _modules(nodes: Iterable[onnx.NodeProto]) -> Iterator[tuple[str, onnx.NodeProto]]:
    """Each node with a second input, and its module; of those that share that input the first.

    ALBERT's twelve layers share their weights, and the first one's nodes name them.
    """
    seen: set[str] = set()
    for node in nodes:
        if len(node.input) > 1 and node.input[1] not in seen:
            seen.add(node.input[1])
            yield _module(node.name), node


def _module(node: str) -> str:
    """The module whose node this is: ``/encoder/F0.2/norm2/fc/Gemm_MatMul_quant`` is of
    ``predictor.F0.2.norm2.fc``."""
    side, *path = node.strip("/").split("/")[:-1] or [""]
    if side == "encoder" and path and path[0].split(".")[0] in _SHARED:
        path.insert(0, "predictor")
    steps: list[str] = []
    for step in path:
        if steps and step.startswith(f"{steps[-1]}."):
            steps.pop()
        steps.append(step)
    return ".".join(steps)


def _cell(
    module: str, inward: NDArray[np.float32], onward: NDArray[np.float32], bias: NDArray[np.float32]
) -> Weights:
    """A bidirectional LSTM's weights in torch's order; ``bias`` holds both of each direction."""
    found: Weights = {}
    for direction, suffix in enumerate(("", "_reverse")):
        inner, outer = np.split(bias[direction], 2)
        for name, values in (
            ("weight_ih", inward[direction]),
            ("weight_hh", onward[direction]),
            ("bias_ih", inner),
            ("bias_hh", outer),
        ):
            gates = np.split(values, 4)
            found[f"{module}.{name}_l0{suffix}"] = np.concatenate([gates[i] for i in _GATES])
    return found
