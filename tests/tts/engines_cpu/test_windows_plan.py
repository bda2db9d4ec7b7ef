from itertools import pairwise

import pytest
from firstword.tts.engines.windows import FIRST, LEAD, LONGEST, SHORTEST, TAIL, plan, spoken
from hypothesis import given
from hypothesis import strategies as st


def test_windows_double_from_the_first_to_the_longest():
    lengths = [last - first for first, last in plan(0, 500)]
    assert lengths[:5] == [10, 20, 40, 80, 96]


@pytest.mark.parametrize(("after_s", "first"), [(0.4, 10), (1.0, 20), (3.0, 60), (60.0, 96)])
def test_after_much_audio_windows_begin_longer(after_s, first):
    assert plan(0, 500, after_s)[0] == (0, first)


@given(st.integers(0, 50), st.integers(1, 2000), st.floats(0, 1000))
def test_windows_cover_every_frame_once(first, count, after_s):
    windows = plan(first, first + count, after_s)
    assert windows[0][0] == first
    assert windows[-1][1] == first + count
    assert all(a[1] == b[0] for a, b in pairwise(windows))
    assert all(last - start < LONGEST + SHORTEST for start, last in windows)
    assert all(last - start >= min(SHORTEST, count) for start, last in windows)


def test_the_models_silence_at_both_ends_is_not_rendered():
    assert spoken(100, 17.0, 80.0) == (17 - LEAD, 81 + TAIL)


def test_without_words_all_of_the_end_is_rendered():
    assert spoken(100, 17.0, None)[1] == 100


@given(st.integers(1, 200), st.floats(0, 200), st.one_of(st.none(), st.floats(0, 250)))
def test_at_least_one_frame_is_rendered_and_none_that_is_not_there(frames, lead, words_end):
    first, last = spoken(frames, lead, words_end)
    assert 0 <= first < last <= max(frames, first + 1)
    assert first <= max(0, frames - min(FIRST, frames))
