from __future__ import annotations

import logging

import pytest
from firstword.tts.text.vocabulary import MARKS, TOKENS, known, sounds, token_ids


def test_the_alphabet_is_the_models() -> None:
    assert len(TOKENS) == 114
    assert len(set(TOKENS.values())) == 114
    assert (min(TOKENS.values()), max(TOKENS.values())) == (1, 177)
    sample = {";": 1, "…": 10, " ": 16, "\u0303": 17, "ꭧ": 23, "A": 24, "ə": 83, "ˈ": 156, "ᵻ": 177}
    assert sample.items() <= TOKENS.items()


def test_phonemes_become_tokens_without_the_zeros_at_the_ends() -> None:
    assert token_ids("həlˈO.") == [50, 83, 54, 156, 31, 4]


def test_an_unknown_symbol_is_dropped_with_one_debug_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert token_ids("bˈʌ€§tn") == token_ids("bˈʌtn")
    assert [record.message for record in caplog.records] == [
        "dropped=<2> | symbols that the model does not have"
    ]


def test_known_text_is_left_alone() -> None:
    assert known("ðə pˈɔ!") == "ðə pˈɔ!"


def test_marks_and_stresses_make_no_sound() -> None:
    assert TOKENS.keys() >= MARKS
    assert not sounds(" ˈ“…”")
    assert sounds("ə")
