import threading

import numpy as np
import pytest
from firstword.tts.engines.averages import (
    SILENCE,
    TEXTS,
    Average,
    Averages,
    Measurement,
    average,
    key,
    shipped,
    write_table,
)
from firstword.tts.engines.vocoder.moments import Moments
from firstword.tts.engines.vocoder.steps import finish

STYLE = np.zeros((510, 256), np.float32)


class Voice:
    """Measures what it is told to, and counts."""

    def __init__(self):
        self.measured = 0

    def __call__(self, phonemes, style):
        yield
        self.measured += 1
        size = np.array([len(phonemes)], float)
        return Measurement(Moments(size, size), 4 / len(phonemes))


@pytest.fixture
def voice():
    return Voice()


def test_the_averages_are_what_a_mixture_of_speech_and_silence_measures():
    speech, still = np.array([3.0, -1.0]), np.array([1.0, 4.0])
    spread = np.array([2.0, 0.5])

    def mixture(share):
        mean = (1 - share) * speech + share * still
        return Moments(mean, np.sqrt(spread**2 + share * (1 - share) * (speech - still) ** 2))

    def measure(phonemes, style):
        yield
        share = 4 / len(phonemes)
        return Measurement(mixture(share), share)

    found = Average(finish(average(measure, STYLE)))
    for share in (*SILENCE, 0.06, 0.2):
        assert found.at(share).mean == pytest.approx(mixture(share).mean, rel=5e-3)
        assert found.at(share).deviation == pytest.approx(mixture(share).deviation, rel=5e-3)


def test_the_line_is_not_followed_far_and_no_deviation_is_lost():
    found = Average(np.array([[0, 5], [1, 1], [0, -5], [1, 1]], np.float16))
    assert np.array_equal(found.at(0.9).mean, found.at(SILENCE[1]).mean)
    assert np.array_equal(found.at(0.0).mean, found.at(0.05).mean)
    assert np.all(found.at(0.05).deviation >= 0.3)


def test_where_all_texts_have_one_share_the_average_is_that_of_all():
    def measure(phonemes, style):
        yield
        size = np.array([len(phonemes)], float)
        return Measurement(Moments(size, size), 0.2)

    lengths = np.array([len(text) for text in TEXTS], np.float64)
    found = Average(finish(average(measure, STYLE)))
    assert found.at(0.1).mean == pytest.approx(lengths.mean(), rel=1e-3)
    assert found.at(0.3).mean == found.at(0.1).mean


def test_a_voice_of_the_table_is_not_measured(voice, tmp_path):
    table = {key(STYLE): np.array([[1], [2], [3], [4]], np.float16)}
    given = Averages(table, tmp_path, voice).of(STYLE).at(SILENCE[0])
    assert (given.mean[0], given.deviation[0]) == (1, 2)
    assert given.mean.dtype == np.float64
    assert not voice.measured


def test_another_voice_is_measured_once_and_kept(voice, tmp_path):
    averages = Averages({}, tmp_path / "new", voice)
    first = averages.of(STYLE)
    again = Averages({}, tmp_path / "new", voice)
    for one in (averages, again):
        assert one.of(STYLE).at(0.2).mean == first.at(0.2).mean
    assert voice.measured == len(TEXTS)


def test_two_that_ask_at_once_measure_once(voice, tmp_path):
    averages = Averages({}, tmp_path, voice)
    threads = [threading.Thread(target=averages.of, args=(STYLE,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert voice.measured == len(TEXTS)


def test_a_measurement_pauses_and_two_that_take_turns_share_it(voice, tmp_path):
    averages = Averages({}, tmp_path, voice)
    first, second = averages.in_steps(STYLE), averages.in_steps(STYLE)
    for _ in range(len(TEXTS) // 2):
        next(first)
        next(second)
    assert voice.measured == len(TEXTS) - 1
    assert finish(second).at(0.2).mean == finish(first).at(0.2).mean
    assert voice.measured == len(TEXTS)


def test_a_measurement_that_one_leaves_is_ended_by_the_other(voice, tmp_path):
    averages = Averages({}, tmp_path, voice)
    left, stays = averages.in_steps(STYLE), averages.in_steps(STYLE)
    next(left)
    next(stays)
    left.close()
    assert finish(stays).at(0.2).mean[0] > 0
    assert voice.measured == len(TEXTS)


def test_a_measurement_that_all_have_left_is_closed(tmp_path):
    closed = []

    def measure(phonemes, style):
        try:
            yield
        finally:
            closed.append(phonemes)

    averages = Averages({}, tmp_path, measure)
    both = [averages.in_steps(STYLE), averages.in_steps(STYLE)]
    next(both[0])
    both[0].close()
    assert closed == [TEXTS[0]]
    assert not averages._measuring
    next(both[1])
    both[1].close()
    assert closed == [TEXTS[0]] * 2


def test_after_a_failure_the_next_one_measures_anew(voice, tmp_path):
    def failing(phonemes, style):
        yield
        raise MemoryError

    averages = Averages({}, tmp_path, failing)
    with pytest.raises(MemoryError):
        averages.of(STYLE)
    averages._measure = voice
    assert averages.of(STYLE).at(0.2).mean[0] > 0


@pytest.mark.parametrize("older", [False, True])
def test_a_kept_file_that_is_broken_or_older_is_measured_anew(voice, tmp_path, older):
    path = tmp_path / f"{key(STYLE)}.npy"
    if older:
        np.save(path, np.ones((2, 1), np.float16))
    else:
        path.write_bytes(b"\x93NUMPY broken")
    assert Averages({}, tmp_path, voice).of(STYLE).at(0.2).mean[0] > 0
    assert voice.measured == len(TEXTS)


def test_a_folder_that_cannot_be_written_stops_nothing(voice, tmp_path):
    (tmp_path / "file").write_text("")
    assert Averages({}, tmp_path / "file" / "folder", voice).of(STYLE).at(0.2).mean[0] > 0


def test_styles_are_known_by_their_numbers():
    other = STYLE.copy()
    other[-1, -1] = 1
    assert key(STYLE.copy()) == key(STYLE) != key(other)


def test_the_shipped_table_holds_the_28_english_voices():
    table = shipped()
    assert len(table) == 28
    assert all(rounded.shape == (4, 9216) for rounded in table.values())
    assert all(np.all(np.isfinite(rounded)) for rounded in table.values())


def test_a_table_is_read_as_it_was_written(tmp_path):
    rounded = np.array([[1, 2], [3, 4]], np.float16)
    write_table(tmp_path / "t.npz", {"a": rounded})
    with np.load(tmp_path / "t.npz") as table:
        assert table["keys"].tolist() == ["a"]
        assert np.array_equal(table["averages"][0], rounded)


def test_any_number_of_blends_takes_bounded_memory_and_disk(voice, tmp_path, monkeypatch):
    monkeypatch.setattr("firstword.tts.engines.averages.MEASURED", 2)
    monkeypatch.setattr("firstword.tts.engines.averages.KEPT", 3)
    averages = Averages({}, tmp_path, voice)
    for level in range(6):
        averages.of(STYLE + np.float32(level))
    assert len(list(tmp_path.iterdir())) == 3
    measured = voice.measured
    averages.of(STYLE + np.float32(5))
    assert voice.measured == measured
