"""Roman numerals: kings, chapters, centuries."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent, cardinal, ordinal, roman, year
from firstword.tts.text.rule import Rule, Say, parts

_REIGNED = (
    "Alexander|Benedict|Catherine|Charles|Christian|Edward|Elizabeth|Francis|Frederick|George|Gregory"
    "|Gustav|Haakon|Harald|Henry|Innocent|Ivan|James|John|John Paul|Juan Carlos|Leo|Leopold|Louis"
    "|Ludwig|Malcolm|Margrethe|Mary|Maximilian|Napoleon|Nicholas|Otto|Paul|Peter|Philip|Pius"
    "|Ramesses|Ramses|Richard|Robert|Rudolf|Thutmose|Umberto|Urban|Victor Emmanuel|Wilhelm|William"
)
_TITLED = (
    "[Cc]hapter|[Pp]art|[Aa]ct|[Ss]cene|[Bb]ook|[Vv]olume|Vol\\.|[Ss]ection|[Aa]rticle|Appendix"
    "|[Pp]hase|[Tt]ype|[Tt]itle|[Ff]igure|[Tt]able|[Cc]lass|[Ll]evel|[Ss]tage|[Ee]pisode|[Ss]eason"
    "|[Tt]ier|[Aa]nnex|[Rr]ound|[Gg]rade|[Ff]actor|Mark|Group|World War|Super Bowl|War|Schedule"
)
_NUMERAL = r"(?:[IVX]|[IVXLC]{2,8}|[ivx]{2,5})"
# A lone "I" is nearly always the pronoun ("the part I like"): only where no verb of it can follow.
_FIRST = r"I(?=[.,;:!?)]|$|\s(?:of|and|or|to|was|died|reigned|ruled)\b)"


def _reigned(match: re.Match[str], accent: Accent) -> Say:
    number_ = roman(match["number"])
    return None if not number_ else parts(match, number=f"the {ordinal(number_, accent)}")


def _titled(match: re.Match[str], accent: Accent) -> Say:
    number_ = roman(match["number"].upper())
    return None if not number_ else parts(match, number=cardinal(number_, accent))


def _century(match: re.Match[str], accent: Accent) -> Say:
    number_ = roman(match["number"])
    return None if not number_ else parts(match, number=ordinal(number_, accent))


RULES = (
    Rule(
        "small roman number",
        re.compile(r"(?<=\s\()(?P<number>i|[ivx]{2,4})(?=\))"),
        _titled,
    ),
    Rule(
        "regnal number",
        re.compile(rf"\b(?:{_REIGNED})\s(?P<number>{_FIRST}|(?!I\b){_NUMERAL})\b(?!')"),
        _reigned,
    ),
    Rule(
        "roman number of a part",
        re.compile(rf"\b(?:{_TITLED})\s(?P<number>{_FIRST}|(?!I\b){_NUMERAL})\b(?!')"),
        _titled,
    ),
    Rule("roman century", re.compile(r"\b(?P<number>[IVX]{1,5})(?:th)?(?=\scentur)"), _century),
    Rule(
        "roman number of a name",
        re.compile(
            r"\b(?!The\b|An\b|This\b|That\b|His\b|Her\b|Your\b|With\b|Start\b)[A-Z][a-z]{2,20}"
            r"\s(?P<number>[IVX]{2,5})\b(?!['.]\w)"
        ),
        _titled,
    ),
    Rule(
        "roman year",
        re.compile(r"\b(?P<number>M{1,2}[MCDLXVI]{3,12})\b"),
        lambda match, accent: None if not (found := roman(match[0])) else year(found, accent),
    ),
)
