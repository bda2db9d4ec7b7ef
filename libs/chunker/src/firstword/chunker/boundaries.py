"""Whether a terminator ends its sentence, from what stands before and after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from firstword.chunker.abbreviations import Follow
from firstword.chunker.ahead import Ahead
from firstword.chunker.characters import (
    HARD,
    LINE_ENDS,
    OPENING_QUOTES,
    WIDE_OPENERS,
    is_caseless,
    is_unspaced,
)
from firstword.chunker.closers import Cluster, past_closer, read_cluster
from firstword.chunker.endings import Left, is_ordinary, left_of
from firstword.chunker.open_marks import OpenMarks
from firstword.chunker.openings import opens
from firstword.chunker.starters import is_starter

_WIDE_GOES_ON = frozenset(",，、;；:：—–")
_TECHNICAL = re.compile(r"[\d/@_\\=`|]|://|\w\(")
_PLAIN_AFTER = frozenset(",;:!?'’\"”…*_")


@dataclass(frozen=True, slots=True)
class Context:
    """What the sentence so far and the lines below say to a terminator."""

    start: int
    number: int
    """The last number of an enumeration; 0 for none."""
    marks: OpenMarks
    """What earlier sentences of the paragraph left open."""
    next_line: Callable[[int], int | None]
    """Where the text goes on after the line end at an index; None where the block ends there."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a terminator means."""

    ends: bool
    at: int
    """Where the sentence ends, or where to read on. It ends before an item's number."""
    left: Left


def judge(ahead: Ahead, position: int, context: Context) -> Verdict:
    """Decide on the terminator at ``position``; raises ``NotYetError`` when it is too early."""
    start = context.start
    cluster = read_cluster(ahead, start, position)
    left = left_of(ahead.text, start, position, cluster.marks, context.number)
    after = ahead.at(cluster.end)
    if _is_hard(ahead, position, cluster):
        return Verdict(_hard_ends(cluster, after), cluster.end, left)
    if after and not after.isspace() and not _is_tag(ahead, cluster.end):
        return Verdict(_glued_ends(ahead, start, position, cluster, left), cluster.end, left)
    at_once = left.follow is Follow.ANYTHING and not cluster.closed
    if at_once and not context.marks.spaced_in(ahead.text[start:position]):
        return Verdict(True, cluster.end, left)
    return _after_space(ahead, position, cluster, left, context)


def _after_space(
    ahead: Ahead, position: int, cluster: Cluster, left: Left, context: Context
) -> Verdict:
    index = ahead.past_blanks(cluster.end)
    if ahead.at(index) in LINE_ENDS:
        line = context.next_line(index)
        if line is None:
            return Verdict(True, cluster.end, left)
        index = ahead.past_blanks(line)
    if context.marks.spaced_in(ahead.text[context.start : position]):
        end = past_closer(ahead, context.start, index)
        if end > index and not ahead.at(index).isalnum() and ahead.at(index) not in "*_`<[\"'":
            return _after_spaced_closer(ahead, end, left)
    if cluster.bracketed and _in_parenthesis(ahead.text, context.start, position):
        left = Left(left.word, Follow.STARTER)
    ends = opens(ahead, index, left)
    if left.item and ends and ahead.at(index).isalpha():
        return Verdict(True, left.item, left)
    return Verdict(ends, cluster.end, left)


def _after_spaced_closer(ahead: Ahead, end: int, left: Left) -> Verdict:
    """``« Bonjour. » Puis``: the closer stays left, and the word after it decides."""
    index = ahead.past_blanks(end)
    if index == end and ahead.at(end):
        return Verdict(False, end, left)
    closed = Left(left.word, Follow.NO_LOWER) if left.follow is Follow.ANYTHING else left
    return Verdict(opens(ahead, index, closed), end, left)


def _in_parenthesis(text: str, start: int, position: int) -> bool:
    """Whether the bracket that closes was opened in the middle of the sentence."""
    opener = text.rfind("(", start, position)
    return opener > start and any(c.isalnum() for c in text[start:opener])


def _is_hard(ahead: Ahead, position: int, cluster: Cluster) -> bool:
    if ahead.text[position] == "．" and ahead.at(position + 1).isdigit():
        return False
    return not HARD.isdisjoint(cluster.marks)


def _hard_ends(cluster: Cluster, after: str) -> bool:
    if not after or after.isspace():
        return True
    if cluster.quoted:
        return after in WIDE_OPENERS
    return after not in _WIDE_GOES_ON


def _is_tag(ahead: Ahead, index: int) -> bool:
    """An opening tag stands after a sentence as white space does."""
    return ahead.at(index) == "<" and ahead.at(index + 1).isalpha()


def _glued_ends(ahead: Ahead, start: int, position: int, cluster: Cluster, left: Left) -> bool:
    """A word follows without white space: an end only where a model dropped the space."""
    index = ahead.past(cluster.end, frozenset(OPENING_QUOTES + "*_¿¡"))
    char = ahead.at(index)
    if not char.isalpha() or char.islower():
        return False
    if is_caseless(char):
        before = left.word[-1:]
        fits = cluster.marks[0] in "!?" or (cluster.marks == "." and is_caseless(before))
        return fits and (left.follow is Follow.ANYTHING or is_unspaced(before))
    if _is_technical(ahead.text, start, position):
        return False
    if cluster.marks[0] in "!?":
        return bool(left.word) or cluster.closed
    return _plain_word_follows(ahead, index, left)


def _is_technical(text: str, start: int, position: int) -> bool:
    piece = text[max(start, position - 64) : position]
    token = piece.split()[-1:] or [""]
    return len(token[0]) >= 64 or "." in token[0] or _TECHNICAL.search(token[0]) is not None


def _plain_word_follows(ahead: Ahead, index: int, left: Left) -> bool:
    """``order.Your refund``, but not ``os.Path``, ``ASP.NET`` or ``U.S.Navy``."""
    if left.follow not in {Follow.ANYTHING, Follow.ELLIPSIS, Follow.NO_LOWER} or not left.word:
        return False
    word = ahead.word(index)
    after = ahead.at(index + len(word))
    if after == ".":
        after = ahead.at(index + len(word) + 1)
        if after and not after.isspace():
            return False
    elif after and not after.isspace() and after not in _PLAIN_AFTER:
        return False
    plain = word[1:].islower() or word in {"I", "A"} or word[1:2] in {"'", "’"}
    return plain and "-" not in word and (is_ordinary(left.word) or is_starter(word))
