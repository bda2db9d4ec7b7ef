import numpy as np
import pytest
from firstword.tts.engines.vocoder.crew import Crew
from firstword.tts.engines.vocoder.harmonics import HARMONICS, PER_ROW, RATE, HarmonicSource

MIXTURE = np.linspace(0.5, -0.3, HARMONICS).astype(np.float32)
BIAS = np.array([-0.03], np.float32)


@pytest.fixture
def source():
    crew = Crew(2)
    yield HarmonicSource(crew, MIXTURE, BIAS)
    crew.close()


def wave_of(source, pitch):
    phases = source.phases(np.asarray(pitch, np.float32))
    return source(phases, 0, phases.samples)


def test_a_steady_pitch_is_nine_sines_through_a_tanh(source):
    wave = wave_of(source, np.full(40, 150.0))
    # The phase is held over the first and the last half row; a row's own turn is in its middle.
    n = np.arange(PER_ROW // 2, 40 * PER_ROW - PER_ROW // 2) + 0.5 + PER_ROW / 2
    turns = np.arange(1, HARMONICS + 1)[:, None] * 150.0 * n / RATE
    right = np.tanh(0.1 * MIXTURE @ np.sin(2 * np.pi * turns) + BIAS[0])
    assert wave[PER_ROW // 2 : -PER_ROW // 2] == pytest.approx(right, abs=2e-3)


def test_what_is_not_voiced_is_constant(source):
    pitch = np.full(20, 200.0)
    pitch[5:9] = [0, -3, 9.9, 10]
    wave = wave_of(source, pitch).reshape(20, PER_ROW)
    assert np.all(wave[5:9] == np.tanh(BIAS[0]))
    assert np.all(np.ptp(wave[[4, 9]], axis=1) > 0.1)


def test_the_phase_goes_on_where_the_pitch_changes(source):
    wave = wave_of(source, np.repeat([120.0, 240.0, 90.0], 10))
    steepest = 0.1 * 2 * np.pi * 240 / RATE * np.abs(MIXTURE) @ np.arange(1, HARMONICS + 1)
    assert np.max(np.abs(np.diff(wave))) <= steepest * 1.01


@pytest.mark.parametrize(("first", "last"), [(0, 1), (149, 151), (1234, 4567), (5999, 6000)])
def test_any_stretch_is_part_of_the_whole(source, first, last):
    pitch = 150 + 60 * np.sin(np.arange(20))
    phases = source.phases(pitch.astype(np.float32))
    whole = source(phases, 0, phases.samples)
    assert np.array_equal(source(phases, first, last), whole[first:last])
