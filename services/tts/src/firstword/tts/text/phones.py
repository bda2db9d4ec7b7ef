"""Numbers that are read digit by digit: telephones, codes, serial numbers."""

from __future__ import annotations

import re

from firstword.tts.text.identifiers import identifier
from firstword.tts.text.numerals import Accent, cardinal, digits
from firstword.tts.text.rule import Part, Rule, Say, parts

_STRETCH = 10
_GROUP = re.compile(r"\d+")


def _groups(written: str, accent: Accent) -> str:
    """Groups as they are written, with a breath between: "800" is "eight hundred"."""
    said = []
    for group in _GROUP.findall(written):
        hundreds = len(group) == 3 and group[0] != "0" and group[1:] == "00"
        said.append(cardinal(group, accent) if hundreds else digits(group))
    plus = "plus " if written.lstrip().startswith("+") else ""
    return plus + ", ".join(said)


def _phone(match: re.Match[str], accent: Accent) -> Say:
    said = _groups(match["number"], accent)
    extension = match["extension"]
    return f"{said}, extension {digits(extension)}" if extension else said


def _code(match: re.Match[str], accent: Accent) -> Say:
    return _groups(match[0], accent)


def _called(match: re.Match[str], _accent: Accent) -> Say:
    number = digits(match["number"] or match["dialled"])
    return parts(match, number=number, dialled=number)


def _flood(match: re.Match[str], _accent: Accent) -> Say:
    """A long row of digits, in stretches of ten so that it can be cut anywhere between them."""
    said = []
    for first in range(match.start(), match.end(), _STRETCH):
        last = min(first + _STRETCH, match.end())
        said.append(Part(first, last, digits(match.string[first:last])))
    return said


FLOOD = Rule("row of digits", re.compile(r"\d{17,}"), _flood)

RULES = (
    Rule(
        "telephone",
        re.compile(
            r"(?<![\w.,/-])(?P<number>(?:\+?1[-. ]?)?(?:\(\d{3}\)\s?|\d{3}[-. ])\d{3}[-. ]\d{4})"
            r"(?![\w-]|[.,]\d)"
            r"(?:,?\s?(?:x|ext\.?|extension)\s?(?P<extension>\d{1,6})\b)?"
        ),
        _phone,
    ),
    Rule(
        "telephone in letters",
        re.compile(r"(?<![\w.,/-])(?P<number>1-\d{3})-(?=[A-Z]{3,9}\b)"),
        lambda match, accent: f"{_groups(match['number'], accent)},",
    ),
    Rule(
        "number of a place",
        re.compile(
            r"\b(?:Apt\.?|Suite|Ste\.?|Unit|Flat|[Rr]oom|[Gg]ate|[Ss]eat|[Rr]ow|[Bb]us|[Tt]erminal"
            r"|[Pp]latform|[Ff]loor)\s(?P<code>\d{1,4}[A-Z])\b"
        ),
        lambda match, accent: parts(match, code=identifier(match["code"], accent)),
    ),
    Rule(
        "international telephone",
        re.compile(
            r"(?<![\w.,/+])(?P<number>\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6})"
            r"(?![\w-]|[.,]\d)(?P<extension>)"
        ),
        _phone,
    ),
    Rule(
        "telephone with a zero in front",
        re.compile(r"(?<![\w.,/-])\(?0\d{2,4}\)?[ -]\d{3,4}[ -]?\d{3,4}(?![\w-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "post code",
        re.compile(r"(?:(?<=\b[A-Z]{2}\s)|(?<=[A-Z]\.\s))\d{5}(?:-\d{4})?(?![\w-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "number of a case",
        re.compile(r"(?<=[A-Z]-)\d{2,6}-\d{2,8}(?![\w-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "local telephone",
        re.compile(r"(?<![\w.,/$£€-])(?<!pages )(?<!from )\d{3}-\d{4}(?![\w%°-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "groups of digits",
        re.compile(r"(?<![\w.,/+-])\d{1,6}(?:-\d{1,6}){2,5}(?![\w-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "card number",
        re.compile(r"(?<![\w.,/-])\d{4}(?: \d{4}){3}(?![\w/-]|[.,]\d)"),
        _code,
    ),
    Rule(
        "number called",
        re.compile(
            r"\b(?:[Dd]ial(?:ed|led|ing)?\s(?P<dialled>\d{3,6})"
            r"|(?:[Cc]all|[Tt]ext)(?:ed|ing)?\s(?P<number>\d{4,6}|[2-9]11|112|999|988))(?![\w,.:/-]*\d)"
        ),
        _called,
    ),
    Rule(
        "number with a zero in front",
        re.compile(r"(?<![\w.,:/-])(?<!\d )0\d{1,15}(?![\w:/-]|[.,]\d)"),
        lambda match, _accent: digits(match[0]),
    ),
)
