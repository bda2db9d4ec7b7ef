"""From what the rules said, and what they left, to a row of words with their marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anyascii import anyascii

from firstword.tts.text.fold import KEPT, Folded
from firstword.tts.text.rule import Part

TAKEN = "\x00"
"""Stands in the text where a rule has taken a character."""

_LONGEST_WORD = 32
_LONGEST_SPOKEN = 80
_LATIN = "A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ\u0300-\u036f"
_KEPT = re.escape("".join(sorted(KEPT)))
_TOKEN = re.compile(
    rf"(?P<word>[{_LATIN}]+(?:['-][{_LATIN}]+)*)"
    rf"|(?P<foreign>[^\x00-\x7f{_LATIN}{_KEPT}]{{1,12}})"
)
_PIECES = re.compile(rf"[{_LATIN}']{{1,{_LONGEST_WORD}}}")
_SYLLABLES = re.compile(r"[A-Z][a-z']*|[a-z']+")
_CLAUSE = re.compile(r"(?<=[,;:.])\s+")

_PAUSES = {**{mark: mark for mark in ".,;:!?…—"}, "|": ","}
_STRENGTH = {mark: rank for rank, mark in enumerate(",—:;.…!?")}
_OPENING = {"(": "(", "[": "(", "{": "("}
_CLOSING = {")": ")", "]": ")", "}": ")"}


@dataclass(frozen=True, slots=True)
class Word:
    """What is said for a stretch of the source, and the marks around it.

    ``start`` and ``end`` are characters of the source. ``made`` words come from a rule: a single
    capital in them is a letter's name. ``lead`` and ``trail`` are marks of the model's alphabet.
    """

    spoken: str
    start: int
    end: int
    made: bool = False
    lead: str = ""
    trail: str = ""


def assemble(parts: Sequence[Part], rest: str, folded: Folded) -> Iterator[Word]:
    """All words of ``folded``: those of ``parts`` and those in ``rest``, what the parts left."""
    said = list(_owned(sorted([*_made(parts), *_found(rest)], key=lambda word: word.start), rest))
    for i, word in enumerate(said):
        after = said[i + 1].start if i + 1 < len(said) else len(rest)
        before = said[i - 1].end if i else 0
        trail = "" if after < word.end else _trail(rest, word.end, after)
        lead = _lead(rest, before, word.start)
        start, end = folded.span(word.start, word.end)
        yield replace(word, start=start, end=end, lead=lead, trail=_joined(word.trail + trail))


def _owned(said: Sequence[Word], rest: str) -> Iterator[Word]:
    """``said``, where the "'s" that a rule left behind goes to the word that the rule made."""
    held: Word | None = None
    for word in said:
        tail = rest[word.start - 2 : word.end]
        if held and held.made and word.spoken in ("s", "S") and tail[:2] == f"{TAKEN}'":
            held = replace(held, spoken=f"{held.spoken}'s", end=word.end)
            continue
        if held:
            yield held
        held = word
    if held:
        yield held


def _made(parts: Sequence[Part]) -> Iterator[Word]:
    """Words of the rules, cut at their own marks and where they are long."""
    for part in parts:
        for clause in _CLAUSE.split(part.spoken.strip()):
            spoken = clause.rstrip(",;:.")
            stretches = list(_stretches(spoken))
            for i, stretch in enumerate(stretches):
                trail = clause[len(spoken) :] if i == len(stretches) - 1 else ""
                yield Word(stretch, part.first, part.last, made=True, trail=trail)


def _stretches(spoken: str) -> Iterator[str]:
    line = ""
    for word in spoken.split():
        if line and len(line) + len(word) >= _LONGEST_SPOKEN:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    if line:
        yield line


def _found(rest: str) -> Iterator[Word]:
    """Words that no rule took: Latin ones as they are, others in Latin letters."""
    for token in _TOKEN.finditer(rest):
        first = token.start()
        if token["foreign"]:
            spoken = " ".join(_SYLLABLES.findall(anyascii(token["foreign"]))).lower()
            if spoken:
                yield Word(spoken, first, token.end())
        elif len(token[0]) <= _LONGEST_WORD:
            yield Word(token[0], first, token.end())
        else:
            for piece in _PIECES.finditer(token[0]):
                if piece[0].strip("'"):
                    yield Word(piece[0].strip("'"), first + piece.start(), first + piece.end())


def _trail(rest: str, start: int, end: int) -> str:
    """The marks after a word: pauses and closers, up to the first opener."""
    said = ""
    at = start
    while at < end:
        symbol = rest[at]
        if symbol in _OPENING or (symbol == '"' and _opens(rest, at)):
            break
        if symbol == '"':
            said += "”"
        elif symbol in _CLOSING:
            said += ")"
        elif symbol in "-–":
            said += "—" if _is_dash(rest, at) else ""
        elif symbol != "." or not _abbreviates(rest, at):
            said += _PAUSES.get(symbol, "")
        at += 1
    return said


def _lead(rest: str, start: int, end: int) -> str:
    """The openers before a word."""
    said = ""
    for at in range(start, end):
        if rest[at] in _OPENING:
            said += "("
        elif rest[at] in _CLOSING:
            said = said.removesuffix("(")
        elif rest[at] == '"' and _opens(rest, at):
            said += "“"
    return said[-2:]


def _opens(rest: str, at: int) -> bool:
    before = rest[at - 1] if at else " "
    after = rest[at + 1] if at + 1 < len(rest) else " "
    return (before.isspace() or before in "([{—–-\"'") and not after.isspace()


def _is_dash(rest: str, at: int) -> bool:
    """A hyphen or short dash is a dash between spaces or beside another one."""
    before = rest[at - 1] if at else " "
    after = rest[at + 1] if at + 1 < len(rest) else " "
    return (before.isspace() and after.isspace()) or before == "-"


def _abbreviates(rest: str, at: int) -> bool:
    """A single full stop before a small letter or another mark ends no sentence."""
    after = rest[at + 1 : at + 3]
    if after[:1] in (",", ";", ":"):
        return True
    return rest[at - 1 : at] != "." and after[:1].isspace() and after[1:].islower()


def _joined(marks: str) -> str:
    """One pause of a run of them, the strongest, with the closers that stand around it."""
    if "..." in marks:
        marks = marks.replace("...", "…")
    pauses = [mark for mark in marks if mark in _STRENGTH]
    if not pauses:
        return "".join(dict.fromkeys(marks))
    strongest = max(pauses, key=_STRENGTH.__getitem__)
    said = "?!" if {"?", "!"} <= set(pauses) else strongest
    first = next(i for i, mark in enumerate(marks) if mark in _STRENGTH)
    before = dict.fromkeys(mark for mark in marks[:first] if mark not in _STRENGTH)
    after = dict.fromkeys(mark for mark in marks[first:] if mark not in _STRENGTH)
    pause = f" {said}" if said == "—" else said
    return "".join(before) + pause + "".join(after)
