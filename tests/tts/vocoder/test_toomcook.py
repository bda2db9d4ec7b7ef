import numpy as np
import pytest
from firstword.tts.engines.vocoder.toomcook import OUTPUTS, is_mirrored, transforms


@pytest.mark.parametrize("taps", OUTPUTS)
def test_a_tile_is_the_filter_applied_to_its_inputs(taps):
    rng = np.random.default_rng(taps)
    x, w = rng.standard_normal(OUTPUTS[taps] + taps - 1), rng.standard_normal(taps)
    a, g, b = transforms(OUTPUTS[taps], taps)
    tile = a @ ((g @ w) * (b @ x))
    assert tile == pytest.approx(np.correlate(x, w), abs=1e-10)


@pytest.mark.parametrize("taps", OUTPUTS)
def test_rows_come_in_pairs_that_share_sums(taps):
    matrix = transforms(OUTPUTS[taps], taps).input
    first = len(matrix) % 2 ^ 1
    for row in range(first, len(matrix) - 1, 2):
        assert is_mirrored(matrix[row], matrix[row + 1])
    assert not is_mirrored(matrix[0], matrix[-1])


def test_a_size_without_known_points_is_refused():
    with pytest.raises(KeyError):
        transforms(20, 3)
