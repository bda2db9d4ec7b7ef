"""Numerals as words: cardinals, ordinals, decimals, years, digits one by one."""

from __future__ import annotations

import re
from typing import Literal

from num2words import num2words  # type: ignore[import-untyped]

type Accent = Literal["us", "gb"]
"""American "one hundred five" and month first, or British "one hundred and five" and day first."""

GROUPED = (
    r"\d{1,3}(?:,\d{3})++|\d{1,2}(?:,\d{2})++,\d{3}|\d{1,3}(?:_\d{3})++"
    r"|[1-9]\d{0,2}(?: 000)++"
)
NUMBER = rf"(?:(?:(?:{GROUPED})(?!\d)|\d++)(?:\.\d++)?|\.\d++)"
"""A number as written: thousands grouped or not, a fraction or none; no sign."""

_LONGEST = 15
"""Digits up to which a number is said as one; beyond, nobody follows thousands of trillions."""

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def value(written: str) -> float:
    """The number behind ``written`` (``NUMBER``), for comparing."""
    return float(_plain(written)[:300])


def number(written: str, accent: Accent) -> str:
    """``NUMBER`` in words: "1,234.5" is "one thousand two hundred thirty-four point five"."""
    whole, _, fraction = _plain(written).partition(".")
    said = cardinal(whole, accent) if whole else ""
    if fraction:
        said = f"{said} point {digits(fraction)}".lstrip()
    return said


def cardinal(whole: str | int, accent: Accent) -> str:
    """A whole number in words; digit by digit when it is very long or starts with a zero."""
    written = str(whole)
    if len(written) > _LONGEST or (len(written) > 1 and written[0] == "0"):
        return digits(written)
    return _accented(str(num2words(int(written))), accent)


def ordinal(whole: str | int, accent: Accent) -> str:
    """ "21" is "twenty-first"."""
    written = str(whole)
    if len(written) > _LONGEST:
        return digits(written)
    return _accented(str(num2words(int(written), to="ordinal")), accent)


def digits(written: str) -> str:
    """Each digit by its name; what is no digit is left out."""
    return " ".join(_DIGITS[int(digit)] for digit in written if digit in "0123456789")


def pairs(written: str, accent: Accent) -> str:
    """A number that is a name, as of rooms, roads and aeroplanes: "101" is "one oh one"."""
    if len(written) == 3 and written[0] != "0" and written[1:] != "00":
        return f"{_DIGITS[int(written[0])]} {two_digits(written[1:], accent)}"
    if len(written) == 4 and written[0] != "0":
        return year(int(written), accent)
    if len(written) > 4:
        return digits(written)
    return cardinal(written, accent)


def two_digits(written: str, accent: Accent) -> str:
    """The second half of a year, a time or a room: "05" is "oh five"."""
    if written[0] == "0":
        return f"oh {_DIGITS[int(written[1])]}" if written[1] != "0" else "hundred"
    return cardinal(written, accent)


def year(whole: int, accent: Accent) -> str:
    """A year from 1000 to 9999; 2026 is "twenty twenty-six"."""
    high, low = divmod(whole, 100)
    if not 1000 <= whole <= 9999 or (high % 10 == 0 and low < 10):
        return cardinal(whole, accent)
    return f"{cardinal(high, accent)} {two_digits(f'{low:02}', accent)}"


def decade(whole: int, accent: Accent) -> str:
    """1990 is "nineteen nineties", 90 is "nineties"."""
    return plural(year(whole, accent) if whole >= 1000 else cardinal(whole, accent))


def plural(said: str) -> str:
    """The plural of the last word of a numeral: "sixty" is "sixties", "six" is "sixes"."""
    if said.endswith("y"):
        return said[:-1] + "ies"
    return said + ("es" if said.endswith("x") else "s")


_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def roman(written: str) -> int | None:
    """The value of a well-formed Roman numeral in capitals, else None."""
    if not written or not _ROMAN.fullmatch(written):
        return None
    values = [_ROMAN_VALUES[letter] for letter in written]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def _plain(written: str) -> str:
    return written.replace(",", "").replace("_", "").replace(" ", "")


def _accented(said: str, accent: Accent) -> str:
    said = said.replace(",", "")
    return said.replace(" and ", " ") if accent == "us" else said
