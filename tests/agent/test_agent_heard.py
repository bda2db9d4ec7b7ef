"""What a conversation keeps of a reply that was cut off, and where words stand."""

from __future__ import annotations

import time

import pytest
from firstword.agent.heard import Line, heard_text
from firstword.agent.spans import Piece, SpanMap
from firstword.protocol import Word
from hypothesis import given
from hypothesis import strategies as st

REPLY = "One two three. Four five six."


def word(text: str, start: int, start_s: float, end_s: float) -> Word:
    return Word(
        word=text, start_s=start_s, end_s=end_s, text_start=start, text_end=start + len(text)
    )


def line(seq: int, text: str, start: int, seconds: float, words: list[Word]) -> Line:
    return Line(
        seq=seq,
        text=text,
        pieces=(Piece(text, text),),
        start=start,
        end=start + len(text),
        samples=round(seconds * 24_000),
        shown=True,
        whole=True,
        words=words,
    )


def two_lines(*, timed: bool = True) -> list[Line]:
    first = [word("One", 0, 0.0, 0.4), word("two", 4, 0.4, 0.7), word("three.", 8, 0.7, 1.0)]
    second = [word("Four", 0, 0.0, 0.3), word("five", 5, 0.3, 0.6), word("six.", 10, 0.6, 0.9)]
    return [
        line(0, "One two three.", 0, 1.0, first if timed else []),
        line(1, "Four five six.", 15, 1.0, second if timed else []),
    ]


@pytest.mark.parametrize(
    ("heard_s", "kept"),
    [
        (0.0, ""),
        (0.39, "One"),
        (0.3, ""),
        (0.7, "One two"),
        (0.99, "One two three."),
        (1.0, "One two three."),
        (1.35, "One two three. Four"),
        (1.7, "One two three. Four five"),
        (5.0, REPLY),
    ],
)
def test_a_reply_is_cut_after_the_last_word_that_was_heard(heard_s: float, kept: str) -> None:
    assert heard_text(REPLY, two_lines(), heard_s) == kept


@pytest.mark.parametrize(("heard_s", "kept"), [(0.9, ""), (1.9, "One two three."), (2.0, REPLY)])
def test_without_word_times_only_whole_sentences_count(heard_s: float, kept: str) -> None:
    assert heard_text(REPLY, two_lines(timed=False), heard_s) == kept


def test_a_line_that_did_not_come_whole_counts_as_far_as_its_words_go() -> None:
    lines = two_lines()
    lines[1].whole = False
    lines[1].samples = 12_000
    assert heard_text(REPLY, lines, 9.0) == REPLY
    lines[1].words = lines[1].words[:1]
    assert heard_text(REPLY, lines, 9.0) == "One two three. Four"


def test_what_is_only_shown_counts_once_it_was_shown() -> None:
    reply = "Run this.\n\n```\nls\n```\n\nThen stop."
    fence = Line(seq=1, text="```\nls\n```", start=11, end=21, shown=True)
    lines = [line(0, "Run this.", 0, 1.0, []), fence, line(2, "Then stop.", 23, 1.0, [])]
    assert heard_text(reply, lines, 1.5) == "Run this.\n\n```\nls\n```"
    assert heard_text(reply, lines, 0.5) == ""
    fence.shown = False
    assert heard_text(reply, lines, 1.5) == "Run this."


def test_a_reply_without_a_voice_was_read_instead() -> None:
    lines = two_lines()
    for each in lines:
        each.samples, each.words, each.whole, each.unsaid = 0, [], False, True
    assert heard_text(REPLY, lines, 0.0) == REPLY


@given(st.floats(0, 3), st.floats(0, 3))
def test_longer_listening_never_keeps_less(first: float, second: float) -> None:
    shorter, longer = sorted((first, second))
    kept = heard_text(REPLY, two_lines(), shorter)
    assert heard_text(REPLY, two_lines(), longer).startswith(kept)
    assert REPLY.startswith(kept)


@pytest.mark.parametrize(
    ("spoken", "text", "said", "shown"),
    [
        ("Hello there.", "Hello there.", "there.", "there."),
        ("Bold and code.", "**Bold** and `code`.", "Bold", "Bold"),
        ("Bold and code.", "**Bold** and `code`.", "code.", "code`."),
        ("See the page now.", "See [the page](http://a.example/the) now.", "now.", "now."),
        ("Setup", "# Setup", "Setup", "Setup"),
        ("a a b", "a *a* b", "b", "b"),
    ],
)
def test_words_are_found_in_the_text_with_its_markup(
    spoken: str, text: str, said: str, shown: str
) -> None:
    start = spoken.rindex(said)
    (found,) = SpanMap([Piece(spoken, text)]).words([word(said, start, 0.0, 1.0)])
    assert text[found.text_start : found.text_end] == shown


@given(st.text(max_size=40), st.text(max_size=40), st.data())
def test_spans_stay_inside_the_text_whatever_was_said(
    spoken: str, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, 45))
    (found,) = SpanMap([Piece(spoken, text)]).words([word("x" * 5, start, 0.0, 1.0)])
    if spoken:
        assert 0 <= found.text_start <= found.text_end <= len(text)


def test_pieces_that_are_said_as_one_keep_their_places() -> None:
    shown = "# One\n\n**Two** here."
    pieces = [Piece("One.", "# One", 0), Piece("Two here.", "**Two** here.", 7)]
    said = "One. Two here."
    for text in ("One", "Two", "here."):
        (found,) = SpanMap(pieces).words([word(text, said.index(text), 0.0, 1.0)])
        assert shown[found.text_start : found.text_end] == text


def test_a_long_reply_is_mapped_in_no_time() -> None:
    pieces = [Piece("a b c d e " * 40, "a *b* c d e " * 40, 480 * n) for n in range(100)]
    started = time.perf_counter()
    SpanMap(pieces)
    assert time.perf_counter() - started < 5.0
