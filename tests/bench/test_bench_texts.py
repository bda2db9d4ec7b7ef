from __future__ import annotations

import pytest
from firstword.bench.codecs import FORMATS
from firstword.bench.texts import (
    ANSWER,
    CLIPS,
    FIVE_SECONDS,
    FOUR_SENTENCES,
    LONG_SENTENCE,
    RECIPE,
    SHORT_SENTENCE,
)
from firstword.chunker import split
from firstword.tts.audio import FORMATS as SPOKEN


def test_the_text_for_peers_has_267_characters_in_four_sentences() -> None:
    assert len(FOUR_SENTENCES) == 267
    assert len(split(FOUR_SENTENCES)) == 4


@pytest.mark.parametrize(
    ("text", "sentences"), [(RECIPE, 3), (ANSWER, 5), (FIVE_SECONDS, 1), (SHORT_SENTENCE, 1)]
)
def test_texts_have_the_sentences_that_they_claim(text: str, sentences: int) -> None:
    assert len(split(text)) == sentences


def test_the_long_sentence_is_one() -> None:
    assert len(split(LONG_SENTENCE, max_chars=None)) == 1
    assert len(LONG_SENTENCE) > 300


def test_there_are_24_clips_that_differ() -> None:
    assert len(CLIPS) == len(set(CLIPS)) == 24


def test_the_formats_compared_are_ones_that_the_service_has() -> None:
    assert set(FORMATS) <= set(SPOKEN)
