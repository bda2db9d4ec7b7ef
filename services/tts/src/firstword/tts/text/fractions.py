"""Fractions, with the unit that they are a part of."""

from __future__ import annotations

import re
import unicodedata

from firstword.tts.text.numerals import Accent, cardinal, number, ordinal
from firstword.tts.text.rule import Rule, Say
from firstword.tts.text.unit_names import APART, ATTACHED, NAMES, plural
from firstword.tts.text.units import SIGNED, SIGNS, alternatives

_SPECIAL = {(24, 7): "twenty-four seven", (9, 11): "nine eleven", (50, 50): "fifty fifty"}
_NAMED = frozenset((*range(3, 21), 25, 30, 32, 50, 64, 100, 1000))
_PARTS = _NAMED | {2, 4}


def _fraction(upper: int, lower: int, accent: Accent) -> str:
    """3/4 is "three quarters", 7/8 "seven eighths", 22/39 "twenty-two over thirty-nine"."""
    said = cardinal(upper, accent)
    if lower == 1:
        return f"{said} to one"
    if lower == 2:
        return f"{said} {'half' if upper == 1 else 'halves'}"
    if lower == 4:
        return f"{said} quarter{'' if upper == 1 else 's'}"
    if lower not in _NAMED:
        return f"{said} over {cardinal(lower, accent)}"
    return f"{said} {ordinal(lower, accent)}{'' if upper == 1 else 's'}"


def _mixed(whole: str, upper: int, lower: int, accent: Accent) -> str:
    """ "3 1/2" is "three and a half"."""
    said = _fraction(upper, lower, accent)
    if upper == 1:
        said = "an eighth" if lower == 8 else f"a {said.removeprefix('one ')}"
    return f"{cardinal(whole, accent)} and {said}"


def _written(match: re.Match[str], accent: Accent) -> Say:
    upper, lower = int(match["upper"]), int(match["lower"])
    sign = SIGNS[match["sign"]]
    if match["whole"]:
        said = _mixed(match["whole"], upper, lower, accent)
    elif match["unit"] is None and (upper, lower) in _SPECIAL:
        said = _SPECIAL[upper, lower]
    elif match["unit"] is None and ((lower in (10, 100) and upper > 1) or upper == lower):
        said = f"{cardinal(upper, accent)} out of {cardinal(lower, accent)}"
    else:
        said = _fraction(upper, lower, accent)
    return sign + said + _unit(match)


def _vulgar(match: re.Match[str], accent: Accent) -> Say:
    """½, 2¾."""
    upper, _, lower = unicodedata.normalize("NFKC", match["symbol"]).partition("\u2044")
    if not lower.isdecimal():
        said = number(str(unicodedata.numeric(match["symbol"])), accent)
    elif match["whole"]:
        said = _mixed(match["whole"], int(upper), int(lower), accent)
    else:
        said = _fraction(int(upper), int(lower), accent)
    return said + _unit(match)


def _unit(match: re.Match[str]) -> str:
    if not match["unit"]:
        return ""
    name = NAMES[match["unit"]]
    part = int(match["lower"]) in _PARTS if "lower" in match.groupdict() else True
    return f" {name if part and not match['whole'] else plural(name)}"


_UNIT = (
    rf"(?:[\s-]?(?P<unit>{alternatives(NAMES.keys() - ATTACHED - APART)})(?![\w²³^'°])"
    r"(?:\.(?=\s[a-z]))?)?"
)

RULES = (
    Rule(
        "rating",
        re.compile(
            r"(?<![\w.,/])(?P<upper>\d{1,3}\.\d{1,2})/(?P<lower>\d{1,3}(?:\.\d)?)(?![\w/]|[.,]\d)"
        ),
        lambda match, accent: (
            f"{number(match['upper'], accent)} out of {number(match['lower'], accent)}"
        ),
    ),
    Rule(
        "fraction",
        re.compile(
            rf"{SIGNED}(?:(?P<whole>\d{{1,3}})[\s-])?(?P<upper>\d{{1,3}})/(?P<lower>\d{{1,4}})"
            rf"(?![\d/]|[.,]\d){_UNIT}(?!\w)"
        ),
        _written,
    ),
    Rule(
        "vulgar fraction",
        re.compile(rf"(?<![\w.,])(?:(?P<whole>\d{{1,6}})[\s-]?)?(?P<symbol>[¼½¾⅐-⅞↉]){_UNIT}"),
        _vulgar,
    ),
)
