"""Signs between words and numbers: mathematics, "and", "at", slashes, Greek letters."""

from __future__ import annotations

import re

from firstword.tts.text.identifiers import symbol_by_symbol
from firstword.tts.text.numerals import Accent, ordinal
from firstword.tts.text.rule import Rule, Say, fixed, parts

_OPERATORS = {
    "===": "equals",
    "==": "equals",
    "!=": "is not equal to",
    "≠": "is not equal to",
    "<=": "is less than or equal to",
    "≤": "is less than or equal to",
    ">=": "is greater than or equal to",
    "≥": "is greater than or equal to",
    "=": "equals",
    "+": "plus",
    "−": "minus",
    "±": "plus or minus",
    "×": "times",
    "*": "times",
    "÷": "divided by",
    "<": "is less than",
    ">": "is greater than",
    "≈": "is about",
    "&&": "and",
    "||": "or",
    "→": "to",
    "->": "to",
    "⇒": "implies",
    "=>": "gives",
}
_PREFIXES = {
    "~": "about",
    "≈": "about",
    "<=": "at most",
    "≤": "at most",
    "<": "less than",
    ">=": "at least",
    "≥": "at least",
    ">": "more than",
    "√": "the square root of",
}
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu new ksee omicron pie row "
    "sigma tow upsilon fie kye psy omega"
)
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES.split(), strict=True))
_GREEK |= {letter.upper(): name for letter, name in _GREEK.items()}
_GREEK |= {"ς": "sigma", "µ": "mu", "∑": "the sum of", "∫": "the integral of", "∂": "partial"}
_GREEK |= {"∆": "delta", "∞": "infinity", "Ω": "omega"}

_ENTITIES = {
    "&amp;": "and",
    "&lt;": "less than",
    "&gt;": "greater than",
    "&nbsp;": "",
    "&quot;": "",
    "&apos;": "",
    "&#39;": "",
}
_EITHER = "s?he|they|his|hers?|him|yes|no|true|false|on|off|either"
_OR = "she|he|them|hers?|his|him|no|yes|false|true|off|on|or"
_SHORT = {
    "w/o": "without",
    "w/": "with",
    "b/c": "because",
    "n/a": "not applicable",
    "N/A": "not applicable",
    "c/o": "care of",
    "C++": "C plus plus",
    "c++": "C plus plus",
    "C#": "C sharp",
    "F#": "F sharp",
    ".NET": "dot net",
    "A/B": "A B",
    "y/y": "year over year",
    "YoY": "year over year",
    "QoQ": "quarter over quarter",
    "I/O": "I O",
    "Q&A": "Q and A",
    "R&D": "R and D",
    "AT&T": "A T and T",
    "r&b": "R and B",
    "R&B": "R and B",
    "B&B": "B and B",
}


def _operator(match: re.Match[str], _accent: Accent) -> Say:
    return parts(match, sign=_OPERATORS[match["sign"]])


def _comparison(match: re.Match[str], _accent: Accent) -> Say:
    words = {sign: _OPERATORS[match[sign]] for sign in ("sign", "after", "letters") if match[sign]}
    return parts(match, **words)


def _prefix(match: re.Match[str], _accent: Accent) -> Say:
    return _PREFIXES[match["sign"]]


def _pair(match: re.Match[str], _accent: Accent) -> Say:
    return parts(match, slash="or")


def _slash(match: re.Match[str], _accent: Accent) -> Say:
    """Silent in TCP/IP and and/or, a word elsewhere."""
    before, after = match["before"], match["after"]
    quantities = before == after == "\x00"
    if quantities or (before.isupper() and after.isupper()) or before.lower() == "and":
        return parts(match, slash="")
    return parts(match, slash="slash")


def _squared(match: re.Match[str], _accent: Accent) -> Say:
    return {"²": "squared", "³": "cubed"}[match[0]]


def _caret(match: re.Match[str], accent: Accent) -> Say:
    exponent = match["exponent"]
    if exponent in ("2", "3"):
        return {"2": "squared", "3": "cubed"}[exponent]
    return f"to the {exponent.upper() if exponent.isalpha() else ordinal(exponent, accent)}"


def _hex(match: re.Match[str], _accent: Accent) -> Say:
    return f"zero X {symbol_by_symbol(match['number'])}"


_LEFT = r"(?<=[\w)\]\x00²³%°'\"])"
_RIGHT = r"(?=[\w(\x00$€£√\"'.−-])"
_SURE = "===|==|!=|<=|>=|≠|≤|≥|≈|±|×|÷|=>|->|→|⇒|&&|\\|\\|"

