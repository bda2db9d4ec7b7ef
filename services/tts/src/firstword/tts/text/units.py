"""Numbers with what they count: units of measure, percent, temperatures."""

from __future__ import annotations

import re
from collections.abc import Iterable

from firstword.tts.text.numerals import NUMBER, Accent, cardinal, number
from firstword.tts.text.rule import Part, Rule, Say
from firstword.tts.text.unit_names import ALONE, APART, ATTACHED, NAMES, PER, PER_WORDS, plural

TO = r"(?P<to>\s?[–—-]\s?(?=[$€£]?[-−+]?\.?\d))?"
"""A dash after a quantity, with another one behind it."""

SIGNED = r"(?:(?<![\w\x00.)%°-])(?P<sign>[-−+±])\s?|(?<![\w.,/^−+])|(?<=[A-Za-z%°\x00]/))"
"""What may stand before a number: a sign, or nothing that would make it a part of something."""

SIGNS = {"-": "minus ", "−": "minus ", "+": "plus ", "±": "plus or minus ", None: ""}

_HYPHENED = re.compile(r"[A-Za-z]-$")
_ARTICLE = re.compile(r"(?:^|\s)an?\s$")
_NOUN = re.compile(
    r"\s(?:bill|note|coin|deal|fine|fund|budget|contract|lawsuit|loan|round|investment|project|prize"
    r"|bonus|fee|company|run|race|walk|hike|radius|lens|screen|drive|battery|limit|zone|angle|ruler)\b"
)
_QUOTE = re.compile(r'(?<!\d)"')
_SQUARED = {"²": "square", "2": "square", "^2": "square", "³": "cubic", "3": "cubic", "^3": "cubic"}


def alternatives(names: Iterable[str]) -> str:
    """A pattern for any of ``names``, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def counted(name: str, match: re.Match[str], written: str) -> str:
    """The singular after "1", after "a" and before a hyphen's noun, else the plural."""
    return name if written.strip() == "1" or attributive(match) else plural(name)


def attributive(match: re.Match[str]) -> bool:
    """Whether the quantity describes a noun: "a $5 bill", "the 5 km run"."""
    before = match.string[max(0, match.start() - 4) : match.start()].lower()
    return _ARTICLE.search(before) is not None or _NOUN.match(match.string, match.end()) is not None


def _unit(match: re.Match[str], accent: Accent) -> Say:
    base, power = match["base"], match["power"]
    unit = match["unit"] or match["apart"] or match["close"]
    name = f"{_SQUARED[power]} {NAMES[base]}" if base else NAMES[unit]
    if unit and len(unit) == 1 and _HYPHENED.search(match.string, 0, match.start()):
        return None  # omega-3s
    named = name if match["hyphen"] else counted(name, match, match["first"])
    said = SIGNS[match["sign"]] + number(match["first"], accent)
    to = " to" if match["to"] else ""
    # A unit that is a word of its own is highlighted on its own.
    if match["named"][0] == " ":
        start = match.start("named") + 1
        return [
            Part(match.start(), match.end("first"), said),
            Part(start, match.end("named"), named + to),
        ]
    return f"{said} {named}{to}"


def _per(match: re.Match[str], _accent: Accent) -> Say:
    written = match["per"]
    return f"per {PER.get(written, written)}"


def _alone(match: re.Match[str], _accent: Accent) -> Say:
    written = match["unit"] or match["bare"]
    name = plural(NAMES[written] if written in NAMES else _area(written))
    return f"{name} per {PER[match['per']]}" if match["per"] else name


def _area(written: str) -> str:
    return f"{_SQUARED[written[-1]]} {NAMES[written[:-1]]}"


def _feet_and_inches(match: re.Match[str], accent: Accent) -> Say:
    inches = number(match["inches"] or match["more"], accent)
    return f"{number(match['feet'], accent)} foot {inches}"


def _inches(match: re.Match[str], accent: Accent) -> Say:
    """27" is inches where no quotation is open."""
    if len(_QUOTE.findall(match.string, 0, match.end() - 1)) % 2:
        return None
    return f"{number(match['inches'], accent)} inch"


def _coordinate(match: re.Match[str], accent: Accent) -> Say:
    said = f"{number(match['degrees'], accent)} degrees"
    if match["minutes"]:
        said += f" {cardinal(match['minutes'], accent)} minutes"
    if match["seconds"]:
        said += f" {number(match['seconds'], accent)} seconds"
    sides = {"N": " north", "S": " south", "E": " east", "W": " west", None: ""}
    return said + sides[match["side"] or match["only"]]


def _feet(match: re.Match[str], accent: Accent) -> Say:
    return f"{number(match['feet'], accent)} feet"


_POWERED = r"mm|cm|dm|m|km|in|ft|yd|mi"
_FREE = alternatives(NAMES.keys() - ATTACHED - APART)
_SLASHED = "mg|kg|g|km|mi|m|cm|ft|GB|MB|kB|TB|kWh|mL|ml|L|Gb|Mb"

RULES = (
    Rule(
        "coordinate",
        re.compile(
            r"(?<![\w.,])(?P<degrees>\d{1,3}(?:\.\d+)?)\s?°\s?"
            r"(?:(?P<minutes>\d{1,2})'\s?(?:(?P<seconds>\d{1,2}(?:\.\d+)?)\")?\s?"
            r"(?P<side>[NSEW]\b)?|(?P<only>[NSEW])\b)"
        ),
        _coordinate,
    ),
    Rule(
        "feet and inches",
        re.compile(
            r"(?<![\w.,'])(?P<feet>\d{1,2})(?:'\s?(?P<inches>\d{1,2})\b(?:\"|'')?"
            r"|\s?ft\.?\s(?P<more>\d{1,2})\s?in\b\.?)"
        ),
        _feet_and_inches,
    ),
    Rule(
        "feet",
        re.compile(r"(?<![\w.,'])(?P<feet>\d{1,3})'(?=\s(?:tall|long|wide|high|deep|x|by)\b)"),
        _feet,
    ),
    Rule("inches", re.compile(r"(?<![\w.,'])(?P<inches>\d{1,3}(?:\.\d)?)\"(?=[\s,.x×-])"), _inches),
    Rule(
        "unit",
        re.compile(
            rf"{SIGNED}(?P<first>{NUMBER})(?P<hyphen>-)?"
            rf"(?P<named>\s?(?P<base>{_POWERED})(?P<power>[²³]|\^?[23](?!\d))|\s?(?P<unit>{_FREE})"
            rf"|\s(?P<apart>{alternatives(APART)})|(?P<close>{alternatives(ATTACHED)}))"
            rf"(?![\w²³^'°])(?:\.(?=\s[a-z]))?{TO}"
        ),
        _unit,
    ),
    Rule(
        "per",
        re.compile(rf"(?<=\x00)\s?/\s?(?P<per>{alternatives([*PER, *PER_WORDS])})\b(?![²³^])"),
        _per,
    ),
    Rule(
        "unit alone",
        re.compile(
            rf"(?<![\w/\x00-])(?:(?P<unit>{_SLASHED})/(?P<per>{alternatives(PER)})"
            rf"|(?P<bare>{alternatives(ALONE)}))(?![\w/²³^])"
        ),
        _alone,
    ),
)
