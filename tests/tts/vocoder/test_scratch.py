import numpy as np
import pytest
from firstword.tts.engines.vocoder.scratch import Arena, Pool, aligned


@pytest.mark.parametrize("shape", [(1,), (3, 5), (7, 64)])
def test_arrays_begin_at_a_cache_line(shape):
    array = aligned(*shape)
    assert array.shape == shape
    assert array.ctypes.data % 64 == 0


def test_cut_arrays_do_not_overlap():
    first, second = Arena().cut([(10, 3), (4, 4)])
    first[:] = 1
    second[:] = 2
    assert np.all(first == 1)


def test_memory_is_used_again_and_a_large_block_given_back():
    arena = Arena(keep=1000)
    small = arena.cut([(10, 10)])[0].ctypes.data
    assert arena.cut([(10, 10)])[0].ctypes.data == small
    large = arena.cut([(100, 100)])[0]
    arena.shrink()
    assert arena.cut([(10, 10)])[0].ctypes.data != large.ctypes.data


def test_what_was_lent_is_lent_again_even_after_a_failure():
    made = []
    pool = Pool(lambda: made.append(1) or len(made))
    with pytest.raises(KeyError), pool.lend():
        raise KeyError
    with pool.lend() as first, pool.lend() as second:
        assert {first, second} == {1, 2}
    assert len(made) == 2
