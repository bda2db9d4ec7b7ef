from __future__ import annotations

import pytest
from firstword.tts.text.align import align
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("source", "spoken", "word", "found"),
    [
        ("plain words", "plain words", "words", "words"),
        ("**Bold** and `code`", "Bold and code", "code", "code"),
        ("see [the docs](http://the.example/a) a day", "see the docs a day", "docs", "docs"),
        ("see [it](http://day.example) day", "see it day", "day", "day"),
        ("un*believ*able thing", "unbelievable thing", "unbelievable", "un*believ*able"),
        ("# Heading", "Heading.", "Heading", "Heading"),
        ("twice twice", "twice twice", "twice", "twice"),
    ],
)
def test_words_are_found_again_in_their_source(
    source: str, spoken: str, word: str, found: str
) -> None:
    places = align(spoken, source)
    first = spoken.rindex(word)
    start, end = places[first], places[first + len(word) - 1] + 1
    assert source[start:end] == found
    assert start == source.rindex(found)


@given(st.text(), st.text())
def test_places_never_go_back_nor_leave_the_source(spoken: str, source: str) -> None:
    places = list(align(spoken, source))
    assert len(places) == len(spoken) + 1
    assert places == sorted(places)
    assert all(0 <= place <= len(source) for place in places)
