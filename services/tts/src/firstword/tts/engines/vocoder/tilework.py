"""The kernels of `convolution`: what one thread does with its jobs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .activation import clear, leaky, snake
from .jit import kernel
from .lanes import FEW_ROWS, PANEL, ROWS
from .rows import begin_sums, multiply_block, sum_rows, take_one
from .tiles import transform_input, transform_output


class Plan(NamedTuple):
    """How one convolution is cut and what it does."""

    shape: tuple[tuple[int, ...], tuple[int, ...]]
    """An entry for each output of a tile, and one for each tap: every shape has code of its own."""
    channels: int
    columns: int
    dilation: int
    length: int
    jobs: int
    tiles: int
    """Tiles of each phase in a job."""
    groups: int
    """Jobs side by side over the same tiles, each with ``panels`` panels of columns."""
    panels: int
    rectify: bool
    """Leaky rectifier, else snake."""
    measure: bool


class Places(NamedTuple):
    """Addresses in bytes: kernels that are given arrays count their owners, which costs time."""

    counter: int
    x: int
    gain: int
    shift: int
    first: int
    second: int
    matrices: int
    bias: int
    out: int
    residual: int
    """0: none."""
    total: int
    """What is added besides; 0: nothing."""
    nothing: int
    sums: int


class Scratch(NamedTuple):
    """One thread's memory: activated input (rows · channels), planes (size · ``stride``) of tiles
    (``pitch``) and the products of a few tiles (size · rows · panel); addresses, floats."""

    lines: int
    planes: int
    products: int
    stride: int
    pitch: int


@kernel
def _fill(plan: Plan, at: Places, first: int, count: int, scratch: Scratch) -> None:
    """The planes of ``count`` tiles from ``first`` on, phase after phase."""
    outputs, taps, width = len(plan.shape[0]), len(plan.shape[1]), 4 * plan.channels
    for phase in range(plan.dilation):
        start = first * outputs * plan.dilation + phase - plan.dilation * (taps - 1) // 2
        for line in range(count * outputs + taps - 1):
            row, target = start + line * plan.dilation, scratch.lines + line * width
            if row < 0 or row >= plan.length:
                clear(target, plan.channels)
            elif plan.rectify:
                source = at.x + row * width
                leaky(source, at.gain, at.shift, at.first, target, plan.channels)
            else:
                source = at.x + row * width
                snake(source, at.gain, at.shift, at.first, at.second, target, plan.channels)
        for tile in range(count):
            source = scratch.lines + tile * outputs * width
            target = scratch.planes + 4 * (phase * count + tile) * scratch.pitch
            transform_input(
                plan.shape, source, plan.channels, target, scratch.stride, plan.channels
            )


@kernel
def _multiply(plan: Plan, at: Places, scratch: Scratch, panel: int, block: int, rows: int) -> None:
    """The products of ``rows`` tiles from ``block`` on for one panel of columns."""
    size, depth = len(plan.shape[0]) + len(plan.shape[1]) - 1, plan.channels
    left, pitch = scratch.planes + 4 * block * scratch.pitch, scratch.pitch
    right = at.matrices + 4 * panel * size * depth * PANEL
    product = scratch.products
    for _ in range(size):
        if rows == ROWS:
            multiply_block(ROWS, left, pitch, right, product, PANEL, depth)
        else:
            multiply_block(FEW_ROWS, left, pitch, right, product, PANEL, depth)
        left += 4 * scratch.stride
        right += 4 * depth * PANEL
        product += 4 * ROWS * PANEL


@kernel
def _store(
    plan: Plan, at: Places, products: int, row: int, column: int, sums: int, begin: bool
) -> int:
    """One panel of a tile into the output from ``row`` on; how many rows of it count."""
    outputs = len(plan.shape[0])
    place, step = 4 * (row * plan.columns + column), plan.dilation * plan.columns
    transform_output(
        plan.shape,
        products,
        ROWS * PANEL,
        at.out + place,
        step,
        at.bias + 4 * column,
        at.residual + place if at.residual != 0 else at.nothing,
        step if at.residual != 0 else 0,
        at.total + place if at.total != 0 else at.nothing,
        step if at.total != 0 else 0,
    )
    valid: int = min(outputs, (plan.length - row + plan.dilation - 1) // plan.dilation)
    if plan.measure:
        if begin:
            begin_sums(at.out + place, sums + 4 * column, plan.columns)
        sum_rows(at.out + place, step, valid, sums + 4 * column, plan.columns)
    return valid


@kernel
def convolve(plan: Plan, at: Places, rows_of_jobs: NDArray[np.int64], scratch: Scratch) -> None:
    """Takes jobs from the counter until none is left."""
    outputs = len(plan.shape[0])
    per_tile = plan.dilation * outputs
    phase_tiles = (plan.length + per_tile - 1) // per_tile
    while True:
        job = take_one(at.counter)
        if job >= plan.jobs:
            break
        part, group = job // plan.groups, job % plan.groups
        first = part * plan.tiles
        count = min(plan.tiles, phase_tiles - first)
        _fill(plan, at, first, count, scratch)
        slots, valid = count * plan.dilation, 0
        sums = at.sums + 4 * part * 3 * plan.columns
        last = min((group + 1) * plan.panels, plan.columns // PANEL)
        for panel in range(group * plan.panels, last):
            block, valid = 0, 0
            while block < slots:
                rows = ROWS if slots - block > ROWS - FEW_ROWS else FEW_ROWS
                _multiply(plan, at, scratch, panel, block, rows)
                for slot in range(block, min(block + rows, slots)):
                    row = (first + slot % count) * outputs * plan.dilation + slot // count
                    if row < plan.length:
                        products = scratch.products + 4 * (slot - block) * PANEL
                        begin = valid == 0
                        valid += _store(plan, at, products, row, panel * PANEL, sums, begin)
                block += rows
        rows_of_jobs[part] = valid
