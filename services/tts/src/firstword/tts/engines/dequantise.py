"""The int8 graph as a plain float32 one: the same weights, no rounding of activations on the way.

Dynamic quantisation wrote each matrix product as DynamicQuantizeLinear, MatMulInteger (or
ConvInteger, with a whole-number bias), Cast and Mul. That pattern becomes one MatMul or Conv with
the weights multiplied out; DynamicQuantizeLSTM becomes LSTM, and a quantised table's Gather and
DequantizeLinear become one Gather.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import onnx
from numpy.typing import NDArray

type Node = onnx.NodeProto

_PRODUCTS = {"MatMulInteger": "MatMul", "ConvInteger": "Conv"}
_LSTM_ATTRIBUTES = ("direction", "hidden_size", "input_forget")


class UnknownGraphError(ValueError):
    """The graph is not built as this code knows it; says which node."""


def dequantise(model: onnx.ModelProto) -> onnx.ModelProto:
    """``model`` rewritten in place, its nodes in an order that can be run.

    Raises:
        UnknownGraphError: a quantised node has neighbours other than those described above.
    """
    _Rewriter(model.graph).run()
    return model


class _Rewriter:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self._graph = graph
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        self._makers = {output: node for node in graph.node for output in node.output}
        self._users: dict[str, list[Node]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self._users[name].append(node)
        self._made: dict[str, onnx.TensorProto] = {}

    def run(self) -> None:
        replaced: dict[int, Node] = {}
        for node in self._graph.node:
            if node.op_type in _PRODUCTS:
                last, new = self._product(node)
                replaced[id(last)] = new
            elif node.op_type == "DynamicQuantizeLSTM":
                replaced[id(node)] = self._lstm(node)
            elif node.op_type == "DequantizeLinear":
                replaced[id(node)] = self._gather(node)
        nodes = [replaced.get(id(node), node) for node in self._graph.node]
        prune(self._graph, nodes, self._made.values(), [o.name for o in self._graph.output])

    def _product(self, node: Node) -> tuple[Node, Node]:
        """The last node of the pattern that begins with ``node``, and what takes its place."""
        quantise = self._makers[node.input[0]]
        if quantise.op_type != "DynamicQuantizeLinear":
            raise UnknownGraphError(f"{node.name} multiplies what {quantise.op_type} gave")
        weight, zero = node.input[1], node.input[3]
        scale = weight.removesuffix("_quantized") + "_scale"
        inputs = [quantise.input[0], self._keep(weight, self._real(weight, zero, scale))]
        following = self._only_user(node)
        if following.op_type == "Add":
            bias = following.name.replace("_quantizedbias_add", "")
            if bias not in self._tensors:
                raise UnknownGraphError(f"{following.name} adds a bias that is not there")
            inputs.append(bias)
            following = self._only_user(following)
        last = self._only_user(following)
        if (following.op_type, last.op_type) != ("Cast", "Mul"):
            raise UnknownGraphError(f"{node.name} is followed by {following.op_type}")
        new = onnx.helper.make_node(_PRODUCTS[node.op_type], inputs, last.output, node.name)
        if node.op_type == "ConvInteger":
            new.attribute.extend(node.attribute)
        return last, new

    def _lstm(self, node: Node) -> Node:
        x, weight, recurrence, *rest = node.input[:8]
        scales, zeros = (node.input[8], node.input[10]), (node.input[9], node.input[11])
        tables = []
        for name, scale, zero in zip((weight, recurrence), scales, zeros, strict=True):
            factor, offset = (self._array(n).astype(np.float32) for n in (scale, zero))
            factor = factor.reshape(-1, 1, 1) if factor.ndim == 1 else factor
            values = (self._array(name).astype(np.float32) - offset.reshape(-1, 1, 1)) * factor
            tables.append(self._keep(name, np.ascontiguousarray(values.transpose(0, 2, 1))))
        new = onnx.helper.make_node("LSTM", [x, *tables, *rest], node.output, node.name)
        new.attribute.extend(a for a in node.attribute if a.name in _LSTM_ATTRIBUTES)
        return new

    def _gather(self, node: Node) -> Node:
        gather = self._makers[node.input[0]]
        if gather.op_type != "Gather":
            raise UnknownGraphError(f"{node.name} takes what {gather.op_type} gave")
        table = gather.input[0]
        name = self._keep(table, self._real(table, node.input[2], node.input[1]))
        new = onnx.helper.make_node("Gather", [name, gather.input[1]], node.output, gather.name)
        new.attribute.extend(gather.attribute)
        return new

    def _only_user(self, node: Node) -> Node:
        users = self._users[node.output[0]]
        if len(users) != 1:
            raise UnknownGraphError(f"{node.name} has {len(users)} users, expected one")
        return users[0]

    def _array(self, name: str) -> NDArray[np.generic]:
        return onnx.numpy_helper.to_array(self._tensors[name])

    def _real(self, name: str, zero: str, scale: str) -> NDArray[np.float32]:
        values, offset, factor = (
            self._array(each).astype(np.float32) for each in (name, zero, scale)
        )
        return ((values - offset) * factor).astype(np.float32)

    def _keep(self, name: str, values: NDArray[np.float32]) -> str:
        self._made[f"{name}_f32"] = onnx.numpy_helper.from_array(values, f"{name}_f32")
        return f"{name}_f32"


def prune(
    graph: onnx.GraphProto,
    nodes: Iterable[Node],
    tensors: Iterable[onnx.TensorProto],
    outputs: Iterable[str],
) -> None:
    """Leave in ``graph`` only what ``outputs`` need, ``nodes`` in an order that can be run.

    ``nodes`` take the place of the graph's own; ``tensors`` come to its initialisers.
    """
    makers = {output: node for node in nodes for output in node.output if output}
    order: list[Node] = []
    done: set[int] = set()
    waiting = [(makers[name], False) for name in outputs if name in makers]
    while waiting:
        node, entered = waiting.pop()
        if id(node) in done:
            continue
        if entered:
            done.add(id(node))
            order.append(node)
            continue
        waiting.append((node, True))
        waiting += [(makers[name], False) for name in node.input if name in makers]
    used = {name for node in order for name in node.input}
    kept = [tensor for tensor in (*graph.initializer, *tensors) if tensor.name in used]
    order, kept = [_copy(node) for node in order], [_same(tensor) for tensor in kept]
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(order)
    graph.initializer.extend(kept)


def _copy(node: Node) -> Node:
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    return copy


def _same(tensor: onnx.TensorProto) -> onnx.TensorProto:
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    return copy
