import numpy as np
import pytest
from firstword.tts.engines.vocoder.convolution import SLACK, Affine, Convolution
from firstword.tts.engines.vocoder.crew import Crew

CHANNELS = 32


def random(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def plainly(x, weights, bias, dilation, activated):
    """The same by definition, in float64."""
    t = activated(x.astype(np.float64))
    taps = weights.shape[2]
    before = dilation * (taps - 1) // 2
    padded = np.pad(t, ((before, before), (0, 0)))
    parts = (
        padded[j * dilation : j * dilation + len(x)] @ weights[:, :, j].T.astype(np.float64)
        for j in range(taps)
    )
    return sum(parts) + bias


def snr_db(right, other):
    return 10 * np.log10(np.sum(right**2) / np.sum((right - other) ** 2))


class Case:
    def __init__(self, taps, dilation, length, crew=None, columns=CHANNELS):
        rng = np.random.default_rng(taps * 1000 + length)
        self.length, self.dilation = length, dilation
        self.weights = random(rng, columns, CHANNELS, taps) / np.float32(np.sqrt(CHANNELS * taps))
        self.bias = random(rng, columns)
        self.frequency = rng.uniform(0.5, 2, CHANNELS).astype(np.float32)
        self.affine = Affine(random(rng, CHANNELS), random(rng, CHANNELS))
        self.x = random(rng, length + SLACK, CHANNELS)
        self.out = random(rng, length + SLACK, columns)
        self.convolution = Convolution(
            crew or Crew(1),
            self.weights,
            self.bias,
            dilation=dilation,
            frequency=self.frequency,
        )

    def snake(self, x):
        t = self.affine.gain * x + self.affine.shift
        return t + np.sin(self.frequency * t) ** 2 / self.frequency

    def right(self):
        x = self.x[: self.length]
        return plainly(x, self.weights, self.bias, self.dilation, self.snake)

    def run(self, **options):
        return self.convolution(self.x, self.length, self.affine, self.out, **options)


@pytest.mark.parametrize("taps", [3, 7, 11])
@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("length", [1, 2, 7, 63, 500, 1501])
def test_every_length_and_dilation_is_convolved_right(taps, dilation, length):
    case = Case(taps, dilation, length)
    case.run()
    assert snr_db(case.right(), case.out[:length]) > 85


def test_the_residual_and_what_was_there_are_added():
    case = Case(7, 3, 300)
    before = case.out[:300].astype(np.float64)
    case.run(residual=case.x, accumulate=True)
    assert snr_db(case.right() + case.x[:300] + before, case.out[:300]) > 85


@pytest.mark.parametrize("length", [1, 63, 1501])
def test_mean_and_variance_of_the_output_come_with_it(length):
    case = Case(3, 5, length)
    mean, variance = case.run(measure=True).moments()
    out = case.out[:length].astype(np.float64)
    assert mean == pytest.approx(out.mean(0), abs=1e-5)
    assert variance == pytest.approx(out.var(0), rel=1e-4, abs=1e-9)


def test_a_rectifier_takes_the_snakes_place():
    case = Case(3, 1, 200)
    rectified = Convolution(Crew(1), case.weights, case.bias, slope=0.2)
    rectified(case.x, 200, case.affine, case.out)

    def leaky(x):
        t = case.affine.gain * x + case.affine.shift
        return np.where(t > 0, t, 0.2 * t)

    right = plainly(case.x[:200], case.weights, case.bias, 1, leaky)
    assert snr_db(right, case.out[:200]) > 85


def test_outputs_may_be_more_than_inputs():
    case = Case(3, 1, 100, columns=3 * CHANNELS)
    case.run()
    assert snr_db(case.right(), case.out[:100]) > 85


@pytest.mark.parametrize("taps", [3, 11])
def test_helpers_change_no_bit(taps):
    crew = Crew(3)
    helped = Case(taps, 3, 1501, crew)
    alone = Case(taps, 3, 1501, crew)
    sums = helped.run(measure=True).moments()
    with crew.calling(), crew.calling(), crew.calling():
        others = alone.run(measure=True).moments()
    assert np.array_equal(helped.out[:1501], alone.out[:1501])
    assert np.array_equal(sums, others)
    crew.close()
