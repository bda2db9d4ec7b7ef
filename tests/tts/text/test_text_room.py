from __future__ import annotations

import re
from itertools import pairwise

import pytest
from firstword.tts.engines import MAX_PHONEMES, Utterance
from firstword.tts.text.cut import PAUSES_S
from firstword.tts.text.g2p import G2P, Phonemes
from firstword.tts.text.room import utterances
from firstword.tts.text.vocabulary import TOKENS, sounds, token_ids
from firstword.tts.text.words import Word
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

ARTICLE_2 = (
    "Everyone is entitled to all the rights and freedoms set forth in this Declaration, without "
    "distinction of any kind, such as race, colour, sex, language, religion, political or other "
    "opinion, national or social origin, property, birth or other status. Furthermore, no "
    "distinction shall be made on the basis of the political, jurisdictional or international "
    "status of the country or territory to which a person belongs, whether it be independent, "
    "trust, non-self-governing or under any other limitation of sovereignty."
)


def said(text: str, g2p: G2P, *, first_clause_words: int | None = None) -> list[Utterance]:
    return list(utterances(text, g2p, first_clause_words=first_clause_words))


def check(text: str, found: list[Utterance]) -> None:
    """What holds for any text."""
    words = [word for utterance in found for word in utterance.words]
    for word in words:
        assert text[word.start : word.end] == word.text
        assert word.text
    assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(words))
    for utterance in found:
        assert 0 < len(utterance.phonemes) <= MAX_PHONEMES
        assert set(utterance.phonemes) <= TOKENS.keys()
        assert len(token_ids(utterance.phonemes)) == len(utterance.phonemes)
        assert utterance.words
        for word in utterance.words:
            assert sounds(utterance.phonemes[word.first : word.last])
        assert all(a.last <= b.first for a, b in pairwise(utterance.words))
        assert 0 <= utterance.pause_s <= max(PAUSES_S.values())


def sounding(phonemes: str) -> str:
    return "".join(symbol for symbol in phonemes if sounds(symbol))


@pytest.mark.parametrize("first_clause_words", [None, 4])
def test_the_last_clause_of_a_long_sentence_is_said(
    american: G2P, first_clause_words: int | None
) -> None:
    found = said(ARTICLE_2, american, first_clause_words=first_clause_words)
    check(ARTICLE_2, found)
    heard = [word.text for utterance in found for word in utterance.words]
    assert heard == re.findall(r"[\w-]+", ARTICLE_2)
    assert all(len(utterance.phonemes) <= 260 for utterance in found)


def test_as_many_phonemes_come_out_as_went_in(american: G2P) -> None:
    whole = american.phonemize(ARTICLE_2)
    parts = said(ARTICLE_2, american)
    counts = sum(len(sounding(utterance.phonemes)) for utterance in parts)
    assert counts == pytest.approx(len(sounding(whole.symbols)), abs=6)  # "to" before a cut


def test_a_text_without_any_mark_is_said_whole(american: G2P) -> None:
    text = "one word after another with no mark at all " * 40
    found = said(text, american)
    check(text, found)
    assert [w.text for u in found for w in u.words] == text.split()
    assert all(120 <= len(utterance.phonemes) <= 260 for utterance in found)


def test_the_first_utterance_is_smaller_than_the_rest(american: G2P) -> None:
    found = said(ARTICLE_2, american, first_clause_words=4)
    assert len(found[0].phonemes) < 120
    assert len(found[0].phonemes) < max(len(utterance.phonemes) for utterance in found[1:])


