from __future__ import annotations

import pytest
from firstword.bench.wire import SpeechError, caller


def test_a_text_is_heard_to_its_end(tones: str) -> None:
    with caller(tones) as one:
        spoken = one.say("hello", quality="fast")
    assert spoken.audio_s == pytest.approx(0.3)
    assert 0 < spoken.first_audio_s <= spoken.total_s
    assert (spoken.engine, spoken.quality) == ("tone", "fast")


def test_the_first_audio_comes_before_the_end(tones: str) -> None:
    with caller(tones) as one:
        began = one.ask("long")
        assert one.first_audio() >= began
        one.cancel()
        assert one.say("again").audio_s == pytest.approx(0.3)


def test_a_refusal_says_its_code(tones: str) -> None:
    with caller(tones) as one, pytest.raises(SpeechError, match="queue_saturated"):
        one.say("refuse")
