"""A convolution's transforms, one tile at a time (see `toomcook`); addresses as in `lanes`."""

from __future__ import annotations

from typing import Any

from .jit import intrinsic
from .lanes import LANES, PANEL, Writer, signature
from .toomcook import is_mirrored, transforms


@intrinsic
def transform_input(
    _context: Any, shape: Any, x: Any, x_stride: Any, v: Any, v_stride: Any, columns: Any
) -> Any:
    """v[i] = sum over j of Bᵀ[i, j] x[j] for ``columns`` columns; i, j < tile size."""
    matrix = transforms(*_sizes(shape)).input
    size = len(matrix)

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        x, x_stride, v, v_stride, columns = arguments[1:]
        w = Writer(builder)
        sources, targets = w.rows(x, x_stride, size), w.rows(v, v_stride, size)
        with w.columns(columns) as (offset, _):
            values = [w.load(builder.add(source, offset)) for source in sources]
            row = 0
            while row < size:
                target = builder.add(targets[row], offset)
                if row + 1 < size and is_mirrored(matrix[row], matrix[row + 1]):
                    even = w.weighted((matrix[row] + matrix[row + 1]) / 2, values)
                    odd = w.weighted((matrix[row] - matrix[row + 1]) / 2, values)
                    w.store(builder.fadd(even, odd), target)
                    w.store(builder.fsub(even, odd), builder.add(targets[row + 1], offset))
                    row += 2
                else:
                    w.store(w.weighted(matrix[row], values), target)
                    row += 1
        return context.get_dummy_value()

    return signature(shape, 5), write


@intrinsic
def transform_output(
    _context: Any,
    shape: Any,
    products: Any,
    stride: Any,
    y: Any,
    y_stride: Any,
    bias: Any,
    r1: Any,
    r1_stride: Any,
    r2: Any,
    r2_stride: Any,
) -> Any:
    """y[k] = bias + r1[k] + r2[k] + sum over i of Aᵀ[k, i] products[i], for one panel."""
    matrix = transforms(*_sizes(shape)).output
    count, size = matrix.shape

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        products, stride, y, y_stride, bias, r1, r1_stride, r2, r2_stride = arguments[1:]
        w = Writer(builder)
        planes = w.rows(products, stride, size)
        targets = w.rows(y, y_stride, count)
        first, second = w.rows(r1, r1_stride, count), w.rows(r2, r2_stride, count)
        for part in range(PANEL // LANES):
            values = [w.load(w.plus(plane, part * LANES)) for plane in planes]
            terms = _mirrored_terms(builder, matrix, values)
            start = w.load(w.plus(bias, part * LANES))
            for k in range(count):
                used = [
                    (column[k], value) for parity, column, value in terms if parity != 1 - k % 2
                ]
                total = w.weighted([u[0] for u in used], [u[1] for u in used], start)
                total = builder.fadd(total, w.load(w.plus(first[k], part * LANES)))
                total = builder.fadd(total, w.load(w.plus(second[k], part * LANES)))
                w.store(total, w.plus(targets[k], part * LANES))
        return context.get_dummy_value()

    return signature(shape, 9), write


def _sizes(shape: Any) -> tuple[int, int]:
    """(Outputs of a tile, taps) from the lengths of the two tuples in ``shape``."""
    outputs, taps = shape.types
    return outputs.count, taps.count


def _mirrored_terms(builder: Any, matrix: Any, values: list[Any]) -> list[tuple[int, Any, Any]]:
    """(parity, column, value): parity 0 counts in even rows only, 1 in odd ones, -1 in all."""
    terms: list[tuple[int, Any, Any]] = []
    i = 0
    while i < len(values):
        if i + 1 < len(values) and is_mirrored(matrix[:, i], matrix[:, i + 1]):
            terms.append((0, matrix[:, i], builder.fadd(values[i], values[i + 1])))
            terms.append((1, matrix[:, i], builder.fsub(values[i], values[i + 1])))
            i += 2
        else:
            terms.append((-1, matrix[:, i], values[i]))
            i += 1
    return terms