def test_utterances_are_worked_out_when_they_are_asked_for(
    american: G2P, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = american.say

    def say(words: list[Word], source: str) -> Phonemes:
        asked.append(len(words))
        return real(words, source)

    monkeypatch.setattr(american, "say", say)
    row = utterances(ARTICLE_2 * 50, american)
    next(row)
    assert len(asked) == 1


def test_two_short_sentences_go_together(american: G2P) -> None:
    (only,) = said("Read it back to me. Word for word.", american)
    assert len(only.words) == 8


def test_written_words_keep_their_place_in_markdown(american: G2P) -> None:
    text = "# Setup\n\nPay **$100** for `it`, see [the docs](https://example.com/a).\n"
    found = said(text, american)
    check(text, found)
    heard = [word.text for utterance in found for word in utterance.words]
    assert heard[:6] == ["Setup", "Pay", "$100", "for", "it", "see"]
    assert "docs" in heard


def test_code_is_shown_and_not_said(american: G2P) -> None:
    text = "Look.\n\n```py\nx = secret_name\n```\n\nDone."
    heard = [word.text for utterance in said(text, american) for word in utterance.words]
    assert heard == ["Look", "Done"]


@pytest.mark.parametrize("text", ["", "...", '😊"', "\n\n", "```\nx\n```", "—", "\u200b"])
def test_a_text_with_nothing_to_say_gives_nothing(text: str, american: G2P) -> None:
    assert said(text, american, first_clause_words=4) == []


def test_pauses_are_longer_between_paragraphs(american: G2P) -> None:
    text = (
        "This is the first sentence of the paragraph. Here is its second sentence, at the end.\n\n"
        "Another paragraph begins with this rather long sentence of its own"
    )
    assert [utterance.pause_s for utterance in said(text, american)] == [
        PAUSES_S["sentence"],
        PAUSES_S["paragraph"],
        PAUSES_S["sentence"],
    ]


def test_no_closing_quote_ends_an_utterance(american: G2P) -> None:
    (only,) = said('"The paw!"', american)
    assert only.phonemes == "ðə pˈɔ!"
    assert [(word.text, only.phonemes[word.first : word.last]) for word in only.words] == [
        ("The", "ðə"),
        ("paw", "pˈɔ"),
    ]
    (only,) = said('He answered quite "loudly" (and "clearly.")', american)
    assert only.phonemes.endswith("klˈɪɹli.")
    assert only.phonemes[only.words[-1].first : only.words[-1].last] == "klˈɪɹli"


def test_a_sentence_that_has_no_end_comes_down(american: G2P) -> None:
    (only,) = said("Hello", american)
    assert only.phonemes == "həlˈO."


def test_what_becomes_longer_than_it_looked_is_cut_again(american: G2P) -> None:
    text = "qwrtpsdf " * 60
    found = list(utterances(text, american, target=400))
    check(text, found)
    assert sum(len(u.words) for u in found) == 60


def test_long_japanese_is_all_said(american: G2P) -> None:
    text = "これはながいぶんです。" * 30
    found = said(text, american)
    check(text, found)
    assert sum(len(word.text) for u in found for word in u.words) == 30 * 10


def test_a_flood_of_digits_is_all_said_in_order(american: G2P) -> None:
    text = "12345" * 100 + "."
    found = said(text, american)
    check(text, found)
    assert "".join(word.text for u in found for word in u.words) == text[:-1]
    heard = " ".join(u.phonemes for u in found)
    assert heard.count("θɹˈi") == 100


def test_the_same_text_gives_the_same_utterances(american: G2P) -> None:
    assert said(ARTICLE_2, american) == said(ARTICLE_2, american)


TOKENS_OF_ALL_KINDS = (
    "$100 9:30PM 40–60°C e.g. Dr. St. 3/4 ½ #tag @me a_b x² -5 1.2.3 a@b.co www.x.org 1st II VIII "
    "1990s 24/7 $5-10 10k 5'11\" I’m “so” (no) — ... ?! ; 你好 Привет 😀 e\u0301 \x00 the cat "
    "and, or. FBI O'Neil co-op 0x1F +44 555-1234 2026-11-29 5GHz Nov 29, ' - /a/b kB → <b> "
    "&amp; ** ` ["
)
AWKWARD = st.sampled_from([*TOKENS_OF_ALL_KINDS.split(" "), "\n\n", "\n- ", "  "])
ANY = st.one_of(
    st.text(max_size=120),
    st.text(st.characters(max_codepoint=0x7F), max_size=200),
    st.lists(AWKWARD, max_size=30).map(" ".join),
    st.lists(AWKWARD, max_size=12).map("".join),
)
SLOW = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@SLOW
@given(text=ANY, early=st.booleans())
@example(text="a" * 600, early=True)
@example(text="0" * 600, early=False)
@example(text="\ud800 ok", early=True)
def test_any_text_can_be_said(american: G2P, text: str, early: bool) -> None:
    check(text, said(text, american, first_clause_words=4 if early else None))


SPOKEN_TOKENS = (
    "the a cat I'm well-known FBI NASA 7 1,234 3.14 1990s $5 9:30 50% Nov 29 2026 Dr. St. é Žižek"
)
PLAIN = st.sampled_from(SPOKEN_TOKENS.split(" "))


@SLOW
@given(st.lists(PLAIN, min_size=1, max_size=60), st.sampled_from([None, 4]))
def test_every_word_with_a_letter_or_digit_is_said(
    american: G2P, tokens: list[str], first_clause_words: int | None
) -> None:
    text = " ".join(tokens)
    found = said(text, american, first_clause_words=first_clause_words)
    check(text, found)
    spans = [(word.start, word.end) for u in found for word in u.words]
    for match in re.finditer(r"\S+", text):
        assert any(start < match.end() and match.start() < end for start, end in spans), match[0]
