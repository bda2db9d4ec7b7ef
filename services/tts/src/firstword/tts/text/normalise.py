"""Written English to words that can be looked up, each with the place it came from.

The rules run in the order of ``RULES`` over the folded text. What a rule takes is blotted out for
the rules after it, so each character has one owner and no rule sees another's output. What no
rule took is cut into words and marks at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from firstword.tts.text import (
    abbreviations,
    dates,
    fractions,
    identifiers,
    money,
    phones,
    quantities,
    roman,
    symbols,
    times,
    units,
    web,
    years,
)
from firstword.tts.text.fold import fold
from firstword.tts.text.numerals import Accent
from firstword.tts.text.rule import Part, Rule
from firstword.tts.text.words import TAKEN, Word, assemble

BLOCK = 2_000
"""Characters normalised at a time: a bound on what any rule can cost."""

RULES: tuple[Rule, ...] = (
    phones.FLOOD,
    *web.RULES,
    *symbols.EARLY,
    *dates.RULES,
    *years.RULES,
    *web.VERSIONS,
    *phones.RULES,
    *times.RULES,
    *abbreviations.EARLY,
    *money.RULES,
    *symbols.OPERATORS,
    *fractions.RULES,
    *quantities.RULES,
    *units.RULES,
    *roman.RULES,
    *years.LIKELY,
    *abbreviations.LATE,
    *quantities.PLAIN,
    *symbols.LATE,
    *identifiers.RULES,
    quantities.REMAINING,
)


def normalise(text: str, accent: Accent) -> list[Word]:
    """The words of ``text`` in order; none when there is nothing to say in it."""
    words: list[Word] = []
    for start, end in _blocks(text):
        folded = fold(text[start:end])
        parts, rest = _apply(folded.text, accent)
        words += (
            replace(word, start=word.start + start, end=word.end + start)
            for word in assemble(parts, rest, folded)
        )
    return words


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of at most ``BLOCK`` characters that end at white space where there is some."""
    start = 0
    while start < len(text):
        end = min(start + BLOCK, len(text))
        if end < len(text):
            space = max(text.rfind(mark, start + BLOCK // 2, end) for mark in " \n\t")
            end = space + 1 if space >= 0 else end
        yield start, end
        start = end


def _apply(text: str, accent: Accent) -> tuple[list[Part], str]:
    """What the rules say, and ``text`` with all that they took blotted out."""
    said: list[Part] = []
    for rule in RULES:
        taken = list(_take(rule, text, accent))
        if not taken:
            continue
        left = list(text)
        for part in taken:
            left[part.first : part.last] = TAKEN * (part.last - part.first)
        text = "".join(left)
        said.extend(part for part in taken if part.spoken)
    return said, text


def _take(rule: Rule, text: str, accent: Accent) -> Iterator[Part]:
    """The parts that ``rule`` says and, silent, what lies between parts of one match."""
    for match in rule.pattern.finditer(text):
        spoken = rule.say(match, accent)
        if spoken is None:
            continue
        if isinstance(spoken, str):
            yield Part(*_trimmed(match), spoken)
            continue
        last = spoken[0].first if spoken else 0
        for part in spoken:
            if part.first > last:
                yield Part(last, part.first, "")
            yield part
            last = part.last


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    """Where ``match`` stands, without white space at its ends."""
    written = match[0]
    first = match.start() + len(written) - len(written.lstrip())
    return first, match.start() + len(written.rstrip())
