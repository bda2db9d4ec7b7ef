"""Times of day, durations written with letters, ratios."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent, cardinal, number, two_digits
from firstword.tts.text.rule import Rule, Say, parts

_HALF = r"\s?(?:[aApP]\.\s?[mM]\b\.?|[aApP][mM]\b)"
_HOUR = r"(?:[01]?\d|2[0-4])"


def _clock(hour: str, minute: str | None, accent: Accent) -> str:
    """ "9:05" is "nine oh five"; "9:00" "nine o'clock"; "21:00" "twenty-one hundred"."""
    whole = int(hour)
    if minute is None:
        return cardinal(whole, accent)
    if minute != "00":
        return f"{cardinal(whole, accent)} {two_digits(minute, accent)}"
    if whole in (0, 24):
        return "midnight"
    return f"{cardinal(whole, accent)} {'hundred' if whole > 12 else "o'clock"}"


def _half(written: str | None) -> str:
    """ " A M", " P M" or nothing."""
    return f" {written.strip()[0].upper()} M" if written else ""


def _twelve(hour: str, minute: str | None, half: str | None, accent: Accent) -> str:
    if not half:
        return _clock(hour, minute, accent)
    return _clock(hour, None if minute == "00" else minute, accent) + _half(half)


def _time(match: re.Match[str], accent: Accent) -> Say:
    said = _twelve(match["hour"], match["minute"], None, accent)
    if match["half"]:
        said = _clock(match["hour"], None if match["minute"] == "00" else match["minute"], accent)
    if match["part"]:
        said += f" {number(match['part'], accent)}"
    elif match["second"] and int(match["second"]):
        said += f" and {cardinal(int(match['second']), accent)} seconds"
    return parts(match, clock=said, half=_half(match["half"]).strip())


def _range(match: re.Match[str], accent: Accent) -> Say:
    first = _twelve(match["hour"], match["minute"], match["half"], accent)
    last = _twelve(match["hour2"], match["minute2"], match["half2"], accent)
    return parts(match, first=f"{first} to", last=last)


def _duration(match: re.Match[str], accent: Accent) -> Say:
    """1h30, 2h 05m, 3m20s."""
    names = {"h": ("hour", "minute"), "m": ("minute", "second")}[match["unit"]]
    counts = int(match["first"]), int(match["second"] or match["spaced"])
    said = [
        f"{cardinal(count, accent)} {name}{'' if count == 1 else 's'}"
        for count, name in zip(counts, names, strict=True)
    ]
    return " ".join(said)


def _ratio(match: re.Match[str], accent: Accent) -> Say:
    first, last = (cardinal(match[group], accent) for group in ("first", "last"))
    return f"{first} to {last}"


RULES = (
    Rule(
        "times from to",
        re.compile(
            rf"(?<![\w.:,$£€-])(?P<first>(?P<hour>{_HOUR})(?::(?P<minute>[0-5]\d))?(?P<half>{_HALF})?)"
            rf"\s?[–—-]\s?(?P<last>(?P<hour2>{_HOUR})(?::(?P<minute2>[0-5]\d))?"
            rf"(?:(?P<half2>{_HALF})|(?<=:\d\d)))(?![\w:])"
        ),
        _range,
    ),
    Rule(
        "time",
        re.compile(
            rf"(?<![\w.:,-])(?P<clock>(?P<hour>{_HOUR})"
            r"(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?P<part>\.\d{1,3})?)?)"
            rf"(?:(?P<half>{_HALF})|(?<=:\d\d)|(?<=:\d\d\.\d)|(?<=:\d\d\.\d\d)|(?<=:\d\d\.\d\d\d))"
            r"(?![\w:]|\.\d)"
        ),
        _time,
    ),
    Rule(
        "hours and minutes",
        re.compile(
            r"(?<![\w.,])(?P<first>\d{1,3})\s?(?P<unit>h)"
            r"(?:(?P<second>[0-5]\d)\b|\s?(?P<spaced>[0-5]?\d)\s?(?:mins?|m)\b)"
        ),
        _duration,
    ),
    Rule(
        "minutes and seconds",
        re.compile(
            r"(?<![\w.,])(?P<first>\d{1,3})\s?(?P<unit>m)(?P<second>(?!))?"
            r"\s?(?P<spaced>[0-5]?\d)\s?(?:secs?|s)\b"
        ),
        _duration,
    ),
    Rule(
        "ratio",
        re.compile(r"(?<![\w.:,])(?P<first>\d{1,6}):(?P<last>\d{1,6})(?![\w:]|\.\d)"),
        _ratio,
    ),
)
