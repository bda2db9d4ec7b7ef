from types import SimpleNamespace

import numpy as np
import pytest
from firstword.tts.engines.acoustic import Rendered
from firstword.tts.engines.choice import Choice, choose, remember, remembered, snr_db
from firstword.tts.engines.front import Prosody

SAMPLES = np.sin(np.arange(600, dtype=np.float32))
FEATURES = np.ones((2, 512), np.float32)


def front(tokens, row, speed):
    one = np.ones(2, np.float32)
    return Prosody(np.ones((1, 512), np.float32), one, one, one)


class Clock:
    """Time passes only while somebody works."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


class Kernels:
    def __init__(self, clock, noise=0.0, takes_s=1.0, source_noise=0.0):
        self._clock, self._noise, self._takes_s = clock, noise, takes_s
        self._source_noise = source_noise

    def prepare(self, *_):
        return SimpleNamespace(features=FEATURES, phases=SimpleNamespace(samples=SAMPLES.size))

    def source(self, phases, first, last):
        return SAMPLES[first:last] + np.float32(self._source_noise)

    def whole(self, _):
        self._clock.now += self._takes_s

    def generator(self, features, harmonics, style):
        return SimpleNamespace(samples=SAMPLES + np.float32(self._noise))


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("firstword.tts.engines.choice.time", clock)
    return clock


@pytest.fixture
def acoustic(clock):
    def run(prosody, row):
        clock.now += 2.0
        return Rendered(SAMPLES, SAMPLES, np.ones((121, 22), np.float32), FEATURES)

    return run


def test_kernels_that_are_right_and_fast_run(clock, acoustic):
    kernels = Kernels(clock, noise=1e-5)
    choice, chosen = choose(lambda: kernels, front, acoustic)
    assert chosen is kernels
    assert choice.vocoder == "kernels"
    assert "2.0 times as fast" in choice.reason
    assert choice.snr_db == pytest.approx(97, abs=1)
    assert (choice.kernels_s, choice.onnxruntime_s) == (1.0, 2.0)


def test_kernels_that_are_wrong_do_not_run(clock, acoustic):
    choice, chosen = choose(lambda: Kernels(clock, noise=0.01), front, acoustic)
    assert chosen is None
    assert "37 dB from right" in choice.reason


def test_a_source_that_is_wrong_does_not_run(clock, acoustic):
    choice, chosen = choose(lambda: Kernels(clock, source_noise=0.01), front, acoustic)
    assert chosen is None
    assert "37 dB from right" in choice.reason


def test_kernels_that_make_no_numbers_do_not_run(clock, acoustic):
    choice, chosen = choose(lambda: Kernels(clock, noise=np.nan), front, acoustic)
    assert chosen is None
    assert choice.vocoder == "onnxruntime"


def test_kernels_that_are_slower_do_not_run(clock, acoustic):
    choice, chosen = choose(lambda: Kernels(clock, takes_s=3.0), front, acoustic)
    assert chosen is None
    assert choice.reason == "ONNX Runtime is faster here"


def test_a_compiler_that_fails_leaves_onnx_runtime(acoustic):
    def load():
        raise ImportError("no numba for this platform")

    choice, chosen = choose(load, front, acoustic)
    assert chosen is None
    assert choice.reason == "our kernels fail here: ImportError"


def test_equal_signals_have_no_noise_and_other_shapes_no_signal():
    assert snr_db(SAMPLES, SAMPLES.copy()) == float("inf")
    assert snr_db(SAMPLES, SAMPLES[1:]) == float("-inf")


def test_a_choice_for_the_kernels_is_remembered(tmp_path):
    choice = Choice("kernels", "right", 90.0, 1.0, 2.0)
    remember(tmp_path / "new" / "kept.json", choice)
    assert remembered(tmp_path / "new" / "kept.json") == choice


@pytest.mark.parametrize("text", ["", "{}", '{"vocoder": "onnxruntime", "reason": "slow"}'])
def test_what_is_no_choice_for_the_kernels_is_not_remembered(tmp_path, text):
    (tmp_path / "kept.json").write_text(text)
    assert remembered(tmp_path / "kept.json") is None


def test_a_choice_against_the_kernels_is_tried_again_next_time(tmp_path):
    remember(tmp_path / "kept.json", Choice("onnxruntime", "busy"))
    assert not (tmp_path / "kept.json").exists()
