"""When a sentence is let go: as soon as it is certain, wherever the text was cut."""

from __future__ import annotations

import pytest
from firstword.chunker import Sentence, SentenceChunker


def let_go_at(text: str, **options: object) -> list[tuple[str, str]]:
    """Each sentence with the text that had come, one character at a time, when it was let go."""
    chunker = SentenceChunker(**options)  # type: ignore[arg-type]
    return [
        (sentence.text, text[:end])
        for end in range(1, len(text) + 1)
        for sentence in chunker.feed(text[end - 1])
    ]


@pytest.mark.parametrize(
    ("sentence", "needs"),
    [
        ("Let me check that for you.", " "),
        ("Is it ready?", " "),
        ("They all left!", "\n"),
        ("Stop!", " "),
        ("مرحبا بكم.", " "),
        ("I work for NASA.", " T"),
        ("The answer is 42.", " T"),
        ("He said “Yes.”", " T"),
        ("(See below.)", " T"),
        ("We sell pens, etc.", " T"),
        ("你好。", "今"),
        ("यह अच्छा है।", " "),
        ("He lives in the U.S.", " The "),
        ("A title", "\n\n"),
        ("# A heading", "\n"),
        ("- an item", "\n- Th"),
        ("| a | b |", "\n"),
        ("```\na. B.\n```", "\n"),
    ],
)
def test_a_sentence_goes_with_the_character_that_makes_it_certain(
    sentence: str, needs: str
) -> None:
    assert let_go_at(sentence + needs) == [(sentence, sentence + needs)]


def test_a_sentence_is_not_held_back_by_a_quote_that_never_closes() -> None:
    text = 'It is 10" wide and "new. Then it broke. '
    assert [s for s, _ in let_go_at(text)] == ['It is 10" wide and "new.', "Then it broke."]


class TestRelease:
    """The caller says that the text pauses."""

    @pytest.mark.parametrize(
        "text",
        ["I am here.", "I work for NASA.", "Really?", "It is 5 p.m.", "(See below.)", "It was 3. "],
    )
    def test_gives_a_complete_sentence_that_waits_for_the_next(self, text: str) -> None:
        chunker = SentenceChunker()
        assert chunker.feed(text) == []
        assert [s.text for s in chunker.release()] == [text.strip()]
        assert chunker.release() == []
        assert chunker.flush() == []

    @pytest.mark.parametrize(
        "text",
        [
            "I am", "See Dr.", "He met J.", "Wait...", 'He said "Yes.', "(It is so.", "It is 3.",
            "# Title", "See No.", "", "?!",
        ],
    )  # fmt: skip
    def test_gives_nothing_that_may_go_on(self, text: str) -> None:
        chunker = SentenceChunker()
        assert chunker.feed(text) == []
        assert chunker.release() == []
        assert [s.text for s in chunker.flush()] == ([text] if text else [])

    def test_gives_a_short_sentence_that_waits_for_company(self) -> None:
        chunker = SentenceChunker(min_chars=20)
        assert chunker.feed("All right. ") == []
        assert chunker.release() == [Sentence("All right.", "All right.", 0, 10)]

    def test_loses_nothing_when_the_text_goes_on(self) -> None:
        chunker = SentenceChunker()
        chunker.feed("I am here.")
        sentences = chunker.release() + chunker.feed(" So are you. ")
        assert [s.text for s in sentences] == ["I am here.", "So are you."]


class TestFlush:
    def test_twice_gives_nothing(self) -> None:
        chunker = SentenceChunker()
        chunker.feed("One by one. Two")
        assert [s.text for s in chunker.flush()] == ["Two"]
        assert chunker.flush() == []

    def test_ends_the_paragraph_and_the_count_goes_on(self) -> None:
        chunker = SentenceChunker()
        chunker.feed("**One")
        chunker.flush()
        chunker.feed("Two** it is")
        assert chunker.flush() == [Sentence("Two** it is", "Two it is", 5, 16)]
