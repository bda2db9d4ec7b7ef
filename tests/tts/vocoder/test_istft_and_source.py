import numpy as np
import pytest
from firstword.tts.engines.vocoder.crew import Crew
from firstword.tts.engines.vocoder.istft import BINS, HOP, WINDOW, InverseTransform
from firstword.tts.engines.vocoder.lanes import ROWS
from firstword.tts.engines.vocoder.source import MARGIN, SourceSpectrum, reflected

HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
SILENCE = np.arange(2 * BINS, dtype=np.float32)


@pytest.fixture
def crew():
    crew = Crew(2)
    yield crew
    crew.close()


def wave(samples):
    rng = np.random.default_rng(0)
    return (np.sin(np.arange(samples) / 7) + 0.1 * rng.standard_normal(samples)).astype(np.float32)


def mirrored(samples):
    return np.pad(samples, MARGIN, mode="reflect")


def spectrum_of(crew, samples, first, count):
    part = reflected(lambda begin, end: samples[begin:end], samples.size, first, count)
    return SourceSpectrum(crew, SILENCE)(part, count)


def by_fft(padded, count):
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:count]
    return np.fft.rfft(windows.astype(np.float64) * HANN, axis=1)


def test_the_spectrum_is_the_fourier_transforms(crew):
    spectrum = spectrum_of(crew, wave(600), 0, 121)
    right = by_fft(mirrored(wave(600)), 121)
    assert spectrum[:, :BINS] == pytest.approx(np.abs(right), abs=1e-5)
    inner = slice(1, BINS - 1)
    angles = np.exp(1j * spectrum[:, BINS:][:, inner])
    assert angles == pytest.approx(np.exp(1j * np.angle(right[:, inner])), abs=1e-3)
    negative = right.real[:, [0, -1]] < 0
    assert spectrum[:, BINS] == pytest.approx(np.where(negative[:, 0], np.pi, 0))
    assert spectrum[:, -1] == pytest.approx(np.where(negative[:, 1], -np.pi, 0))


def test_a_wave_that_does_not_move_gives_the_models_silence(crew):
    spectrum = spectrum_of(crew, np.full(600, 0.3, np.float32), 0, 121)
    assert np.array_equal(spectrum, np.tile(SILENCE, (121, 1)))


@pytest.mark.parametrize(("first", "count"), [(0, 1), (1, 30), (37, 211), (589, 12)])
def test_any_stretch_is_part_of_the_whole(crew, first, count):
    whole = spectrum_of(crew, wave(3000), 0, 601)
    assert np.array_equal(spectrum_of(crew, wave(3000), first, count), whole[first : first + count])


def test_a_spectrum_becomes_the_wave_it_came_from(crew):
    original = wave(1500)
    right = by_fft(mirrored(original), 301)
    polar = np.concatenate([np.log(np.abs(right)), np.arcsin(0 * np.abs(right))], 1)
    # The network gives the sine of what becomes the phase: only phases within ±1 can be asked for.
    phase = np.angle(right)
    reachable = np.abs(phase) < 1
    polar[:, BINS:] = np.arcsin(np.where(reachable, phase, 0))
    spoken = np.abs(right) * np.exp(1j * np.where(reachable, phase, 0))
    weights = np.full(BINS, 2.0)
    weights[[0, -1]] = 1
    n, k = np.arange(WINDOW), np.arange(BINS)[:, None]
    angle = 2 * np.pi * n * k / WINDOW
    scale = (weights / WINDOW)[:, None] * HANN * HOP / WINDOW
    basis = np.concatenate([scale * np.cos(angle), -scale * np.sin(angle)]).astype(np.float32)
    window_sum = np.array(
        [sum(HANN[(i % HOP) + HOP * j] ** 2 for j in range(i // HOP + 1)) for i in range(WINDOW)],
        np.float32,
    )
    inverse = InverseTransform(crew, basis, window_sum)
    scratch = np.empty((301 + ROWS, 2 * BINS), np.float32)
    frames = np.empty((301 + ROWS, inverse.columns), np.float32)
    samples = inverse(polar.astype(np.float32), scratch, frames, begins=False)
    pieces = np.fft.irfft(spoken, axis=1) * HANN
    total = np.zeros(300 * HOP + WINDOW)
    for number, piece in enumerate(pieces):
        total[number * HOP : number * HOP + WINDOW] += piece
    right_samples = total[WINDOW // 2 : -WINDOW // 2] / 1.5
    assert samples == pytest.approx(right_samples, abs=1e-5)


def test_the_first_samples_are_as_loud_as_the_rest(crew):
    basis = np.zeros((2 * BINS, WINDOW), np.float32)
    basis[0] = HANN**2
    window_sum = np.array(
        [sum(HANN[(i % HOP) + HOP * j] ** 2 for j in range(i // HOP + 1)) for i in range(WINDOW)],
        np.float32,
    )
    inverse = InverseTransform(crew, basis, window_sum)
    flat = np.zeros((41, 2 * BINS), np.float32)
    scratch = np.empty((41 + ROWS, 2 * BINS), np.float32)
    frames = np.empty((41 + ROWS, inverse.columns), np.float32)
    samples = inverse(flat, scratch, frames, begins=True)
    assert samples[:150] == pytest.approx(np.full(150, samples[100]), rel=1e-4)
