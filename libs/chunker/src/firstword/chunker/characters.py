"""Classes of characters that the rules speak of."""

from __future__ import annotations

import re

LINE_ENDS = frozenset("\n\r\u2028\u2029\x85")

HARD = frozenset("。！？．｡؟۔।॥։።፧፨។៕။᙮᠃᠉܀܁܂꓿\u037e༎")
"""Marks that end a sentence whatever follows, white space or not."""

TERMINATORS = HARD | frozenset(".!?…‽⁇⁈⁉")

CLOSING_BRACKETS = frozenset(")]}）］｝】〉》〕〗｠")
CLOSING_QUOTES = frozenset("”’」』")
EITHER_QUOTES = frozenset("\"'“‘«»‹›")
"""Quotes that open in one language and close in another, or both in the same."""

OPENING_QUOTES = "\"'“‘«»‹›„‚”’「『"
OPENING_BRACKETS = frozenset("([{（［｛【〈《〔〖")
EMPHASIS = frozenset("*_~`")
WIDE_OPENERS = frozenset("「『“‘（［｛【〈《〔〖")
SUPERSCRIPTS = frozenset("¹²³⁰⁴⁵⁶⁷⁸⁹")
DASHES = frozenset("-–—−―")

_EMOJI = (
    "\U0001f000-\U0001faff\u2600-\u266c\u2670-\u27bf\u2b05-\u2b55\u231a\u231b\u2328\u23cf"
    "\u23e9-\u23fa\u25aa-\u25ab\u25fb-\u25fe\u203c\u2049\u3030\u303d\u3297\u3299"
    "\u200d\ufe0f\u20e3\U000e0020-\U000e007f"
)
_MAYBE_EMOJI = "\u00a9\u00ae\u2122\u2139\u2194-\u21aa\u24c2\u25b6\u25c0\u2934\u2935"

EMOJI = rf"(?:[{_EMOJI}]|[{_MAYBE_EMOJI}]\ufe0f)+"
"""Regular expression for a run of pictographs with their joiners, flags and skin tones."""

_EMOJI_CHAR = re.compile(f"[{_EMOJI}]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u303f\u3040-\u30ff\u31f0-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def is_emoji(char: str) -> bool:
    return _EMOJI_CHAR.match(char) is not None


def is_unspaced(char: str) -> bool:
    """Whether ``char`` belongs to a script that puts no spaces between words."""
    return _UNSPACED.match(char) is not None


def is_caseless(char: str) -> bool:
    """Whether ``char`` is a letter of a script without capitals."""
    return char.isalpha() and not char.isupper() and not char.islower() and not char.istitle()