EARLY = (
    fixed("short for words", _SHORT, before=r"(?<![\w/&])", after=r"(?![\w&])"),
    fixed("aperture", {"f/": "F"}, before=r"\b", after=r"(?=\d)"),
    fixed("entity", _ENTITIES),
    Rule(
        "emoticon",
        re.compile(r"(?<![^\s(])(?:[:;=]['^-]?[)(DPpOo/|\\*3]|<3|[xX]D)(?![\w/])"),
        lambda _match, _accent: "",
    ),
    Rule("hexadecimal", re.compile(r"(?<!\w)0[xX](?P<number>[0-9A-Fa-f]{1,32})\b"), _hex),
    Rule("either", re.compile(rf"\b(?i:{_EITHER})(?P<slash>/)(?i:{_OR})\b"), _pair),
)

OPERATORS = (
    Rule(
        "close before a number",
        re.compile(r"(?<=\s)(?P<sign>~|≈|<=|≤|<|>=|≥|>)(?=[$€£]?[-−+]?\.?\d|\x00)"),
        _prefix,
    ),
    Rule("caret", re.compile(r"(?<=[A-Za-z)])\^(?P<exponent>\d|[a-z])\b"), _caret),
    fixed("factorial", {"!": "factorial"}, before=r"(?<=[\dn)])", after=r"(?=\s?[=+*/×<>−])"),
    Rule(
        "by between lengths",
        re.compile(
            r"(?:(?<=\d[a-z]{2})|(?<=\d\s[a-z]{2})|(?<=\d\sm)|(?<=\d[m'\"]))\s?(?P<sign>[x×])\s?(?=\d)"
        ),
        lambda match, _accent: parts(match, sign="by"),
    ),
    Rule(
        "operator",
        re.compile(rf"{_LEFT}\s?(?P<sign>{_SURE})\s?{_RIGHT}"),
        _operator,
    ),
    Rule("spaced operator", re.compile(rf"{_LEFT}\s(?P<sign>[=+−])\s{_RIGHT}"), _operator),
    Rule(
        "comparison",
        re.compile(
            r"(?<=[\d)\x00²³%])(?P<gap>\s)?(?P<sign>[*<>])(?(gap)\s)(?=[\w(\x00])"
            r"|(?<=\w)(?P<space>\s)?(?P<after>[<>])(?(space)\s)(?=[-−$€£]?\d|\x00)"
            r"|(?<=\b[A-Za-z])\s(?P<letters>[*<>])\s(?=[A-Za-z]\b)"
        ),
        _comparison,
    ),
    Rule(
        "close operator",
        re.compile(r"(?<=[\w)\x00²³%])(?P<sign>[=+−])(?=[\w(\x00])"),
        _operator,
    ),
    Rule(
        "spaced minus",
        re.compile(r"(?<=[\d)])\s(?P<sign>-)\s(?=[\d(])"),
        lambda match, _accent: parts(match, sign="minus"),
    ),
    Rule(
        "before a number",
        re.compile(r"(?<![\w)])(?P<sign>~|≈|<=|≤|<|>=|≥|>|√)\s?(?=[$€£]?[-−+]?\.?\d|\(|\x00)"),
        _prefix,
    ),
)

_WORD = r"[^\W\d_]"

LATE = (
    Rule("raised", re.compile(r"(?<=[\w)\x00])[²³]"), _squared),
    Rule(
        "plus after a number", re.compile(r"(?<=\x00)\+(?=[\s,.;:!?)-]|$)"), lambda _m, _a: "plus"
    ),
    Rule("percent", re.compile(r"%(?=\s|$|[.,;:!?)])"), lambda _m, _a: "percent"),
    Rule(
        "greek letter",
        re.compile(rf"(?<![Ͱ-Ͽ])[{''.join(_GREEK)}](?![Ͱ-Ͽ])"),
        lambda m, _a: _GREEK[m[0]],
    ),
    Rule(
        "slash",
        re.compile(
            rf"(?<![/\\])(?P<before>\b{_WORD}+|\x00)(?P<slash>/)(?=(?P<after>{_WORD}+|\x00))"
        ),
        _slash,
    ),
    fixed(
        "sign",
        {
            "&": "and",
            "§": "section",
            "°": "degrees",
            "‰": "per mille",
            "÷": "divided by",
            "♯": "sharp",
            "♭": "flat",
            "€": "euros",
            "£": "pounds",
            "¥": "yen",
            "¢": "cents",
            "₹": "rupees",
        },
    ),
    fixed("at", {"@": "at"}, before=r"(?<=\s)", after=r"(?=[\s\x00\d])"),
    fixed("dollar", {"$": "dollars"}, before=r"(?<=\s)", after=r"(?=\s)"),
)
