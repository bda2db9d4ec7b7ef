"""Whether the text right of a terminator and its white space begins a sentence."""

from __future__ import annotations

from firstword.chunker.abbreviations import EXCLAIMED, Follow
from firstword.chunker.ahead import Ahead
from firstword.chunker.characters import (
    DASHES,
    OPENING_QUOTES,
    is_caseless,
    is_emoji,
)
from firstword.chunker.endings import Left, Ordinal
from firstword.chunker.starters import (
    AFTER_TIMES,
    GERMAN_MONTHS,
    MONTHS,
    is_number_name,
    is_starter,
)
from firstword.chunker.word_lists import listed

_GOES_ON = frozenset("&+=/,;|%>)]}^!?…")
_LOOK_THROUGH = frozenset(OPENING_QUOTES + "*_¿¡")
_PRONOUN = listed("I I'm I've I'll I'd I’m I’ve I’ll I’d")
"""``I`` has its capital anywhere, so it does not begin a sentence after ``Well...``"""
_SYMBOLS = frozenset("#@$€£¥`<[{")
_CAPITAL_FOLLOWS = frozenset({Follow.CAPITAL, Follow.TIME})
_OPEN_FOLLOWS = frozenset({Follow.NO_LOWER, Follow.ELLIPSIS, Follow.ANYTHING})


def opens(ahead: Ahead, index: int, left: Left) -> bool:
    """Whether a sentence starts at ``index``, the first character after the white space."""
    char = ahead.at(index)
    if left.follow is Follow.NEVER:
        return False
    if not char:
        return True
    if char.isdigit():
        return left.follow in _OPEN_FOLLOWS or left.follow in _CAPITAL_FOLLOWS
    if char.isalpha():
        return _word_opens(ahead, index, left)
    if left.follow in _OPEN_FOLLOWS:
        return _mark_opens(ahead, index, char)
    return _quoted_word_opens(ahead, index, left)


def _quoted_word_opens(ahead: Ahead, index: int, left: Left) -> bool:
    through = _LOOK_THROUGH | {"("} if left.follow in _CAPITAL_FOLLOWS else _LOOK_THROUGH
    index = ahead.past(index, through)
    if left.follow is not Follow.STARTER and ahead.at(index) in DASHES:
        index = ahead.past_blanks(ahead.past(index, DASHES))
    char = ahead.at(index)
    if char.isalpha():
        return not char.islower() and _word_opens(ahead, index, left)
    return left.follow in _CAPITAL_FOLLOWS and (char in _SYMBOLS or is_emoji(char))


def _word_opens(ahead: Ahead, index: int, left: Left) -> bool:
    char = ahead.at(index)
    follow = left.follow
    if char.islower():
        return follow in _OPEN_FOLLOWS and _is_name(ahead, index)
    if is_caseless(char):
        return follow in _OPEN_FOLLOWS or follow in _CAPITAL_FOLLOWS
    if follow is Follow.ELLIPSIS:
        return not ahead.spells(index, _PRONOUN)
    if follow in _OPEN_FOLLOWS:
        return not _goes_on_with(ahead, index, left)
    if follow in {Follow.UNIT, Follow.CAPITAL}:
        return True
    if follow is Follow.TIME:
        return not ahead.spells(index, AFTER_TIMES)
    word = ahead.word(index)
    if follow is Follow.NUMBERED:
        return not is_number_name(word) and word not in MONTHS
    if word == "No" and ahead.at(index + 2) == ".":
        return False
    return is_starter(word)


def _goes_on_with(ahead: Ahead, index: int, left: Left) -> bool:
    """Whether the capitalised word at ``index`` belongs to the number or name before it."""
    if left.word in EXCLAIMED:
        return ahead.spells(index, EXCLAIMED[left.word])
    if not left.word.isdigit() or len(left.word) > 2:
        return False
    if left.ordinal is Ordinal.NOUN:
        return not is_starter(ahead.word(index))
    return ahead.spells(index, MONTHS if left.ordinal is Ordinal.DATE else GERMAN_MONTHS)


def _is_name(ahead: Ahead, index: int) -> bool:
    """A lower-case first letter that starts a name (``iPhone``) or an address (``https://``)."""
    word = ahead.word(index)
    after = ahead.at(index + len(word))
    if (
        word == "www"
        or after in {"_", "("}
        or (after == ":" and ahead.at(index + len(word) + 1) == "/")
    ):
        return True
    return any(c.isupper() for c in word[1:].partition("'")[0])


def _mark_opens(ahead: Ahead, index: int, char: str) -> bool:
    """Whether a mark that is no letter and no digit begins a sentence."""
    after = ahead.at(index + 1)
    if char in _GOES_ON:
        return char == ";" and after in {")", "-"}
    if char == ":":
        return after in {")", "-", "(", "D", "P", "'"}
    if char in DASHES:
        return _dash_opens(ahead, index)
    if char in ".<":
        return after.isalnum()
    return True


def _dash_opens(ahead: Ahead, index: int) -> bool:
    """``-5`` and ``— Yes`` begin a sentence, ``-- a note`` does not."""
    index = ahead.past(index, DASHES)
    if ahead.at(index).isdigit():
        return True
    char = ahead.at(ahead.past_blanks(index))
    return char.isalpha() and not char.islower()
