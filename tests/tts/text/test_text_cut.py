from __future__ import annotations

from itertools import pairwise

from firstword.tts.text.cut import FIRST_JOINED, SHORT, Pause, Piece, cut, halves, joined, size
from firstword.tts.text.words import Word
from hypothesis import given
from hypothesis import strategies as st

TARGET = 200


def sentence(text: str) -> list[Word]:
    """Words of plain text; a mark behind a word is its trail."""
    words = []
    at = 0
    for token in text.split():
        spoken = token.rstrip(",;:.!?")
        words.append(Word(spoken, at, at + len(spoken), trail=token[len(spoken) :]))
        at += len(token) + 1
    return words


def pieces(text: str, *, early: bool = False, ending: Pause = "sentence") -> list[str]:
    found = cut(sentence(text), ending, target=TARGET, early=early)
    return [" ".join(word.spoken + word.trail for word in piece.words) for piece in found]


CLAUSE = "the quick brown fox jumps over the lazy dog and then sleeps in the warm sun"


def test_a_short_sentence_stays_whole() -> None:
    assert pieces("Well, this is short.") == ["Well, this is short."]


def test_a_long_sentence_is_cut_at_clause_marks() -> None:
    text = ", ".join([CLAUSE] * 5) + "."
    found = pieces(text)
    assert len(found) > 1
    assert all(piece.endswith((",", ".")) for piece in found)


def test_without_clause_marks_it_is_cut_before_a_conjunction() -> None:
    half = "one more little word then another little word " * 3
    text = f"{half}because {half}because {half}."
    assert all(piece.startswith("because") for piece in pieces(text)[1:])


def test_a_row_of_words_is_cut_evenly() -> None:
    found = list(cut(sentence("word " * 110), "sentence", target=TARGET, early=False))
    sizes = [piece.size for piece in found]
    assert max(sizes) <= TARGET * 1.25
    assert min(sizes) > TARGET * 0.6


def test_the_first_piece_of_a_long_sentence_goes_early() -> None:
    text = f"In the beginning of the story, {', '.join([CLAUSE] * 3)}."
    assert pieces(text, early=True)[0] == "In the beginning of the story,"
    assert pieces(text, early=False)[0] != "In the beginning of the story,"


def test_pauses_follow_what_stands_at_the_cut() -> None:
    found = list(cut(sentence(", ".join([CLAUSE] * 5) + "."), "line", target=TARGET, early=False))
    assert [piece.pause for piece in found] == ["clause"] * (len(found) - 1) + ["line"]
    row = list(cut(sentence("word " * 110), "paragraph", target=TARGET, early=False))
    assert [piece.pause for piece in row] == ["none"] * (len(row) - 1) + ["paragraph"]


def test_a_sentence_without_an_end_gets_a_full_stop() -> None:
    assert pieces("Hello") == ["Hello."]
    assert pieces("Is it?") == ["Is it?"]


def test_a_clause_that_was_let_go_early_stays_open() -> None:
    (piece,) = cut(sentence("As I said,"), "sentence", target=TARGET, early=False)
    assert piece.words[-1].trail == ","
    assert piece.pause == "clause"


def test_spelled_letters_count_for_more_than_they_are_long() -> None:
    assert size(Word("FBI", 0, 3)) > size(Word("fib", 0, 3))


def piece(text: str, pause: Pause = "sentence") -> Piece:
    words = tuple(sentence(text))
    return Piece(words, pause, sum(map(size, words)))


def texts(found: list[Piece]) -> list[str]:
    return [" ".join(word.spoken + word.trail for word in piece.words) for piece in found]


def test_very_short_sentences_join_a_neighbour() -> None:
    given = [piece("Read it back to me."), piece("Word for word.")]
    found = list(joined(given, target=TARGET, early=False))
    assert texts(found) == ["Read it back to me. Word for word."]
    assert all(p.size >= SHORT for p in found)


def test_paragraphs_are_not_joined() -> None:
    given = [piece("Title.", "paragraph"), piece("Text.")]
    assert len(list(joined(given, target=TARGET, early=False))) == 2


def test_the_first_piece_is_not_held_back_for_a_long_neighbour() -> None:
    given = [piece("Sure."), piece(CLAUSE + ".")]
    assert texts(list(joined(given, target=TARGET, early=True)))[0] == "Sure."
    assert given[0].size + given[1].size > FIRST_JOINED
    assert len(list(joined(given, target=TARGET, early=False))) == 1


def test_the_pause_of_joined_pieces_is_the_last_ones() -> None:
    given = [piece("One."), piece("Two.", "paragraph")]
    assert [p.pause for p in joined(given, target=TARGET, early=False)] == ["paragraph"]


WORDS = st.builds(
    lambda spoken, trail: Word(spoken, 0, 1, trail=trail),
    st.sampled_from(["a", "word", "and", "FBI", "antidisestablishmentarianism", "x" * 80]),
    st.sampled_from(["", "", "", ",", ".", "?!", " —", ",”", ")"]),
)


@given(st.lists(WORDS), st.booleans(), st.integers(40, 300))
def test_no_word_is_lost_whatever_the_cut(words: list[Word], early: bool, target: int) -> None:
    found = list(cut(words, "sentence", target=target, early=early))
    said = [word.spoken for piece in found for word in piece.words]
    assert said == [word.spoken for word in words]
    assert all(piece.words for piece in found)
    assert all(piece.size <= target * 1.25 or len(piece.words) == 1 for piece in found)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=30), max_size=8), st.booleans())
def test_no_piece_is_lost_whatever_is_joined(rows: list[list[Word]], early: bool) -> None:
    given = [Piece(tuple(row), "sentence", sum(map(size, row))) for row in rows]
    found = list(joined(given, target=TARGET, early=early))
    assert [w for piece in found for w in piece.words] == [w for row in rows for w in row]
    assert sum(p.size for p in found) == sum(p.size for p in given)


def test_halves_keep_the_order() -> None:
    words = sentence("one two three")
    first, second = halves(words)
    assert [*first, *second] == words
    assert all(a.start <= b.start for a, b in pairwise(words))
