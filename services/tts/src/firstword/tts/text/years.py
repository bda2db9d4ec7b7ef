"""Years and decades."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent, decade, two_digits, year
from firstword.tts.text.rule import Rule, Say, parts

YEAR = r"(?:1\d{3}|20\d{2}|21\d{2})"
ENDS = r"(?![\w/]|[.,:-]\d)"
"""What may not stand behind a date."""


def _decade(match: re.Match[str], accent: Accent) -> Say:
    return decade(int(match["decade"]), accent)


def _decade_in_context(match: re.Match[str], accent: Accent) -> Say:
    return parts(match, decade=decade(int(match["number"]), accent))


def _short_year(match: re.Match[str], accent: Accent) -> Say:
    return two_digits(match["year"], accent)


def _year_range(match: re.Match[str], accent: Accent) -> Say:
    """1990-1995, 2019-20, 2023/24: years on both sides."""
    first, last = match["first"], match["last"]
    said = year(int(last), accent) if len(last) == 4 else two_digits(last, accent)
    joined = " to" if match["mark"] != "/" else ""
    return parts(match, first=year(int(first), accent) + joined, last=said)


def _year(match: re.Match[str], accent: Accent) -> Say:
    return year(int(match[0]), accent)


RULES = (
    Rule("decade", re.compile(r"(?<![\w.,])(?P<decade>1\d\d0|20\d0|21\d0)'?s\b"), _decade),
    Rule("short decade", re.compile(r"(?<!\w)'(?P<decade>[1-9]0)'?s\b"), _decade),
    Rule(
        "decade in context",
        re.compile(
            r"\b(?:(?:the|his|her|their|my|our|your|its)(?:\s(?:early|mid|late))?|early|mid|late)[\s-]"
            r"(?P<decade>(?P<number>[2-9]0)'?s)\b",
            re.IGNORECASE,
        ),
        _decade_in_context,
    ),
    Rule(
        "decade before a noun",
        re.compile(
            r"(?<![\w.,])(?P<decade>(?P<number>[5-9]0)'?s)\b"
            r"(?=\s(?:music|rock|pop|disco|hits?|style|fashion|movies?|films?|kids?|era|vibes?|cars?|tv|TV)\b)"
        ),
        _decade_in_context,
    ),
    Rule("short year", re.compile(r"(?<!\w)'(?P<year>\d{2})(?![\w'])"), _short_year),
    Rule(
        "years",
        re.compile(
            rf"(?<![\w.,/$£€-])(?P<first>{YEAR})\s?(?P<mark>[–—/-])\s?(?P<last>{YEAR}|\d{{2}})"
            rf"{ENDS}"
        ),
        _year_range,
    ),
)

LIKELY = (
    Rule(
        "year in context",
        re.compile(
            r"\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil|[Aa]round|[Cc]irca|[Bb]efore|[Aa]fter|AD)\s"
            r"(?P<year>10\d\d)(?![\w/%°]|[.,]\d|\s[a-z]+s\b)"
        ),
        lambda match, accent: parts(match, year=year(int(match["year"]), accent)),
    ),
    Rule(
        "year",
        re.compile(r"(?<![\w.,/$£€¥#+–-])(?:1[1-9]\d\d|20\d\d)(?![\w/%°]|[.,]\d|[–-]\d)"),
        _year,
    ),
)
"""A number that is most likely a year. It comes after whatever gives four digits another sense."""
