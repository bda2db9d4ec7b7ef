from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("9:30", "nine thirty"),
    ("9:05", "nine oh five"),
    ("9:00", "nine o'clock"),
    ("21:05", "twenty-one oh five"),
    ("21:00", "twenty-one hundred"),
    ("0:00", "midnight"),
    ("9:30PM", "nine thirty P M"),
    ("at 2 a.m. or", "at two A M or"),
    ("3:00 pm", "three P M"),
    ("9am", "nine A M"),
    ("12:00-12:30", "twelve o'clock to twelve thirty"),
    ("9am–5pm", "nine A M to five P M"),
    ("9–11 a.m.", "nine to eleven A M"),
    ("21:05:30", "twenty-one oh five and thirty seconds"),
    ("in 12:35.36", "in twelve thirty-five point three six"),
    ("1h30", "one hour thirty minutes"),
    ("2h 01m", "two hours one minute"),
    ("3m20s", "three minutes twenty seconds"),
    ("16:9", "sixteen to nine"),
    ("3:1", "three to one"),
    ("John 3:16", "John three sixteen"),
    ("UTC−5", "UTC minus five"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_times_are_said_as_clocks_are_read(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken
