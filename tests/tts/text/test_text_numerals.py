from __future__ import annotations

import pytest
from firstword.tts.text.numerals import (
    Accent,
    cardinal,
    decade,
    digits,
    number,
    ordinal,
    pairs,
    plural,
    roman,
    value,
    year,
)


@pytest.mark.parametrize(
    ("written", "us", "gb"),
    [
        ("0", "zero", "zero"),
        ("105", "one hundred five", "one hundred and five"),
        (
            "1,234",
            "one thousand two hundred thirty-four",
            "one thousand two hundred and thirty-four",
        ),
        ("1_000_000", "one million", "one million"),
        ("1,00,000", "one hundred thousand", "one hundred thousand"),
        ("10 000", "ten thousand", "ten thousand"),
        ("3.14", "three point one four", "three point one four"),
        (".5", "point five", "point five"),
        ("0.05", "zero point zero five", "zero point zero five"),
        ("007", "zero zero seven", "zero zero seven"),
    ],
)
def test_numbers_are_said_in_each_accent(written: str, us: str, gb: str) -> None:
    assert number(written, "us") == us
    assert number(written, "gb") == gb


def test_a_number_nobody_could_follow_is_said_digit_by_digit() -> None:
    assert cardinal("9" * 16, "us") == " ".join(["nine"] * 16)
    assert ordinal("1" * 16, "us") == " ".join(["one"] * 16)


def test_huge_numbers_have_a_value_all_the_same() -> None:
    assert value("1" * 5_000) > 1e299


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        (1066, "ten sixty-six"),
        (1500, "fifteen hundred"),
        (1905, "nineteen oh five"),
        (1999, "nineteen ninety-nine"),
        (2000, "two thousand"),
        (2005, "two thousand five"),
        (2010, "twenty ten"),
        (2026, "twenty twenty-six"),
        (800, "eight hundred"),
    ],
)
def test_years(whole: int, said: str) -> None:
    assert year(whole, "us") == said


def test_decades() -> None:
    said = [decade(whole, "us") for whole in (1990, 1900, 2000, 2010, 60)]
    assert said == [
        "nineteen nineties",
        "nineteen hundreds",
        "two thousands",
        "twenty tens",
        "sixties",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("101", "one oh one"),
        ("747", "seven forty-seven"),
        ("200", "two hundred"),
        ("66", "sixty-six"),
        ("4090", "forty ninety"),
        ("12345", "one two three four five"),
    ],
)
def test_numbers_that_are_names_go_by_pairs(written: str, said: str) -> None:
    assert pairs(written, "us") == said


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("IV", 4),
        ("VIII", 8),
        ("XIV", 14),
        ("MCMXCIX", 1999),
        ("IIII", None),
        ("", None),
        ("ABC", None),
    ],
)
def test_roman_numerals(written: str, whole: int | None) -> None:
    assert roman(written) == whole


@pytest.mark.parametrize(
    ("whole", "accent", "said"), [(21, "us", "twenty-first"), (105, "gb", "one hundred and fifth")]
)
def test_ordinals(whole: int, accent: Accent, said: str) -> None:
    assert ordinal(whole, accent) == said


def test_plurals_and_digits() -> None:
    assert [plural(word) for word in ("sixty", "six", "one")] == ["sixties", "sixes", "ones"]
    assert digits("4-0 2") == "four zero two"
