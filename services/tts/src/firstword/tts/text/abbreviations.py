"""Titles, places, Latin and other short forms that are read in full."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent
from firstword.tts.text.rule import Rule, Say, fixed, parts, spelled

_TITLES = {
    "Mr.": "mister",
    "Mr": "mister",
    "Mrs.": "missus",
    "Mrs": "missus",
    "Ms.": "miz",
    "Ms": "miz",
    "Mx.": "mix",
    "Messrs.": "messers",
    "Prof.": "professor",
    "Rev.": "reverend",
    "Hon.": "honorable",
    "Gen.": "general",
    "Col.": "colonel",
    "Capt.": "captain",
    "Cpt.": "captain",
    "Cmdr.": "commander",
    "Lt.": "lieutenant",
    "Sgt.": "sergeant",
    "Maj.": "major",
    "Adm.": "admiral",
    "Sen.": "senator",
    "Rep.": "representative",
    "Gov.": "governor",
    "Pres.": "president",
    "Supt.": "superintendent",
    "Mt.": "mount",
    "Ft.": "fort",
    "Fr.": "father",
}
"""Before a name."""

_AFTER_NAMES = {
    "Jr.": "junior",
    "Jr": "junior",
    "Sr.": "senior",
    "Sr": "senior",
    "Esq.": "esquire",
    "Inc.": "ink",
    "Inc": "ink",
    "Corp.": "corporation",
    "Co.": "company",
    "Ltd.": "limited",
    "Ltd": "limited",
    "Bros.": "brothers",
    "Ave.": "avenue",
    "Ave": "avenue",
    "Blvd.": "boulevard",
    "Blvd": "boulevard",
    "Rd.": "road",
    "Rd": "road",
    "Ln.": "lane",
    "Ln": "lane",
    "Hwy.": "highway",
    "Hwy": "highway",
    "Pkwy.": "parkway",
    "Pkwy": "parkway",
    "Ct.": "court",
    "Sq.": "square",
    "Pl.": "place",
    "Mtn.": "mountain",
    "Univ.": "university",
}
"""After a name."""

_ANYWHERE = {
    "e.g.": "for example",
    "e.g": "for example",
    "E.g.": "for example",
    "i.e.": "that is",
    "i.e": "that is",
    "I.e.": "that is",
    "etc.": "etc",
    "etc": "etc",
    "vs.": "versus",
    "vs": "versus",
    "et al.": "et al",
    "cf.": "compare",
    "viz.": "namely",
    "approx.": "approximately",
    "Approx.": "approximately",
    "ca.": "circa",
    "incl.": "including",
    "excl.": "excluding",
    "esp.": "especially",
    "temp.": "temperature",
    "avg.": "average",
    "dept.": "department",
    "Dept.": "department",
    "est.": "estimated",
    "est. of": "estimate of",
    "'n'": "and",
    "'n": "and",
    "Sr.": "senior",
    "govt.": "government",
    "gov't": "government",
    "Govt.": "government",
    "misc.": "miscellaneous",
    "resp.": "respectively",
    "tel.": "telephone",
    "Tel.": "telephone",
    "ext.": "extension",
    "Intl.": "international",
    "a.k.a.": "A K A",
    "aka": "A K A",
    "Ph.D.": "P H D",
    "PhD": "P H D",
    "PhDs": "P H Dees",
    "p.s.": "P S",
    "P.S.": "P S",
    "a.m.": "A M",
    "p.m.": "P M",
}

_NOT_AFTER_NUMBERS = {"max.": "maximum", "min.": "minimum", "Max.": "maximum", "Min.": "minimum"}

_SIDES = {"W.": "west", "E.": "east", "N.": "north", "S.": "south"}

_KEYS = {"Ctrl": "control", "Cmd": "command", "Del": "delete", "Esc": "escape", "Opt": "option"}

_BEFORE_NUMBERS = {
    "est.": "established",
    "Est.": "established",
    "p.": "page",
    "pp.": "pages",
    "Fig.": "figure",
    "fig.": "figure",
    "Figs.": "figures",
    "Eq.": "equation",
    "eq.": "equation",
    "ch.": "chapter",
    "Ch.": "chapter",
    "Sec.": "section",
    "sec.": "section",
    "Vol.": "volume",
    "vols.": "volumes",
    "Vols.": "volumes",
    "b.": "born",
    "d.": "died",
    "vol.": "volume",
    "Ed.": "edition",
    "Art.": "article",
    "Apt.": "apartment",
    "Ste.": "suite",
    "No.": "number",
    "no.": "number",
    "nos.": "numbers",
    "Nos.": "numbers",
    "c.": "circa",
    "ca.": "circa",
    "Lat.": "latitude",
    "lat.": "latitude",
    "Long.": "longitude",
    "long.": "longitude",
    "Alt.": "altitude",
    "alt.": "altitude",
}

_FUNCTION_WORDS = (
    "The|In|At|To|From|And|Of|For|On|Near|With|By|Visit|Call|See|Is|Was|Port|Fort|Mont|Mount|But"
    "|Or|If"
)
_STREET = re.compile(
    rf"(?:\d(?:st|nd|rd|th)?|\b(?!(?:{_FUNCTION_WORDS})\b)[A-Z][\w']+)[\s\x00]$|\x00\s$"
)
_HOUSE = re.compile(r"(?:\d|\x00)[\w\s']{0,30}$")


def _saint_or_street(match: re.Match[str], _accent: Accent) -> Say:
    before = match.string[max(0, match.start() - 40) : match.start()]
    name_follows = re.match(r"\s[A-Z]", match.string[match.end() : match.end() + 2])
    if name_follows and not _STREET.search(before):
        return "saint"
    return "street" if before.strip() and _STREET.search(before) else "saint"


def _doctor_or_drive(match: re.Match[str], _accent: Accent) -> Say:
    """A drive has a name before it, and a house number further back or no name after it."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    name_follows = re.match(r"\s[A-Z]", match.string[match.end() : match.end() + 2])
    if not _STREET.search(before):
        return "doctor"
    return "drive" if not name_follows or _HOUSE.search(before) else "doctor"


