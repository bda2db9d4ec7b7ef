import numpy as np
import pytest
from firstword.tts.engines.vocoder.crew import Crew
from firstword.tts.engines.vocoder.lanes import ROWS
from firstword.tts.engines.vocoder.projection import Projection


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("rows", [1, 5, 97, 400])
@pytest.mark.parametrize(
    ("depth", "stride", "columns"), [(20, 5, 22), (96, 32, 64), (66, 66, 40), (600, 200, 300)]
)
def test_rows_that_overlap_are_multiplied(rows, depth, stride, columns):
    x = random((rows + ROWS) * stride + depth)
    matrix, bias = random(depth, columns), random(columns)
    project = Projection(Crew(2), matrix, bias)
    out = np.zeros((rows + ROWS, project.columns), np.float32)
    sums = project(x, stride, rows, out, measure=True)
    windows = np.lib.stride_tricks.sliding_window_view(x, depth)[::stride][:rows]
    right = windows.astype(np.float64) @ matrix + bias
    assert out[:rows, :columns] == pytest.approx(right, abs=1e-3)
    assert sums.moments()[0, :columns] == pytest.approx(right.mean(0), abs=1e-3)
    assert sums.moments()[1, :columns] == pytest.approx(right.var(0), rel=1e-3, abs=1e-8)


def test_columns_are_filled_up_with_zeros_to_whole_panels():
    project = Projection(Crew(1), random(8, 3))
    out = np.ones((2 + ROWS, project.columns), np.float32)
    project(random(8 * (2 + ROWS)), 8, 2, out)
    assert project.columns > 3
    assert not out[:2, 3:].any()
