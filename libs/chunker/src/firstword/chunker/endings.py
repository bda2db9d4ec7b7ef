"""What the text left of a terminator says about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from firstword.chunker.abbreviations import EXCLAIMED, Follow, after_pair, after_word
from firstword.chunker.characters import OPENING_BRACKETS, is_unspaced
from firstword.chunker.starters import WEEKDAYS
from firstword.chunker.word_lists import listed

_LOOK_BACK = 64
_WORD = re.compile(r"[^\s\"“”„«»‹›()\[\]{}<>*_~`,;:!?/\\|@#=+&—–…‽。！？，、；：「」『』（）]*")
_AROUND = frozenset("*_~'’-")
_NOT_PLAIN = re.compile(r"[\d.$€£¥₹%°\u200b]")
_NUMBER = re.compile(r"\d{1,3}")
_BEFORE_ME = listed(
    "did do does am can could will would should shall was than and as but not Not or nor only Only"
)
_LETTERED = listed("""
    vitamin plan option type class grade group section point letter team appendix exhibit step part
    phase round hepatitis column row answer choice drive side zone gate platform terminal
    """)
_FRONTS = listed("At By On In From After Before Until Till Around About Since Today Yesterday")
_ORDINAL_BEFORE = listed("Am vom Vom zum Zum beim Beim im Im den der Der dem Dem das Das des zur")
_DATE_BEFORE = listed("am on On ab Ab seit Seit bis Bis nach Nach vor Vor")
_LAST_PART = re.compile(r"[-'’]")
_NUMERIC = re.compile(r"[$€£¥]?\d[\d.,/]*|(?:a|one|two|three|four|five|six|ten|half|few|per)")


class Ordinal(Enum):
    """Whether a number with its period may be an ordinal, as in German."""

    NO = auto()
    DATE = auto()
    """Before the name of a month (``am 3. August``)."""
    NOUN = auto()
    """Before any noun (``im 19. Jahrhundert``)."""


@dataclass(frozen=True, slots=True)
class Left:
    """The word before a terminator, and what it allows."""

    word: str
    follow: Follow
    number: int = 0
    """The number of an enumeration (``2. Second``); 0 for none."""
    ordinal: Ordinal = Ordinal.NO
    item: int = 0
    """Where the number begins, when the next item of an enumeration may begin with it."""


def word_before(text: str, start: int, position: int) -> str:
    """The word that ends at ``position``, without the marks around it."""
    piece = text[max(start, position - _LOOK_BACK) : position]
    match = _WORD.match(piece[::-1])
    return match[0][::-1] if match else ""


def is_ordinary(word: str) -> bool:
    """Whether ``word`` is a plain lower-case word (or one of a script without case)."""
    if len(word) < 2:
        return bool(word) and is_unspaced(word)
    return word == word.lower() and word[-1] != "-" and not _NOT_PLAIN.search(word)


def left_of(text: str, start: int, position: int, marks: str, number: int) -> Left:
    """Judge what stands before the terminators ``marks`` at ``position``.

    ``number`` is the last number of an enumeration that was seen, 0 for none.
    """
    if text[max(start, position - 1) : position] in OPENING_BRACKETS:
        return Left("", Follow.NEVER)
    end = position
    while end > start and text[end - 1] in _AROUND and position - end < _LOOK_BACK:
        end -= 1
    word = word_before(text, start, end).lstrip("'’-")
    if marks == ".":
        return _before_period(text, start, end, word, number)
    if "…" in marks or (".." in marks and not set(marks) - {"."}):
        return Left(word, Follow.ELLIPSIS)
    interjection = _is_first(text, start, end - len(word)) and word not in EXCLAIMED
    if is_ordinary(word) or (interjection and word.isalpha()):
        return Left(word, Follow.ANYTHING)
    return Left(word, Follow.NO_LOWER)


def _before_period(text: str, start: int, position: int, word: str, number: int) -> Left:
    if not word:
        return Left(word, Follow.NO_LOWER)
    begin = position - len(word)
    before = _previous(text, start, begin)
    if word[-1].isdigit():
        return _before_number(text, start, begin, word, before, number)
    counted = _NUMERIC.fullmatch(before) is not None
    if len(before) == 2 and before[1] == "." and (pair := after_pair(before[0], word)) is not None:
        return Left(word, pair)
    if before == "Dr." and len(word) < 5 and is_ordinary(word):
        return Left(word, Follow.NEVER)
    name = _LAST_PART.split(word)[-1]
    known = after_word(name, counted=counted) or after_word(word, counted=counted)
    if known is Follow.TIME:
        known = Follow.STARTER if _is_fronted(text, start, begin) else known
    if known is not None:
        return Left(word, known)
    if len(word) == 1:
        return Left(word, _after_letter(text, start, begin, word, before))
    if is_ordinary(word):
        return Left(word, Follow.ANYTHING)
    if _is_roman(word) and _is_first(text, start, begin):
        return Left(word, Follow.NEVER)
    return Left(word, Follow.NO_LOWER)


def _before_number(text: str, start: int, begin: int, word: str, before: str, number: int) -> Left:
    if not _NUMBER.fullmatch(word):
        return Left(word, Follow.NO_LOWER)
    value = int(word)
    after_mark = before.endswith((":", ";", ",")) and text[begin - 1].isspace()
    leads = (_is_first(text, start, begin) and text[max(start, begin - 1)] not in "#$€£¥") or (
        after_mark and (value == 1 or before[-1] != ",")
    )
    if leads and value in (1, number + 1):
        return Left(word, Follow.NEVER, number=value)
    ordinal = Ordinal.NO
    if before in _ORDINAL_BEFORE:
        ordinal = Ordinal.NOUN
    elif before in _DATE_BEFORE or before.rstrip(",") in WEEKDAYS or before.endswith("tag,"):
        ordinal = Ordinal.DATE
    item = begin if 0 < number == value - 1 and text[begin - 1].isspace() else 0
    return Left(word, Follow.NO_LOWER, ordinal=ordinal, item=item)


def _after_letter(text: str, start: int, begin: int, word: str, before: str) -> Follow:
    if is_unspaced(word):
        return Follow.ANYTHING
    if _is_first(text, start, begin):
        return Follow.NEVER
    if (word == "I" and before in _BEFORE_ME) or before.lower() in _LETTERED:
        return Follow.NO_LOWER
    return Follow.STARTER


def _is_fronted(text: str, start: int, begin: int) -> bool:
    """Whether the sentence has only begun, with when something was: ``At 5 p.m.``"""
    words = text[start:begin].split(maxsplit=4) if begin - start < _LOOK_BACK else []
    return 0 < len(words) < 4 and words[0].lstrip("\"'“‘(*_") in _FRONTS


def _previous(text: str, start: int, begin: int) -> str:
    words = text[max(start, begin - _LOOK_BACK) : begin].split()
    return words[-1] if words else ""


def _is_first(text: str, start: int, begin: int) -> bool:
    """Whether nothing but marks stands between the sentence's start and ``begin``."""
    return begin - start < _LOOK_BACK and not any(c.isalnum() for c in text[start:begin])


def _is_roman(word: str) -> bool:
    return not set(word) - set("IVX")
