"""Recordings: which shapes are replayed, and that what they give is whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.gpu


class Tape:
    """Records as CUDA graphs do: fixed inputs, fixed outputs that the next replay overwrites."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.recorded = 0

    def record(self, work: Callable[..., Any], inputs: Sequence[Any]) -> Callable[[], Any]:
        if self.fails:
            raise RuntimeError("this operation cannot be captured")
        self.recorded += 1
        made = tuple(each.clone() for each in work(*inputs))

        def replay() -> Any:
            for fixed, new in zip(made, work(*inputs), strict=True):
                fixed.copy_(new)
            return made

        return replay


def double(x: Any, y: Any) -> tuple[Any]:
    return (2 * x + y,)


def test_a_recorded_shape_is_replayed_on_what_it_is_given_and_others_run_as_they_are() -> None:
    import torch
    from firstword.tts.engines.torch.replay import Runner

    tape = Tape()
    runner = Runner(tape)
    with runner.recording():
        runner.run("double", double, torch.zeros(3), torch.zeros(3))
    [first] = runner.run("double", double, torch.ones(3), torch.ones(3))
    [second] = runner.run("double", double, torch.full((3,), 5.0), torch.zeros(3))
    assert first.tolist() == [3, 3, 3], "copied before the next replay overwrites it"
    assert second.tolist() == [10, 10, 10]
    [other] = runner.run("double", double, torch.ones(4), torch.ones(4))
    assert other.tolist() == [3] * 4
    assert (tape.recorded, runner.replayed, runner.plain) == (1, 3, 1)


def test_names_tell_apart_what_has_one_shape() -> None:
    import torch
    from firstword.tts.engines.torch.replay import Runner

    runner = Runner(Tape())
    with runner.recording():
        runner.run("double", double, torch.zeros(2), torch.zeros(2))
        runner.run("sum", lambda x, y: (x + y,), torch.zeros(2), torch.zeros(2))
    [added] = runner.run("sum", double, torch.ones(2), torch.ones(2))
    assert added.tolist() == [2, 2]
    assert runner.recorded == 2


def test_what_cannot_be_recorded_runs_as_it_is() -> None:
    import torch
    from firstword.tts.engines.torch.replay import Runner

    runner = Runner(Tape(fails=True))
    with runner.recording():
        [made] = runner.run("double", double, torch.ones(2), torch.ones(2))
    assert made.tolist() == [3, 3]
    assert (runner.recorded, runner.replayed) == (0, 0)


@pytest.mark.model
def test_replayed_speech_is_the_speech(
    forwards: Any, line: Callable[..., Any], snr: Callable[..., float]
) -> None:
    """The whole path over recorded shapes: padded, copied in, replayed, copied out."""
    from firstword.tts.engines.torch.forwards import Forwards, Most, Stretch
    from firstword.tts.engines.torch.generator import Measured
    from firstword.tts.engines.torch.replay import Runner
    from firstword.tts.engines.torch.shapes import Shapes

    tape = Tape()
    shapes = Shapes(counts=(2,), tokens=(16,), frames=(64,), stretches=(28, 600), aligned=20)
    taped = Forwards(forwards._model, forwards.device, shapes, Runner(tape))
    taped.record((2,), Most(tokens=16, frames=64, stretch=100))
    assert tape.recorded == 4, "text, frames, and audio with statistics given and measured"
    asked = line("hˈI.")
    [right], [drawn] = forwards.draw([asked]), taped.draw([asked])
    assert np.array_equal(right.durations, drawn.durations)
    import torch

    channels = sum(norm.channels for norm in forwards._model.generator.norms())
    given = Measured(torch.zeros(channels), torch.ones(channels))
    [sound] = forwards.hear([Stretch(right, 2, 26, given)])
    [again] = taped.hear([Stretch(drawn, 2, 26, given)])
    assert snr(sound.samples, again.samples) >= 45
    assert taped.runner.plain == 0
