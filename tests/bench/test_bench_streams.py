from __future__ import annotations

import pytest
from firstword.bench.listeners import Heard
from firstword.bench.streams import ONNX, configurations, p95, summary
from firstword.tts.policy import POLICIES
from firstword.tts.settings import Settings


def test_every_policy_of_the_scheduler_is_measured_and_no_other() -> None:
    assert set(configurations()) - {ONNX} == set(POLICIES)


@pytest.mark.parametrize("name", list(configurations()))
def test_the_server_understands_the_settings(name: str) -> None:
    settings = Settings.from_env(configurations()[name])
    assert settings.policy == ("one-lock" if name == ONNX else name)


def test_the_yardstick_is_onnx_runtime_under_one_lock() -> None:
    settings = Settings.from_env(configurations()[ONNX])
    assert (settings.engine, settings.policy) == ("onnx", "one-lock")


def test_a_step_is_told_with_its_underruns_and_first_audio() -> None:
    heard = Heard(3, [0.5, 1.0], played_s=99.0, stalled_s=1.0)
    told = summary(heard)
    assert (told["listeners"], told["replies"], told["underruns"]) == (3, 2, 0.01)
    assert told["first_audio_p95_s"] == pytest.approx(p95(heard), rel=1e-3)


def test_nothing_heard_has_no_delay() -> None:
    assert p95(Heard(1)) == 0.0
