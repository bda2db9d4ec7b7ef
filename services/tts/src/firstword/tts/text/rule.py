"""What a rule of the normaliser is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firstword.tts.text.numerals import Accent


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the folded text, from ``first`` to ``last`` (exclusive), and what is said.

    ``spoken`` is lower-case English; a single capital letter in it stands for that letter's name.
    """

    first: int
    last: int
    spoken: str


type Say = str | Sequence[Part] | None
"""Words for the whole match, "" for silence, words for parts of it, or None: not this rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of token and how it is said. What an earlier rule took, a later one does not see."""

    name: str
    pattern: re.Pattern[str]
    say: Callable[[re.Match[str], Accent], Say]


def parts(match: re.Match[str], **spoken: str) -> list[Part]:
    """A part for each named group that took part in ``match``, without white space at its ends."""
    found = []
    for group, words in spoken.items():
        written = match[group]
        if written and written.strip():
            first = match.start(group) + len(written) - len(written.lstrip())
            found.append(Part(first, first + len(written.strip()), words))
    return sorted(found, key=lambda part: part.first)


def fixed(name: str, words: dict[str, str], before: str = "", after: str = "") -> Rule:
    """A rule for a table of tokens that are each said in one way."""
    longest_first = sorted(words, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return Rule(
        name,
        re.compile(f"{before}(?:{pattern}){after}"),
        lambda match, _accent: words[match[0]],
    )


def spelled(letters: str) -> str:
    """Each letter by its name."""
    return " ".join(letters.upper())