def _dotted(match: re.Match[str], _accent: Accent) -> Say:
    return spelled(match[0].replace(".", ""))


def _initial(match: re.Match[str], _accent: Accent) -> Say:
    return match["letter"]


def _degrees(match: re.Match[str], _accent: Accent) -> Say:
    return parts(match, scale={"C": "Celsius", "F": "Fahrenheit"}[match["scale"]])


_NOT_IN_WORD = r"(?<![\w.'-])"
_STOP = r"(?![\w])"

EARLY = (
    Rule(
        "saint or street",
        re.compile(rf"{_NOT_IN_WORD}St(?:\.|(?=\s[A-Z])|(?=,))(?!\w)"),
        _saint_or_street,
    ),
    Rule(
        "doctor or drive",
        re.compile(rf"{_NOT_IN_WORD}Dr(?:\.|(?=\s[A-Z])|(?=,))(?!\w)"),
        _doctor_or_drive,
    ),
    fixed("title", _TITLES, before=_NOT_IN_WORD, after=r"(?=\s(?:[A-Z&\x00]|and\s))"),
    fixed("after a name", _AFTER_NAMES, before=r"(?<=[\w,)]\s)", after=_STOP),
    fixed("side of a street", _SIDES, before=r"(?<=\d\s)", after=r"(?=\s[A-Z\d])"),
    fixed("short before a number", _BEFORE_NUMBERS, before=_NOT_IN_WORD, after=r"(?=\s?[\d\x00])"),
    fixed("abbreviation", _ANYWHERE, before=_NOT_IN_WORD, after=_STOP),
    fixed("bound", _NOT_AFTER_NUMBERS, before=_NOT_IN_WORD + r"(?<!\d\s)", after=_STOP),
    fixed("key", _KEYS, before=_NOT_IN_WORD, after=r"(?=\s?\+\s?\w)"),
    fixed("last key", _KEYS, before=r"(?<=\+)", after=r"\b"),
    Rule("degrees", re.compile(r"\bdegrees?\s(?P<scale>[CF])\b"), _degrees),
)
"""Before numbers are taken."""

LATE = (
    Rule(
        "dotted letters",
        re.compile(
            rf"{_NOT_IN_WORD}(?:[A-Za-z]\.){{2,8}}(?![A-Za-z])|{_NOT_IN_WORD}(?:[A-Z]\.){{1,8}}[A-Z]\b"
        ),
        _dotted,
    ),
    Rule("initial", re.compile(rf"{_NOT_IN_WORD}(?P<letter>[A-HJ-Z])\.(?=\s[A-Z])"), _initial),
)
