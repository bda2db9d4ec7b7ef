"""The work grows with the text, not with its square, and what is kept does not grow at all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from firstword.chunker import SentenceChunker

FLOODS = {
    "prose": "The cat sat on the mat. Dr. Smith paid $3.50 for it, and left early. ",
    "markdown": "- **Bold** item with `code` and [link](http://x.y/z). More *text*.\n",
    "digits": "1",
    "brackets": "(",
    "square brackets": "[",
    "dotted letters": "a.",
    "spaced dots": ". ",
    "letters": "a",
    "stars": "*",
    "starred words": "*a ",
    "closing stars": "a* ",
    "backticks": "`",
    "open code": "`` a",
    "open tags": "<a ",
    "comments": "<!--",
    "quotes": '"',
    "open quotes": '"a. ',
    "guillemets": "« ",
    "line ends": "\n",
    "carriage returns": "\r",
    "spaces": " ",
    "exclamations": "!",
    "titles": "Mr. ",
    "commas": "a, ",
    "quote markers": "> ",
    "list markers": "- ",
    "numbers": "1. ",
    "rules": "-",
    "hashes": "#",
    "pipes": "|",
    "emoji": "😀",
    "joiners": "\u200d",
    "accents": "\u0301",
    "Chinese": "你好世界",
    "Chinese sentences": "你好。",
}


def calls_of(work: Callable[[], None]) -> int:
    """Function calls, Python's and C's, that ``work`` makes."""
    count = 0

    def on_event(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def feed(text: str, size: int, *, max_chars: int | None) -> None:
    chunker = SentenceChunker(max_chars=max_chars, first_clause_words=3)
    for at in range(0, len(text), size):
        chunker.feed(text[at : at + size])
    chunker.flush()


@pytest.mark.parametrize("size", [1, 1 << 30], ids=["by character", "whole"])
@pytest.mark.parametrize("flood", FLOODS)
def test_twice_the_text_is_twice_the_work(flood: str, size: int) -> None:
    unit = FLOODS[flood]
    short, long = (unit * (length // len(unit)) for length in (8_000, 16_000))
    once = calls_of(lambda: feed(short, size, max_chars=400))
    twice = calls_of(lambda: feed(long, size, max_chars=400))
    assert twice <= 2.5 * once + 1000


@pytest.mark.parametrize("flood", FLOODS)
def test_a_hundred_thousand_characters_are_no_trouble(flood: str) -> None:
    """Without a maximum too; work inside one call of C does not hide here, for it would not end."""
    unit = FLOODS[flood]
    feed(unit * (100_000 // len(unit)), 1 << 30, max_chars=None)


def test_a_million_characters_are_no_trouble() -> None:
    unit = FLOODS["prose"] + FLOODS["markdown"]
    feed(unit * (1_000_000 // len(unit)), 1 << 30, max_chars=400)


@pytest.mark.parametrize("flood", FLOODS)
def test_what_is_kept_is_bounded(flood: str) -> None:
    chunker = SentenceChunker()
    unit = FLOODS[flood]
    for _ in range(40):
        chunker.feed(unit * (2000 // len(unit)))
    assert sum(len(s.text) for s in chunker.flush()) <= 4096
