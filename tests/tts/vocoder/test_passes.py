import numpy as np
import pytest
from firstword.tts.engines.vocoder.crew import Crew
from firstword.tts.engines.vocoder.passes import add, rectify

ROWS, CHANNELS = 700, 64


@pytest.fixture
def crew():
    crew = Crew(2)
    yield crew
    crew.close()


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((ROWS, CHANNELS)).astype(np.float32)


def test_rectified_rows_lie_between_zeros(crew, x):
    out = np.ones((ROWS + 6, CHANNELS), np.float32)
    rectify(crew, x, 0.1, out, 3)
    assert out[3:-3] == pytest.approx(np.where(x > 0, x, np.float32(0.1) * x))
    assert not out[:3].any()
    assert not out[-3:].any()


def test_a_sum_comes_with_its_mean_and_variance(crew, x):
    out = np.empty_like(x)
    sums = add(crew, x, 3 * x[::-1].copy(), out, measure=True)
    right = x + 3 * x[::-1].astype(np.float64)
    assert out == pytest.approx(right, abs=1e-5)
    assert sums.moments()[0] == pytest.approx(right.mean(0), abs=1e-5)
    assert sums.moments()[1] == pytest.approx(right.var(0), rel=1e-5)
