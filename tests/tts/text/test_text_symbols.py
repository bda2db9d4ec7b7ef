from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("x = 5 + 3", "x equals five plus three"),
    ("a < b", "a is less than b"),
    ("5>3", "five is greater than three"),
    ("x ≤ 10", "x is less than or equal to ten"),
    ("y ≠ 0", "y is not equal to zero"),
    ("10 ÷ 4", "ten divided by four"),
    ("x² + y³", "x squared plus y cubed"),
    ("x^2", "x squared"),
    ("√16", "the square root of sixteen"),
    ("5! = 120", "five factorial equals one hundred twenty"),
    ("2x + 3", "two X plus three"),
    ("~50 users", "about fifty users"),
    (">= 10", "at least ten"),
    ("<5 ms", "less than five milliseconds"),
    ("CEOs <35", "CEOs less than thirty-five"),
    ("π ≈ 3", "pie is about three"),
    ("Δt", "delta t"),
    ("salt & pepper", "salt and pepper"),
    ("AT&T", "A T and T"),
    ("R&D", "R and D"),
    ("and/or", "and or"),
    ("he/she", "he or she"),
    ("TCP/IP", "TCP IP"),
    ("input/output", "input slash output"),
    ("C++ and C#", "C plus plus and C sharp"),
    ("File > Open", "File Open"),
    ("A → B", "A to B"),
    ("key=value", "key equals value"),
    ("Bake @ 180°C", "Bake at one hundred eighty degrees Celsius"),
    ("10+ users", "ten plus users"),
    ("0x1F", "zero X one F"),
    ("fish &amp; chips", "fish and chips"),
    ("Great :)", "Great"),
    ("< $5/day", "less than five dollars per day"),
    ("it's ≈28 or ~$3", "it's about twenty-eight or about three dollars"),
    ("win–win", "win win"),
    ("200°C/400°F", "two hundred degrees Celsius four hundred degrees Fahrenheit"),
    ("C♯ minor", "C sharp minor"),
    ("**bold** _it_ ~~no~~ `x`", "bold it no x"),
    ("| a | b |", "a, b,"),
    ("f/2.8", "F two point eight"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_signs_are_said_where_they_mean_a_word(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken
