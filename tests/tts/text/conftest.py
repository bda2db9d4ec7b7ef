"""The dictionaries and the tagger are loaded once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from firstword.tts.text.g2p import G2P, Tagger
from firstword.tts.text.normalise import normalise
from firstword.tts.text.numerals import Accent


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    return Tagger()


@pytest.fixture(scope="session")
def american(tagger: Tagger) -> G2P:
    return G2P("a", tagger=tagger)


@pytest.fixture(scope="session")
def british(tagger: Tagger) -> G2P:
    return G2P("b", tagger=tagger)


@pytest.fixture(scope="session")
def without_espeak(tagger: Tagger) -> G2P:
    return G2P("a", tagger=tagger, espeak=None)


@pytest.fixture
def said() -> Callable[..., str]:
    """``said(text, accent="us")``: the normalised words with their marks, in one line."""

    def line(text: str, accent: Accent = "us") -> str:
        words = normalise(text, accent)
        return " ".join(word.lead + word.spoken + word.trail for word in words)

    return line
