"""The silence and noise around an utterance."""

from __future__ import annotations

import numpy as np
import pytest
from firstword.tts.trim import FRAME, KEEP_HEAD, KEEP_TAIL, Trimmer
from hypothesis import given
from hypothesis import strategies as st

RATE = 24_000


def ms(count: float) -> int:
    return round(count * RATE / 1000)


def silence(milliseconds: float) -> np.ndarray:
    """As the model leaves it: a floor at -75 dB."""
    noise = np.random.default_rng(3).standard_normal(ms(milliseconds))
    return (noise * 1.8e-4).astype(np.float32)


def voice(milliseconds: float, level: float = 0.3) -> np.ndarray:
    return (level * np.sin(np.arange(ms(milliseconds)) * 0.05)).astype(np.float32)


def trimmed(
    blocks: list[np.ndarray], tail_from: int | None = 0, limit: int | None = None
) -> np.ndarray:
    trimmer = Trimmer()
    trimmer.tail_from, trimmer.limit = tail_from, limit
    return np.concatenate([*(trimmer.feed(block) for block in blocks), trimmer.finish()])


def test_silence_at_both_ends_goes_and_a_breath_of_it_stays() -> None:
    kept = trimmed([np.concatenate([silence(350), voice(500), silence(600)])])
    assert abs(kept.size - ms(40 + 500 + 60)) <= 2 * FRAME


def test_at_least_30_ms_stay_before_the_first_voiced_sample() -> None:
    for lead in range(0, 400, 7):
        trimmer = Trimmer()
        audio = np.concatenate([silence(lead), voice(300), silence(100)])
        trimmer.feed(audio)
        assert ms(lead) - trimmer.head >= min(ms(30), ms(lead))


def test_a_soft_onset_is_kept() -> None:
    # A vowel that swells from nothing over 80 ms, as in "En la quietud".
    swell = voice(80) * np.linspace(0, 1, ms(80), dtype=np.float32) ** 2
    audio = np.concatenate([silence(300), swell, voice(300), silence(300)])
    trimmer = Trimmer()
    trimmer.tail_from = 0
    trimmer.feed(audio)
    assert trimmer.head <= ms(300)


def test_no_click_at_either_end() -> None:
    kept = trimmed([voice(400)])
    assert kept.size == ms(400)
    assert abs(kept[0]) < 1e-3
    assert abs(kept[-1]) < 1e-3
    assert np.max(np.abs(np.diff(kept))) <= 0.3 * 0.05 + 1e-3
    assert np.array_equal(kept[ms(5) : -ms(10)], voice(400)[ms(5) : -ms(10)])


def test_what_is_voiced_after_the_last_word_is_cut() -> None:
    audio = np.concatenate([silence(300), voice(400), silence(150), voice(200), silence(100)])
    kept = trimmed([audio], tail_from=ms(500), limit=ms(800))
    assert abs(kept.size - ms(40 + 400 + 60)) <= 2 * FRAME


def test_a_word_that_sounds_on_at_the_limit_is_faded_there() -> None:
    kept = trimmed([voice(1000)], tail_from=ms(300), limit=ms(700))
    assert abs(kept.size - ms(700)) <= FRAME
    assert abs(kept[-1]) < 1e-3


def test_pauses_inside_are_kept_whole() -> None:
    audio = np.concatenate([voice(200), silence(900), voice(200)])
    assert trimmed([audio]).size == audio.size


def test_an_utterance_of_which_nothing_is_heard_is_nothing() -> None:
    assert trimmed([silence(500), silence(500)]).size == 0
    assert trimmed([]).size == 0
    assert trimmed([np.zeros(5, np.float32)]).size == 0


def test_before_the_last_word_all_but_a_fade_goes_out_at_once() -> None:
    trimmer = Trimmer()
    first = trimmer.feed(np.concatenate([silence(300), voice(300), silence(200)]))
    assert first.size >= ms(40 + 300 + 200 - 10) - FRAME


def test_after_the_last_word_silence_is_held_back() -> None:
    trimmer = Trimmer()
    trimmer.tail_from = ms(300)
    first = trimmer.feed(np.concatenate([silence(300), voice(300), silence(200)]))
    assert first.size <= ms(40 + 300) + FRAME
    assert trimmer.feed(voice(100)).size >= ms(200 + 100 - 10) - FRAME


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 300)), min_size=1, max_size=8),
    st.lists(st.integers(0, 40_000), max_size=10),
    st.one_of(st.none(), st.integers(0, 40_000)),
    st.one_of(st.none(), st.integers(0, 40_000)),
)
def test_how_the_audio_is_cut_does_not_matter(
    parts: list[tuple[bool, int]],
    cuts: list[int],
    tail_from: int | None,
    limit: int | None,
) -> None:
    audio = np.concatenate([voice(n) if loud else silence(n) for loud, n in parts])
    cut = np.split(audio, sorted(min(at, audio.size) for at in cuts))
    at_once = trimmed([audio], tail_from, limit)
    assert np.array_equal(trimmed(cut, tail_from, limit), at_once)
    assert at_once.size <= audio.size


@pytest.mark.parametrize("size", [1, 7, FRAME - 1, FRAME, FRAME + 1])
def test_sample_by_sample_is_as_good_as_at_once(size: int) -> None:
    audio = np.concatenate([silence(120), voice(90), silence(120)])
    blocks = [audio[at : at + size] for at in range(0, audio.size, size)]
    assert np.array_equal(trimmed(blocks), trimmed([audio]))
    assert trimmed(blocks).size <= ms(90) + KEEP_HEAD + KEEP_TAIL + 2 * FRAME
