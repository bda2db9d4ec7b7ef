"""Products, sums and additions of rows, one panel of columns at a time; addresses as in `lanes`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils

from .jit import intrinsic
from .lanes import INDEX, LANES, PANEL, VECTOR, ZERO, Writer, signature


@intrinsic
def multiply_block(
    _context: Any, rows: Any, a: Any, a_stride: Any, b: Any, c: Any, c_stride: Any, depth: Any
) -> Any:
    """c = a @ b for ``rows`` rows and one panel of columns.

    ``b`` is packed: ``depth`` rows of `PANEL` floats, one after the other. Each sum runs over the
    depth in order, so a row's result does not depend on the block it falls into.
    """
    count, vectors = rows.literal_value, PANEL // LANES

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        a, a_stride, b, c, c_stride, depth = arguments[1:]
        w = Writer(builder)
        sources, targets = w.rows(a, a_stride, count), w.rows(c, c_stride, count)
        before = builder.block
        loop = builder.append_basic_block("depth")
        after = builder.append_basic_block("sums")
        builder.branch(loop)
        builder.position_at_end(loop)
        index = builder.phi(INDEX)
        index.add_incoming(ir.Constant(INDEX, 0), before)
        sums = [[builder.phi(VECTOR) for _ in range(vectors)] for _ in range(count)]
        line = builder.add(b, builder.mul(index, ir.Constant(INDEX, 4 * PANEL)))
        right = [w.load(w.plus(line, part * LANES)) for part in range(vectors)]
        results = []
        for source, row in zip(sources, sums, strict=True):
            left = w.spread(builder.add(source, w.bytes_of(index)))
            results.append(
                [w.fma(left, value, part) for value, part in zip(right, row, strict=True)]
            )
        for row, made in zip(sums, results, strict=True):
            for phi, value in zip(row, made, strict=True):
                phi.add_incoming(ZERO, before)
                phi.add_incoming(value, loop)
        following = builder.add(index, ir.Constant(INDEX, 1))
        index.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, after)
        builder.position_at_end(after)
        for target, made in zip(targets, results, strict=True):
            for part, value in enumerate(made):
                w.store(value, w.plus(target, part * LANES))
        return context.get_dummy_value()

    return signature(rows, 6), write


@intrinsic
def begin_sums(_context: Any, y: Any, sums: Any, sums_stride: Any) -> Any:
    """sums[0] = y, sums[1] = sums[2] = 0 for one panel of columns."""

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        y, sums, sums_stride = arguments
        w = Writer(builder)
        shifts, totals, squares = w.rows(sums, sums_stride, 3)
        for part in range(PANEL // LANES):
            w.store(w.load(w.plus(y, part * LANES)), w.plus(shifts, part * LANES))
            w.store(ZERO, w.plus(totals, part * LANES))
            w.store(ZERO, w.plus(squares, part * LANES))
        return context.get_dummy_value()

    return types.void(*[types.intp] * 3), write


@intrinsic
def sum_rows(_context: Any, y: Any, stride: Any, rows: Any, sums: Any, sums_stride: Any) -> Any:
    """For ``rows`` rows of one panel: sums[1] += y - sums[0], sums[2] += (y - sums[0])²."""
    vectors = PANEL // LANES

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        y, stride, rows, sums, sums_stride = arguments
        w = Writer(builder)
        shifts, totals, squares = (
            [w.plus(row, part * LANES) for part in range(vectors)]
            for row in w.rows(sums, sums_stride, 3)
        )
        shift = [w.load(address) for address in shifts]
        start = [w.load(address) for address in totals + squares]
        before = builder.block
        loop, after = builder.append_basic_block("rows"), builder.append_basic_block("sums")
        builder.branch(loop)
        builder.position_at_end(loop)
        row, line = builder.phi(INDEX), builder.phi(INDEX)
        parts = [builder.phi(VECTOR) for _ in start]
        made = []
        for part in range(vectors):
            difference = builder.fsub(w.load(w.plus(line, part * LANES)), shift[part])
            total = builder.fadd(parts[part], difference)
            made.append((total, w.fma(difference, difference, parts[vectors + part])))
        results = [total for total, _ in made] + [square for _, square in made]
        following = builder.add(row, ir.Constant(INDEX, 1))
        for phi, first, then in [
            (row, ir.Constant(INDEX, 0), following),
            (line, y, builder.add(line, w.bytes_of(stride))),
            *zip(parts, start, results, strict=True),
        ]:
            phi.add_incoming(first, before)
            phi.add_incoming(then, loop)
        builder.cbranch(builder.icmp_signed("<", following, rows), loop, after)
        builder.position_at_end(after)
        for address, value in zip(totals + squares, results, strict=True):
            w.store(value, address)
        return context.get_dummy_value()

    return types.void(*[types.intp] * 5), write


@intrinsic
def add_rows(
    _context: Any, x: Any, x_stride: Any, y: Any, y_stride: Any, out: Any, stride: Any, rows: Any
) -> Any:
    """out = x + y for one panel of columns of ``rows`` rows."""

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        x, x_stride, y, y_stride, out, stride, rows = arguments
        w = Writer(builder)
        with cgutils.for_range(builder, rows) as loop:
            left = builder.add(x, w.bytes_of(builder.mul(loop.index, x_stride)))
            right = builder.add(y, w.bytes_of(builder.mul(loop.index, y_stride)))
            target = builder.add(out, w.bytes_of(builder.mul(loop.index, stride)))
            for part in range(PANEL // LANES):
                a = w.load(w.plus(left, part * LANES))
                b = w.load(w.plus(right, part * LANES))
                w.store(builder.fadd(a, b), w.plus(target, part * LANES))
        return context.get_dummy_value()

    return types.void(*[types.intp] * 7), write


@intrinsic
def take_one(_context: Any, _counter: Any) -> Any:
    """The integer at this address, which is one higher for whoever asks next (atomic)."""

    def write(_context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], INDEX.as_pointer())
        return builder.atomic_rmw("add", pointer, ir.Constant(INDEX, 1), "monotonic")

    return types.intp(types.intp), write
