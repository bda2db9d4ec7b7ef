"""What an item is in a batch it is alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.gpu, pytest.mark.model]

SNR_DB = 45.0


@pytest.fixture(scope="module")
def lines(line: Callable[..., Any]) -> list[Any]:
    """Different in length, voice (one a blend) and speed."""
    return [
        line("hˈI."),
        line("həlˈO wˈɜɹld, hˌW ɑɹ ju?", "am_michael", 1.3),
        line("jˈɛs, plˈiz.", "af_bella(2)+af_sky(1)", 0.8),
        line("nˈO.", "bm_george", 2.0),
    ]


def whole(ready: Any) -> Any:
    from firstword.tts.engines.torch.forwards import Stretch

    return Stretch(ready, 0, ready.frames, None)


@pytest.fixture(scope="module")
def alone(forwards: Any, lines: list[Any]) -> list[Any]:
    """Each drawn and heard by itself: (ready, sound)."""
    drawn = [forwards.draw([one])[0] for one in lines]
    return [(ready, forwards.hear([whole(ready)])[0]) for ready in drawn]


def test_durations_and_audio_are_those_of_one_by_one(
    forwards: Any, lines: list[Any], alone: list[Any], snr: Callable[..., float]
) -> None:
    together = forwards.draw(lines)
    sounds = forwards.hear([whole(ready) for ready in together])
    assert len({ready.frames for ready in together}) > 2, "items of one length prove little"
    for (ready, sound), drawn, heard in zip(alone, together, sounds, strict=True):
        assert np.array_equal(ready.durations, drawn.durations)
        assert snr(sound.samples, heard.samples) >= SNR_DB
        assert np.max(np.abs(sound.samples)) > 0.05


def test_shapes_that_are_rounded_up_change_nothing(
    forwards: Any, lines: list[Any], alone: list[Any], snr: Callable[..., float]
) -> None:
    """As on a graphics card: more items, tokens and frames than there are."""
    from firstword.tts.engines.torch.forwards import Forwards
    from firstword.tts.engines.torch.replay import Runner
    from firstword.tts.engines.torch.shapes import ROUNDED

    rounded = Forwards(
        forwards._model,
        forwards.device,
        replace(ROUNDED, counts=(3,), frames=(64, 128), stretches=(96, 128)),
        Runner(),
    )
    together = rounded.draw(lines[:2])
    sounds = rounded.hear([whole(ready) for ready in together])
    for (ready, sound), drawn, heard in zip(alone[:2], together, sounds, strict=True):
        assert np.array_equal(ready.durations, drawn.durations)
        assert heard.samples.shape == sound.samples.shape
        assert snr(sound.samples, heard.samples) >= SNR_DB


def test_the_order_in_a_batch_is_the_order_of_the_results(
    forwards: Any, lines: list[Any], alone: list[Any]
) -> None:
    turned = forwards.draw(list(reversed(lines)))
    assert [one.frames for one in reversed(turned)] == [ready.frames for ready, _ in alone]


def test_a_window_in_a_batch_is_the_window_alone_and_as_in_the_whole(
    forwards: Any, engine: Any, alone: list[Any], snr: Callable[..., float], style: Any
) -> None:
    """Windows of different sessions and places, given their voices' statistics."""
    import torch
    from firstword.tts.engines.torch.forwards import Stretch
    from firstword.tts.engines.torch.generator import Measured

    given = [Measured(*map(torch.from_numpy, sound.measured)) for _, sound in alone[:2]]
    (first, one), (second, other) = alone[:2]
    windows = [
        Stretch(first, 0, 24, given[0]),
        Stretch(second, 20, 56, given[1]),
        Stretch(first, 10, first.frames, given[0]),
    ]
    together = [sound.samples for sound in forwards.hear(windows)]
    for window, samples in zip(windows, together, strict=True):
        [single] = forwards.hear([window])
        assert snr(single.samples, samples) >= SNR_DB
    context = 4 * 600
    own = slice(20 * 600 + context, 56 * 600 - context)
    assert snr(other.samples[own], together[1][context:-context]) >= 60
    assert snr(one.samples[: 20 * 600], together[0][: 20 * 600]) >= 60
