"""Minimum and maximum length, the early first clause, and options that make no sense."""

from __future__ import annotations

from typing import Any

import pytest
from firstword.chunker import SentenceChunker, split


def texts(text: str, **options: object) -> list[str]:
    return [s.text for s in split(text, **options)]  # type: ignore[arg-type]


class TestMaximum:
    def test_cuts_after_the_last_clause_mark(self) -> None:
        text = "We went home, we ate a lot of soup, and we slept for a very long time."
        assert texts(text, max_chars=40) == [
            "We went home, we ate a lot of soup,",
            "and we slept for a very long time.",
        ]

    def test_cuts_at_a_space_where_there_is_no_clause_mark(self) -> None:
        assert texts("one two three four five six", max_chars=12) == [
            "one two",
            "three four",
            "five six",
        ]

    def test_prefers_a_late_space_to_a_very_early_clause_mark(self) -> None:
        text = "So, " + "the quick brown fox jumps over the dog " * 3
        assert len(texts(text, max_chars=60)[0]) > 30

    def test_never_cuts_a_word(self) -> None:
        words = "a" * 30, "b" * 1500, "c" * 5
        assert texts(" ".join(words), max_chars=20) == list(words)

    def test_cuts_an_endless_word_far_above_it(self) -> None:
        pieces = texts("é" * 9000, max_chars=20)
        assert [len(p) for p in pieces] == [2000, 2000, 2000, 2000, 1000]

    def test_never_parts_a_character_from_its_marks(self) -> None:
        family = "👩‍👩‍👧‍👦"
        for piece in texts(family * 900, max_chars=20):
            assert not piece.startswith("\u200d")
            assert not piece.endswith("\u200d")

    @pytest.mark.parametrize("number", ["1,000,000", "3.14159", "1 000 000", "9:30"])
    def test_never_cuts_a_number(self, number: str) -> None:
        for cap in range(12, 40):
            pieces = texts(f"It came to about {number} when we counted them all", max_chars=cap)
            assert any(number in piece for piece in pieces)

    def test_cuts_chinese_at_its_commas_and_then_between_characters(self) -> None:
        pieces = ["我们去公园，", "然后回家吃饭睡觉"]
        assert texts("".join(pieces), max_chars=8) == pieces
        assert [len(p) for p in texts("我" * 20, max_chars=8)] == [8, 8, 4]

    def test_keeps_a_tag_whole(self) -> None:
        tag = '<voice name="x" rate="1.05">'
        assert any(tag in piece for piece in texts(f"We say {tag} now then", max_chars=30))

    def test_without_one_a_long_sentence_is_whole(self) -> None:
        text = "word " * 1000 + "end."
        assert texts(text, max_chars=None) == [text]

    def test_holds_for_headings_rows_and_code_too(self) -> None:
        text = "# " + "head " * 40 + "\n\n| " + "cell " * 40 + "|\n\n```\n" + "x = 1\n" * 40 + "```"
        assert all(len(piece) <= 50 for piece in texts(text, max_chars=50))
        assert all(s.spoken == "" for s in split(text, max_chars=50) if "x = 1" in s.text)


class TestMinimum:
    def test_a_short_sentence_goes_with_the_next(self) -> None:
        text = "Yes. No. We should go home now. Fine."
        assert texts(text, min_chars=12) == ["Yes. No. We should go home now.", "Fine."]

    def test_what_is_left_at_the_end_goes_alone(self) -> None:
        assert texts("Yes.", min_chars=12) == ["Yes."]

    def test_a_block_is_never_joined_to_the_next(self) -> None:
        assert texts("Yes.\n\nNo.\n- Maybe.", min_chars=12) == ["Yes.", "No.", "- Maybe."]

    def test_does_not_stand_against_the_maximum(self) -> None:
        pieces = texts("Aa bb cc dd. " * 20, min_chars=30, max_chars=40)
        assert all(len(piece) <= 40 for piece in pieces)


class TestFirstClause:
    @pytest.mark.parametrize(
        ("text", "clause"),
        [
            ("Sure thing, here you go.", "Sure thing,"),
            ("It works: try it now.", "It works:"),
            ("We came; we saw it all.", "We came;"),
            ("The thing — you know — is big.", "The thing —"),
            ("It works—try it.", "It works—"),
            ("“Not now,” she said.", "“Not now,”"),
            ("In 1990, 1,000 people came.", "In 1990,"),
            ("It cost 1,000, all in all.", "It cost 1,000,"),
            ("At 9:30, we left.", "At 9:30,"),
            ("你好世界，今天很热。", "你好世界，"),
        ],
    )
    def test_goes_by_itself(self, text: str, clause: str) -> None:
        words = 1 if clause[0] == "你" else 2
        assert texts(text, first_clause_words=words)[0] == clause

    @pytest.mark.parametrize(
        "text",
        [
            "Yes, of course.", "It is 9:30 now.", "Pay 1,000 now.", "Some e.g., these.",
            "See (a, b) here.", "See [a b, c](http://x) here.", "Look at `a b, c` here.",
            "Go to https://x.org, ok.",
        ],
    )  # fmt: skip
    def test_has_enough_words_and_is_one(self, text: str) -> None:
        assert texts(text, first_clause_words=4) == [text]

    def test_is_the_first_sentence_alone(self) -> None:
        text = "Well then, we go. So now, we stay. And then, we eat."
        assert texts(text, first_clause_words=2) == [
            "Well then,",
            "we go.",
            "So now, we stay.",
            "And then, we eat.",
        ]

    def test_is_none_after_a_short_first_sentence(self) -> None:
        assert texts("Hello. Well then, we go.", first_clause_words=2) == [
            "Hello.",
            "Well then, we go.",
        ]

    def test_goes_with_its_white_space(self) -> None:
        chunker = SentenceChunker(first_clause_words=2)
        assert chunker.feed("Sure thing,") == []
        assert [s.text for s in chunker.feed(" ")] == ["Sure thing,"]


@pytest.mark.parametrize(
    "options",
    [
        {"max_chars": 0},
        {"max_chars": -1},
        {"first_clause_words": 0},
        {"min_chars": -1},
        {"min_chars": 50, "max_chars": 40},
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"give"):
        SentenceChunker(**options)
