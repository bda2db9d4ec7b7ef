"""Plain numbers and what is done with them: ordinals, ranges, powers, magnitudes."""

from __future__ import annotations

import re
import unicodedata

from firstword.tts.text import unit_names
from firstword.tts.text.numerals import (
    NUMBER,
    Accent,
    cardinal,
    number,
    ordinal,
    pairs,
    plural,
)
from firstword.tts.text.rule import Rule, Say, parts
from firstword.tts.text.unit_names import NAMES
from firstword.tts.text.units import SIGNED, SIGNS, TO, alternatives

_VARIABLE = re.compile(r"\bx\b|x[²³^]")
_MAGNITUDES = {
    "k": "thousand",
    "K": "thousand",
    "M": "million",
    "mn": "million",
    "B": "billion",
    "bn": "billion",
    "T": "trillion",
    "tn": "trillion",
}
_SUPERSCRIPTS = {mark: str(unicodedata.digit(mark)) for mark in "⁰¹²³⁴⁵⁶⁷⁸⁹"} | {"⁻": "-", "⁺": ""}
_POWER = r"(?:\^\(?(?P<caret>[-−]?\d{1,4}|[a-z])\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}|ⁿ))"


def _ordinal(match: re.Match[str], accent: Accent) -> Say:
    to = " to" if match["to"] else ""
    return ordinal(match["number"].replace(",", ""), accent) + to


def _magnitude(match: re.Match[str], accent: Accent) -> Say:
    written, scale = match["number"], match["scale"].strip()
    letter = scale == "K" and written in ("2", "4", "5", "8", "10")
    name = scale if letter else _MAGNITUDES[scale]
    return f"{SIGNS[match['sign']]}{number(written, accent)} {name}{' to' if match['to'] else ''}"


def _scientific(match: re.Match[str], accent: Accent) -> Say:
    """1e-6; 6.02×10^23 is taken in two steps, its power first."""
    exponent = _exponent(match["exponent"], accent)
    return f"{SIGNS[match['sign']]}{number(match['number'], accent)} times ten {exponent}"


def _exponent(written: str, accent: Accent) -> str:
    """2 is "squared", 8 "to the eighth", -3 "to the minus three", n "to the N"."""
    plain = written.replace("−", "-").lstrip("+")
    if plain in ("2", "3"):
        return {"2": "squared", "3": "cubed"}[plain]
    if plain.startswith("-"):
        return f"to the minus {cardinal(plain[1:].lstrip('0') or '0', accent)}"
    if not plain.isdecimal():
        return f"to the {plain.upper()}"
    return f"to the {ordinal(plain, accent)}"


def _power(match: re.Match[str], accent: Accent) -> Say:
    raised = match["raised"]
    written = match["caret"] or "".join(_SUPERSCRIPTS.get(mark, "n") for mark in raised)
    base = number(match["number"], accent)
    said = f"{SIGNS[match['sign']]}{base} {_exponent(written, accent)}"
    return f"{said} {unit_names.plural(NAMES[match['unit']])}" if match["unit"] else said


def _times(match: re.Match[str], accent: Accent) -> Say:
    after = match.string[match.end() :].lstrip()[:1]
    if after in ("\x00", "^", "²", "³") or _VARIABLE.search(match.string):
        return None  # a variable: "2x + 3"
    return f"{number(match['number'], accent)} times"


def _by(match: re.Match[str], accent: Accent) -> Say:
    """The first side of 3x4 or 1920×1080; a product when spaced out or before a power of ten."""
    after = match.string[match.end() : match.end() + 1]
    if after == "\x00" and match["mark"] == "x":
        return None  # a variable: "2x + 3"
    product = after == "\x00" or (match["mark"] != "x" and match["space"])
    sign = SIGNS[match["sign"]]
    if re.fullmatch(r"\d{4}", match["number"]) and not match["space"]:
        return f"{pairs(match['number'], accent)} by"
    return f"{sign}{number(match['number'], accent)} {'times' if product else 'by'}"


def _range(match: re.Match[str], accent: Accent) -> Say:
    return f"{SIGNS[match['sign']]}{number(match['number'], accent)} to"


def _numbered(match: re.Match[str], accent: Accent) -> Say:
    plural = "numbers" if match["sign"].startswith("Nos") else "number"
    return parts(match, sign=plural, number=cardinal(match["number"], accent))


def _room(match: re.Match[str], accent: Accent) -> Say:
    return parts(match, number=pairs(match["number"], accent))


def _plain(match: re.Match[str], accent: Accent) -> Say:
    return SIGNS[match["sign"]] + number(match["number"], accent)


