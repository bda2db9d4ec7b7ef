import pytest
from firstword.tts.pace import FIRST_GUESS, RealTimeFactor


def test_before_anything_was_measured_it_is_a_guess() -> None:
    assert RealTimeFactor().value == FIRST_GUESS


def test_work_whose_audio_is_still_to_come_counts_with_it() -> None:
    pace = RealTimeFactor()
    for _ in range(20):
        pace.learn(0.5, 0.0)
        pace.learn(0.5, 5.0)
    assert pace.value == pytest.approx(0.2, rel=0.05)


def test_what_was_long_ago_counts_little() -> None:
    pace = RealTimeFactor()
    for _ in range(100):
        pace.learn(8.0, 10.0)
    for _ in range(100):
        pace.learn(1.0, 10.0)
    assert pace.value == pytest.approx(0.1, rel=0.01)
