from __future__ import annotations

import pytest
from firstword.tts.text.fold import fold

FOLDED = [
    ("I’m sure it’s “fine”", "I'm sure it's \"fine\""),
    ("„Ja“ «oui» 『はい』", '"Ja" "oui" "はい"'),
    ("ＡＢＣ１２３！？", "ABC123!?"),
    ("ﬁne 𝐇𝐞𝐥𝐥𝐨 Ⅳ ①", "fine Hello IV 1"),
    ("e\u0301cole", "école"),
    ("20℃ 5㎞ H₂O", "20°C 5km H2O"),
    ("½ m² 10⁶", "½ m² 10⁶"),
    ("١٢٣ १२३", "123 123"),
    ("你好。吃了吗？", "你好.吃了吗?"),
    ("zero\u200bwidth so\u00adft \ufeffbom", "zerowidth soft bom"),
    ("a\x00b\x1b", "ab"),
    ("no\u00a0break\u2009thin", "no break thin"),
    ("1\ufe0f\u20e3 ❤\ufe0f", "1  "),
    ("नमस्ते", "नमस्ते"),
    ("wait⋯ 5−3 a‐b", "wait… 5−3 a-b"),
    ("\ud83d x", "  x"),
    ("Trade™ ¿Qué?", "Trade Qué?"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDED)
def test_what_looks_the_same_is_spelled_the_same(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize("text", [text for text, _ in FOLDED])
def test_every_folded_character_knows_where_it_stood(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    places = list(zip(folded.starts, folded.ends, strict=True))
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


def test_a_span_leads_back_to_the_source() -> None:
    text = "the ﬁsh’s 20℃"
    folded = fold(text)
    first = folded.text.index("fish's")
    start, end = folded.span(first, first + len("fish's"))
    assert text[start:end] == "ﬁsh’s"


def test_emoji_are_not_heard() -> None:
    assert fold("hi👩‍👩‍👧🇩🇪👍🏽!").text.split() == ["hi", "!"]


def test_a_pile_of_accents_is_cut_off() -> None:
    assert len(fold("a" + "\u0301" * 3_000 + "b").text) < 12