def _plural_number(match: re.Match[str], accent: Accent) -> Say:
    said = number(match["number"], accent)
    return said[:-1] + "ies" if said.endswith("y") else said + ("es" if said.endswith("x") else "s")


ROOMS = "Room|Route|Highway|Hwy|Interstate|Flight|Apartment|Apt\\.?|Suite|Bus|Boeing|Airbus|Line"

RULES = (
    Rule(
        "aeroplane",
        re.compile(r"\b(?:Boeing|Airbus)\s(?P<number>7\d7|3\d0)-(?P<series>\d{3,4})\b"),
        lambda match, accent: parts(
            match, number=pairs(match["number"], accent), series=pairs(match["series"], accent)
        ),
    ),
    Rule(
        "scientific",
        re.compile(rf"{SIGNED}(?P<number>{NUMBER})[eE](?P<exponent>[-−+]?\d{{1,4}})(?!\w|[.,]\d)"),
        _scientific,
    ),
    Rule(
        "power",
        re.compile(
            rf"{SIGNED}(?P<number>{NUMBER}){_POWER}(?:\s(?P<unit>{alternatives(NAMES)}))?(?!\w)"
        ),
        _power,
    ),
    Rule(
        "by",
        re.compile(
            rf"(?:{SIGNED}|(?<=\dx))(?P<number>{NUMBER})(?P<space>\s)?(?P<mark>[x×*])\s?"
            r"(?=[-−]?\.?\d|\x00)"
        ),
        _by,
    ),
    Rule(
        "aeroplanes",
        re.compile(r"(?<![\w.,])(?P<number>7\d7)s\b"),
        lambda match, accent: plural(pairs(match["number"], accent)),
    ),
    Rule("times", re.compile(rf"(?<![\w.,/-])(?P<number>{NUMBER})[x×](?![\w×])"), _times),
    Rule(
        "ordinal",
        re.compile(
            rf"(?<![\w.,])(?P<number>\d{{1,3}}(?:,\d{{3}})+|\d{{1,15}})(?:st|nd|rd|th|ST|ND|RD|TH)\b{TO}"
        ),
        _ordinal,
    ),
    Rule(
        "magnitude",
        re.compile(
            rf"{SIGNED}(?<![A-Za-z\d]-)(?P<number>\d{{1,3}}(?:,\d{{3}})*(?:\.\d+)?)"
            rf"(?P<scale>k|K|M|B(?!\s[A-Z])|T|\s?(?:mn|bn|tn))(?![\w']){TO}"
        ),
        _magnitude,
    ),
    Rule(
        "range",
        re.compile(rf"{SIGNED}(?P<number>{NUMBER})(?:\s?[–—]\s?|-)(?=\$?[-−]?\.?\d)"),
        _range,
    ),
    Rule(
        "numbered",
        re.compile(
            r"(?P<sign>\b(?:Nos?\.|No\.?|[nN]°)\s?|(?<![\w#&])#\s?)(?P<number>\d{1,9})(?![\w]|[.,]\d)"
        ),
        _numbered,
    ),
    Rule(
        "lines of a picture",
        re.compile(r"(?<![\w.,])(?P<number>\d{3,4})(?P<letter>[pi])\b"),
        lambda match, accent: f"{pairs(match['number'], accent)} {match['letter'].upper()}",
    ),
    Rule(
        "height of a picture",
        re.compile(r"(?<=\x00)(?P<number>\d{4})(?![\w]|[.,]\d)"),
        lambda match, accent: pairs(match["number"], accent),
    ),
    Rule(
        "model number",
        re.compile(r"\b[A-Z]{2,5}[\s-](?P<number>[1-9]\d{3})(?![\w]|[.,]\d)"),
        _room,
    ),
    Rule("room", re.compile(rf"\b(?:{ROOMS})\s(?P<number>\d{{3,5}})(?![\w]|[.,]\d)"), _room),
)

_NO_SIGN = "(?P<sign>(?!))?"

PLAIN = (
    Rule("plural of a number", re.compile(r"(?<![\w.,])(?P<number>\d{1,6})'?s\b"), _plural_number),
    Rule("number", re.compile(rf"{SIGNED}(?P<number>{NUMBER})(?![\w]|\.\d)"), _plain),
    Rule(
        "number after a mark",
        re.compile(rf"(?<=[/^+−]){_NO_SIGN}(?P<number>{NUMBER})(?![\w]|\.\d)"),
        _plain,
    ),
)

REMAINING = Rule("digits", re.compile(r"\d+"), lambda match, accent: cardinal(match[0], accent))
"""Digits that no other rule understood."""
