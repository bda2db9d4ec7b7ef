"""Days and months."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent, cardinal, ordinal, two_digits, year
from firstword.tts.text.rule import Part, Rule, Say, parts
from firstword.tts.text.years import ENDS, YEAR

_YEAR_ROUND = (
    "January February March April May June July August September October November December"
)
_MONTHS = _YEAR_ROUND.split()
_DAYS = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Tues": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th)"


def _month(written: str) -> str:
    return next(name for name in _MONTHS if name.startswith(written.rstrip(".")[:3]))


def _day_and_month(month: int, day: int, accent: Accent) -> str:
    name, said = _MONTHS[month - 1], ordinal(day, accent)
    return f"{name} {said}" if accent == "us" else f"the {said} of {name}"


def _nth(day: str, accent: Accent) -> str:
    """Of "29" or "29th"."""
    return ordinal(int(day.rstrip("stndrh")), accent)


def _iso(match: re.Match[str], accent: Accent) -> Say:
    month, day = int(match["month"]), int(match["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    said = f"{_day_and_month(month, day, accent)}, {year(int(match['year']), accent)}"
    if match["hour"] is None:
        return said
    minute = match["minute"]
    said += f" at {cardinal(int(match['hour']), accent)}"
    said += f" {two_digits(minute, accent)}" if minute != "00" else " hundred"
    if int(match["second"] or 0):
        said += f" and {cardinal(int(match['second']), accent)} seconds"
    return f"{said} U T C" if match["zone"] == "Z" else said


def _numeric(match: re.Match[str], accent: Accent) -> Say:
    """11/29/2026 or 29/11/2026, whichever can be; both can: the accent decides. 29.11. is a day."""
    if match["mark"] != "/" and len(match["year"]) != 4:
        return None
    first, second = int(match["first"]), int(match["second"])
    day_first = accent == "gb" or match["mark"] == "."
    month, day = (second, first) if day_first else (first, second)
    if month > 12:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{_day_and_month(month, day, accent)}, {_written_year(match['year'], accent)}"


def _day_of_month(match: re.Match[str], accent: Accent) -> Say:
    """11/29 after a word that asks for a day; a fraction otherwise."""
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if accent == "gb" else (first, second)
    if month > 12:
        month, day = day, month
    sure = day > 12 or match["word"].lower() in ("on", "due")
    if not sure or (first, second) == (9, 11) or not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return parts(match, date=_day_and_month(month, day, accent))


def _written_year(written: str, accent: Accent) -> str:
    if len(written) == 4:
        return year(int(written), accent)
    return year((2000 if int(written) < 70 else 1900) + int(written), accent)


def _month_first(match: re.Match[str], accent: Accent) -> Say:
    """Nov 29, 2026; Nov. 29-30; November 29th."""
    day = _nth(match["day"], accent)
    last = _nth(match["last"], accent) if match["last"] else ""
    said = parts(
        match,
        month=_month(match["month"]),
        day=("the " if accent == "gb" else "") + day + (" to" if last else ""),
        last=last,
        year=_written_year(match["year"], accent) if match["year"] else "",
    )
    return _comma_before_year(said, match)


def _comma_before_year(said: list[Part], match: re.Match[str]) -> list[Part]:
    if match["year"]:
        before = said[-2]
        said[-2] = Part(before.first, before.last, before.spoken + ",")
    return said


def _day_first(match: re.Match[str], accent: Accent) -> Say:
    """29 Nov 2026; 3-5 May; Sunday 29 November."""
    the = "" if match["the"] else "the "
    last = match["last"]
    day = the + _nth(match["day"], accent) + (" to" if last else " of")
    return parts(
        match,
        the="the",
        day=day,
        last=f"the {_nth(last, accent)} of" if last else "",
        month=_month(match["month"]),
        year=_written_year(match["year"], accent) if match["year"] else "",
    )


def _month_and_year(match: re.Match[str], accent: Accent) -> Say:
    return parts(match, month=_month(match["month"]), year=year(int(match["year"]), accent))


def _month_alone(match: re.Match[str], _accent: Accent) -> Say:
    return _month(match[0])


def _weekday(match: re.Match[str], _accent: Accent) -> Say:
    last = match["last"]
    first = _DAYS[match["first"]]
    return parts(match, first=f"{first} to" if last else first, last=_DAYS[last] if last else "")


def _one_weekday(match: re.Match[str], _accent: Accent) -> Say:
    return _DAYS[match["first"]]


_DAY_NAMES = "|".join(sorted(_DAYS, key=len, reverse=True))

RULES = (
    Rule(
        "weekdays",
        re.compile(rf"\b(?P<first>{_DAY_NAMES})\b\.?\s?[–-]\s?(?P<last>{_DAY_NAMES})\b\.?"),
        _weekday,
    ),
    Rule(
        "weekday in a row",
        re.compile(rf"\b(?P<first>{_DAY_NAMES})\b\.?(?=\s?(?:&|,|/|and|or)\s?(?:{_DAY_NAMES})\b)"),
        _one_weekday,
    ),
    Rule(
        "last weekday of a row",
        re.compile(rf"(?<=\x00)\s?(?:&|,|/|and|or)\s?(?P<first>(?:{_DAY_NAMES})\b)"),
        lambda match, _accent: parts(match, first=_DAYS[match["first"]]),
    ),
    Rule(
        "weekday",
        re.compile(
            rf"\b(?P<first>{_DAY_NAMES})\b(?:\.?(?=,?\s(?:{_MONTH}|\d|the\s\d))"
            r"|(?<!Sat)(?<!Sun)\.(?=\s[a-z]|,))"
        ),
        _one_weekday,
    ),
    Rule(
        "months",
        re.compile(rf"\b(?P<first>{_MONTH})\s?[–-]\s?(?P<last>{_MONTH})(?!\s\d{{1,2}}\b)"),
        lambda match, _accent: parts(
            match, first=f"{_month(match['first'])} to", last=_month(match["last"])
        ),
    ),
    Rule(
        "iso date",
        re.compile(
            r"(?<![\w/-])(?P<year>\d{4})(?P<mark>[-/])(?P<month>\d{2})(?P=mark)(?P<day>\d{2})"
            r"(?:[T ](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d+)?)?"
            r"(?P<zone>Z|[+-]\d{2}:?\d{2})?)?(?![\w/]|-\d)"
        ),
        _iso,
    ),
    Rule(
        "numeric date",
        re.compile(
            r"(?<![\w/.-])(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)"
            rf"(?P<year>\d{{4}}|\d{{2}}){ENDS}"
        ),
        _numeric,
    ),
    Rule(
        "day and month in numbers",
        re.compile(
            r"\b(?P<word>[Oo]n|[Dd]ue|[Bb]y|[Bb]efore|[Aa]fter|[Uu]ntil|[Ss]ince|[Ff]rom|[Tt]hrough)\s"
            r"(?P<date>(?P<first>\d{1,2})/(?P<second>\d{1,2}))(?![\w/%]|[.,]\d)"
        ),
        _day_of_month,
    ),
    Rule(
        "month and day",
        re.compile(
            rf"\b(?P<month>{_MONTH})\s(?P<day>{_DAY}{_ORDINAL}?)"
            rf"(?:\s?[–-]\s?(?P<last>{_DAY}{_ORDINAL}?))?(?:,?\s(?P<year>{YEAR}))?{ENDS}"
        ),
        _month_first,
    ),
    Rule(
        "day and month",
        re.compile(
            rf"(?:\b(?P<the>[Tt]he)\s)?(?<![\w.,:/$£€-])(?P<day>{_DAY}{_ORDINAL}?)"
            rf"(?:\s?[–-]\s?(?P<last>{_DAY}{_ORDINAL}?))?[\s-](?P<month>{_MONTH})"
            rf"(?:,?[\s-](?P<year>{YEAR}))?{ENDS}"
        ),
        _day_first,
    ),
    Rule(
        "month and year",
        re.compile(rf"\b(?P<month>{_MONTH}),?\s(?P<year>{YEAR}){ENDS}"),
        _month_and_year,
    ),
    Rule(
        "month",
        re.compile(r"\b(?:Jan\.|(?:Feb|Apr|Aug|Sept?|Oct|Nov|Dec)\b\.?)(?=\s[a-z]|[,;)])"),
        _month_alone,
    ),
)
