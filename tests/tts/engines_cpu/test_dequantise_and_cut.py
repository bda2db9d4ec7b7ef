import numpy as np
import onnx
import onnxruntime
import pytest
from firstword.tts.engines.dequantise import UnknownGraphError, dequantise
from firstword.tts.engines.graphs import cut
from onnx import TensorProto, helper, numpy_helper

WEIGHT = np.array([[12, -100], [90, 7], [0, 55]], np.int8)
SCALE = np.array(0.02, np.float32)


def quantised(bias=False):
    """A product as the quantiser writes it, between two nodes that stay."""
    node = helper.make_node
    nodes = [
        node("Relu", ["x"], ["r"]),
        node("DynamicQuantizeLinear", ["r"], ["q", "qs", "qz"]),
        node("MatMulInteger", ["q", "w_quantized", "qz", "w_zero_point"], ["i"], name="product"),
        node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        node("Mul", ["qs", "w_scale"], ["s"]),
        node("Mul", ["f", "s"], ["m"]),
        node("Neg", ["m"], ["y"]),
        node("Abs", ["y"], ["unused"]),
    ]
    tensors = [
        numpy_helper.from_array(WEIGHT, "w_quantized"),
        numpy_helper.from_array(SCALE, "w_scale"),
        numpy_helper.from_array(np.array(0, np.int8), "w_zero_point"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, ["n", 3])],
        [value("y", TensorProto.FLOAT, ["n", 2])],
        tensors,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def run(model, outputs, **fed):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(outputs, fed)


def test_a_quantised_product_becomes_a_plain_one():
    x = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    model = dequantise(quantised())
    assert [node.op_type for node in model.graph.node] == ["Relu", "MatMul", "Neg"]
    right = -np.maximum(x, 0) @ (WEIGHT.astype(np.float32) * SCALE)
    assert run(model, ["y"], x=x)[0] == pytest.approx(right, abs=1e-5)


def test_a_product_with_other_neighbours_is_refused_by_name():
    model = quantised()
    model.graph.node[1].op_type = "Identity"
    with pytest.raises(UnknownGraphError, match="product multiplies what Identity gave"):
        dequantise(model)


def test_a_product_used_twice_is_refused():
    model = quantised()
    model.graph.node.append(helper.make_node("Cast", ["i"], ["z"], to=TensorProto.INT64))
    with pytest.raises(UnknownGraphError, match="2 users"):
        dequantise(model)


def test_a_cut_graph_begins_and_ends_where_it_is_told():
    m = np.array([[1, -2]], np.float32)
    model = cut(dequantise(quantised()), {"m": ["n", 2]}, ["y"])
    assert [value.name for value in model.graph.input] == ["m"]
    assert not model.graph.initializer
    assert np.array_equal(run(model, ["y"], m=m)[0], -m)


def test_a_cut_graph_keeps_the_inputs_that_it_needs():
    model = cut(dequantise(quantised()), {}, ["r"])
    assert [value.name for value in model.graph.input] == ["x"]
    assert [node.op_type for node in model.graph.node] == ["Relu"]


def test_an_output_that_is_not_there_is_named():
    with pytest.raises(UnknownGraphError, match="nowhere"):
        cut(quantised(), {}, ["nowhere"])


def test_a_rewritten_graph_is_sound():
    onnx.checker.check_model(dequantise(quantised()))
