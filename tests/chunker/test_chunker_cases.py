"""Cases from public trouble reports and from readers, each cut into pieces in several ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firstword.chunker import Sentence, split

type Feed = Callable[..., list[Sentence]]


def test_the_sentences_are_those_a_reader_sees(case: Any) -> None:
    assert tuple(s.text for s in split(case.text, max_chars=None)) in case.answers


def test_the_voice_says_the_words_without_the_marks(case: Any) -> None:
    spoken = tuple(s.spoken for s in split(case.text, max_chars=None) if s.spoken)
    assert case.spoken is None or spoken == case.spoken


def test_nothing_is_lost_and_spans_are_the_source(case: Any) -> None:
    for cap in (None, 400, 40):
        end = 0
        for sentence in split(case.text, max_chars=cap):
            assert case.text[sentence.start : sentence.end] == sentence.text
            assert not case.text[end : sentence.start].strip()
            end = sentence.end
        assert not case.text[end:].strip()


def test_one_character_at_a_time_gives_the_same(case: Any, feed: Feed) -> None:
    for cap in (None, 60):
        assert feed(case.text, max_chars=cap) == split(case.text, max_chars=cap)


def test_pieces_at_random_give_the_same(
    case: Any, feed: Feed, at_random: Callable[[str, int], list[str]]
) -> None:
    whole = split(case.text, max_chars=None)
    for seed in range(3):
        assert feed(at_random(case.text, seed), max_chars=None) == whole


def test_the_cut_that_went_wrong_elsewhere_gives_the_same(case: Any, feed: Feed) -> None:
    if case.fragments is not None:
        assert feed(case.fragments, max_chars=None) == split(case.text, max_chars=None)
