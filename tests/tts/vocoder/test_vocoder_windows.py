"""The whole network on random weights: the numbers mean nothing, but they must agree."""

import threading

import numpy as np
import pytest
from firstword.tts.engines.vocoder.generator import SOURCE, Generator
from firstword.tts.engines.vocoder.harmonics import HARMONICS
from firstword.tts.engines.vocoder.moments import Moments
from firstword.tts.engines.vocoder.vocoder import FRAME, Vocoder

FRAMES = 40


def random(rng, *shape):
    fan = np.prod(shape[1:]) if len(shape) > 1 else 1
    return (rng.standard_normal(shape) / np.sqrt(fan)).astype(np.float32)


def norm(rng, name, channels):
    return {f"{name}.w": random(rng, 128, 2 * channels), f"{name}.b": random(rng, 2 * channels)}


def convolution(rng, name, out, into, taps):
    return {f"{name}.w": random(rng, out, into, taps), f"{name}.b": random(rng, out)}


def resblock(rng, name, channels, taps):
    weights = {}
    for i in range(3):
        for half in (1, 2):
            weights |= convolution(rng, f"{name}.convs{half}.{i}", channels, channels, taps)
            weights |= norm(rng, f"{name}.adain{half}.{i}", channels)
            weights[f"{name}.alpha{half}.{i}"] = rng.uniform(0.5, 2, channels).astype(np.float32)
    return weights


def decoder_block(rng, name, out, into):
    weights = convolution(rng, f"{name}.conv1", out, into, 3)
    weights |= convolution(rng, f"{name}.conv2", out, out, 3)
    weights |= norm(rng, f"{name}.norm1", into) | norm(rng, f"{name}.norm2", out)
    weights[f"{name}.conv1x1.w"] = random(rng, out, into, 1)
    return weights


def all_weights():
    rng = np.random.default_rng(3)
    weights = {"silence": random(rng, SOURCE), "basis": random(rng, SOURCE, 20)}
    weights |= {"harmonics.w": random(rng, HARMONICS), "harmonics.b": random(rng, 1)}
    weights["window_sum"] = np.linspace(0.1, 1.5, 20).astype(np.float32)
    for stage, (channels, taps) in enumerate([(256, 7), (128, 11)]):
        weights |= resblock(rng, f"noise_res.{stage}", channels, taps)
        for j, kernel in enumerate((3, 7, 11)):
            weights |= resblock(rng, f"resblocks.{3 * stage + j}", channels, kernel)
    weights |= convolution(rng, "noise_convs.0", 256, SOURCE, 12)
    weights |= convolution(rng, "noise_convs.1", 128, SOURCE, 1)
    weights |= {"ups.0.w": random(rng, 512, 256, 20), "ups.0.b": random(rng, 256)}
    weights |= {"ups.1.w": random(rng, 256, 128, 12), "ups.1.b": random(rng, 128)}
    weights |= convolution(rng, "conv_post", SOURCE, 128, 7)
    weights["conv_post.w"] *= np.float32(0.05)
    weights |= convolution(rng, "asr_res.asr_res.0", 64, 512, 1)
    weights |= convolution(rng, "F0_conv", 1, 1, 3) | convolution(rng, "N_conv", 1, 1, 3)
    weights |= decoder_block(rng, "encode", 1024, 514)
    for i in range(4):
        weights |= decoder_block(rng, f"decode.{i}", 512 if i == 3 else 1024, 1090)
    weights["decode.3.pool.w"] = random(rng, 1090, 1, 3)
    weights["decode.3.pool.b"] = random(rng, 1090)
    return weights


@pytest.fixture(scope="module")
def vocoder():
    return Vocoder(all_weights(), threads=2)


@pytest.fixture(scope="module")
def ready(vocoder):
    rng = np.random.default_rng(4)
    return vocoder.prepare(
        random(rng, FRAMES, 512) * np.float32(20),
        rng.uniform(80, 200, 2 * FRAMES).astype(np.float32),
        random(rng, 2 * FRAMES),
        random(rng, 128),
    )


def snr_db(right, other):
    return 10 * np.log10(np.sum(right**2.0) / np.sum((right - other) ** 2.0))


def test_the_whole_has_600_samples_a_frame(vocoder, ready):
    audio = vocoder.whole(ready)
    assert audio.samples.shape == (FRAMES * FRAME,)
    assert np.all(np.isfinite(audio.samples))
    assert np.all(audio.moments.deviation > 0)


def test_given_the_statistics_it_measured_the_whole_is_the_same(vocoder, ready):
    audio = vocoder.whole(ready)
    again = vocoder.stretch(ready, 0, FRAMES, audio.moments)
    assert np.array_equal(audio.samples, again)


def test_another_utterance_may_be_rendered_in_each_pause(vocoder, ready):
    right = vocoder.whole(ready)
    window = vocoder.stretch(ready, 5, 17, right.moments)
    steps = vocoder.whole_in_steps(ready)
    pauses = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            audio = end.value
            break
        pauses += 1
        assert np.array_equal(vocoder.stretch(ready, 5, 17, right.moments), window)
    assert pauses >= 6
    assert np.array_equal(audio.samples, right.samples)


def test_windows_together_are_the_whole(vocoder, ready):
    given = vocoder.whole(ready).moments
    whole = vocoder.stretch(ready, 0, FRAMES, given)
    parts = [vocoder.stretch(ready, *window, given) for window in [(0, 12), (12, 30), (30, 40)]]
    assert snr_db(whole, np.concatenate(parts)) > 60


def test_of_a_quiet_beginning_only_its_own_beginning_may_differ(vocoder, ready):
    given = vocoder.whole(ready).moments
    right = vocoder.stretch(ready, 10, 22, given)
    quiet = vocoder.stretch(ready, 10, 22, given, quiet=True)
    assert not np.array_equal(quiet, right)
    later = 4 * FRAME
    assert snr_db(right[later:], quiet[later:]) > 80


def test_a_run_is_repeated_bit_for_bit_by_one_caller_and_by_several(vocoder, ready):
    right = vocoder.whole(ready).samples
    given = vocoder.whole(ready).moments
    window = vocoder.stretch(ready, 5, 17, given)
    differing = []

    def work():
        if not np.array_equal(vocoder.whole(ready).samples, right):
            differing.append("whole")
        if not np.array_equal(vocoder.stretch(ready, 5, 17, given), window):
            differing.append("window")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not differing


def test_one_frame_is_enough(vocoder, ready):
    given = vocoder.whole(ready).moments
    assert vocoder.stretch(ready, FRAMES - 1, FRAMES, given).shape == (FRAME,)


def test_statistics_that_are_neither_measured_nor_given_are_an_error(vocoder, ready):
    norms: Generator = vocoder.generator
    given = Moments(*np.zeros((2, norms.norms.channels)))
    assert not norms.norms.begin(ready.style, given).measure
    with pytest.raises(ValueError, match="neither measured nor given"):
        norms.norms.begin(ready.style, None).affine("noise_res.0.adain1.0", None)
