from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("2026-11-29", "November twenty-ninth, twenty twenty-six"),
    ("2026-11-29T10:30:00Z", "November twenty-ninth, twenty twenty-six at ten thirty U T C"),
    ("11/29/2026", "November twenty-ninth, twenty twenty-six"),
    ("29/11/2026", "November twenty-ninth, twenty twenty-six"),
    ("3/14/25", "March fourteenth, twenty twenty-five"),
    ("30.11.2026", "November thirtieth, twenty twenty-six"),
    ("on 11/29 we met", "on November twenty-ninth we met"),
    ("Nov 29, 2026", "November twenty-ninth, twenty twenty-six"),
    ("Nov. 3-5", "November third to fifth"),
    ("November 29th", "November twenty-ninth"),
    ("29 Nov", "the twenty-ninth of November"),
    ("the 29 Nov 2026 issue", "the twenty-ninth of November twenty twenty-six issue"),
    ("3-5 May", "the third to the fifth of May"),
    ("Nov 2026", "November twenty twenty-six"),
    ("since Jan. we", "since January we"),
    ("Jan is here", "Jan is here"),
    ("Mon-Fri", "Monday to Friday"),
    ("Mon & Wed, 8:00", "Monday and Wednesday, eight o'clock"),
    ("Jan–Mar", "January to March"),
    ("2024/12/25", "December twenty-fifth, twenty twenty-four"),
    ("Mon.–Fri., no weekends", "Monday to Friday, no weekends"),
    ("Tues 3 Feb", "Tuesday the third of February"),
    ("The Sun. He sat.", "The Sun. He sat."),
    ("in 1999", "in nineteen ninety-nine"),
    ("in 2005", "in two thousand five"),
    ("in 1066", "in ten sixty-six"),
    ("1500 men", "fifteen hundred men"),
    ("the 1990s", "the nineteen nineties"),
    ("the '90s", "the nineties"),
    ("a '68 Mustang", "a sixty-eight Mustang"),
    ("in his 30s", "in his thirties"),
    ("in 30s", "in thirty seconds"),
    ("80s music", "eighties music"),
    ("1990-1995", "nineteen ninety to nineteen ninety-five"),
    ("1990–95", "nineteen ninety to ninety-five"),
    ("2023/24", "twenty twenty-three twenty-four"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_dates_are_said_as_days(written: str, spoken: str, said: Callable[..., str]) -> None:
    assert said(written) == spoken


BRITISH = [
    ("2026-11-29", "the twenty-ninth of November, twenty twenty-six"),
    ("05/11/2026", "the fifth of November, twenty twenty-six"),
    ("Nov 29", "November the twenty-ninth"),
    ("in 2005", "in two thousand and five"),
]


@pytest.mark.parametrize(("written", "spoken"), BRITISH)
def test_a_british_voice_has_british_habits(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written, "gb") == spoken
