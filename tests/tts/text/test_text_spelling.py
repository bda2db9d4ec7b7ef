from __future__ import annotations

import pytest
from firstword.tts.text.spelling import sound_out
from firstword.tts.text.vocabulary import known


@pytest.mark.parametrize(
    ("word", "phonemes"),
    [
        ("blick", "blˈɪk"),
        ("shate", "ʃˈAt"),
        ("phone", "fˈOn"),
        ("knight", "nˈIt"),
        ("rattle", "ɹˈætᵊl"),
        ("xelu", "zˈɛlu"),
        ("Kerbonation", "kˈəɹbɑnæʃən"),
    ],
)
def test_letters_have_sounds(word: str, phonemes: str) -> None:
    assert sound_out(word, british=False) == phonemes


def test_a_british_voice_drops_its_r_and_lengthens() -> None:
    assert sound_out("carp", british=True) == "kˈɑːp"
    assert sound_out("goat", british=True) == "ɡˈQt"


def test_a_word_without_a_vowel_is_for_spelling() -> None:
    assert sound_out("bcdf", british=False) == ""


def test_the_sounds_are_the_models() -> None:
    for british in (False, True):
        said = sound_out("the quick brown fox jumps over lazy dogs", british=british)
        assert known(said) == said
