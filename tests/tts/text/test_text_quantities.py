from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("1,234,567", "one million two hundred thirty-four thousand five hundred sixty-seven"),
    ("3.14", "three point one four"),
    ("-5", "minus five"),
    ("+5", "plus five"),
    ("1st, 2nd and 21st", "first, second and twenty-first"),
    ("10k users", "ten thousand users"),
    ("5M views", "five million views"),
    ("7B parameters", "seven billion parameters"),
    ("4K video", "four K video"),
    ("3.5 bn", "three point five billion"),
    ("10k–20k", "ten thousand to twenty thousand"),
    ("1/2", "one half"),
    ("½", "one half"),
    ("2½ cups", "two and a half cups"),
    ("3 1/2 hours", "three and a half hours"),
    ("3/4", "three quarters"),
    ("2/3", "two thirds"),
    ("22/39", "twenty-two over thirty-nine"),
    ("24/7", "twenty-four seven"),
    ("8/10", "eight out of ten"),
    ("4.5/5", "four point five out of five"),
    ("won 3-2", "won three to two"),
    ("pages 10–12", "pages ten to twelve"),
    ("40 - 60", "forty minus sixty"),
    ("10x faster", "ten times faster"),
    ("f(x) = 2x", "f (x) equals two X"),
    ("747s", "seven forty-sevens"),
    ("2026's best", "twenty twenty-six's best"),
    ("3x4", "three by four"),
    ("1920x1080", "nineteen twenty by ten eighty"),
    ("5 × 3", "five times three"),
    ("2^8", "two to the eighth"),
    ("10⁶", "ten to the sixth"),
    ("6.02×10^23", "six point zero two times ten to the twenty-third"),
    ("1e-6", "one times ten to the minus six"),
    ("No. 5", "number five"),
    ("#1", "number one"),
    ("Room 101", "Room one oh one"),
    ("RTX 4090", "RTX forty ninety"),
    ("1080p", "ten eighty P"),
    ("Chapter IV", "Chapter four"),
    ("Act III, Scene ii", "Act three, Scene two"),
    ("World War II", "World War two"),
    ("Henry VIII", "Henry the eighth"),
    ("Elizabeth I was", "Elizabeth the first was"),
    ("the part I like", "the part I like"),
    ("the XXI century", "the twenty-first century"),
    ("built in MCMXCIX", "built in nineteen ninety-nine"),
    ("the IV drip", "the IV drip"),
    (
        "11111111111111111111",
        "one one one one one one one one one one one one one one one one one one one one",
    ),
    ("25-fold", "twenty-five fold"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_numbers_are_said_by_what_they_are(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken


BRITISH = [
    ("105", "one hundred and five"),
    ("1,234", "one thousand two hundred and thirty-four"),
]


@pytest.mark.parametrize(("written", "spoken"), BRITISH)
def test_a_british_voice_has_british_habits(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written, "gb") == spoken
