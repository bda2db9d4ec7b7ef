"""Rooms 2 and 3 together: text from a language model to sentences a voice can say."""

from __future__ import annotations

from dataclasses import dataclass

from firstword.chunker.markdown import SpokenText
from firstword.chunker.scanner import Scanner
from firstword.chunker.tape import Stretch


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or another unit that is spoken or shown by itself."""

    text: str
    """The source, ``source[start:end]``: no white space at either end."""
    spoken: str
    """What a voice should say; ``""`` for what is only shown, such as a code fence."""
    start: int
    """Characters of all that was fed before it."""
    end: int


class SentenceChunker:
    """Text in any pieces to sentences, each as soon as it is certain.

    The sentences, their spans and the character at which each is let go depend on the text alone,
    never on how it was cut into pieces. The spans cover every character that is not white space,
    in order.

    ``max_chars`` bounds the length of a sentence: a longer one is cut after a clause mark, else at
    a space; only a single word may be longer (``None``: 20,000 characters). A sentence shorter than
    ``min_chars`` is kept and goes with the next one of its block. ``first_clause_words`` lets the
    first clause of the first sentence go by itself when it has that many words and ends in
    ``, ; :`` or a dash. With ``spoken`` false the text is taken as fit to be spoken: ``spoken`` is
    then ``text``.
    """

    def __init__(
        self,
        *,
        max_chars: int | None = 400,
        first_clause_words: int | None = None,
        spoken: bool = True,
        min_chars: int | None = None,
    ) -> None:
        for name, value in (
            ("max_chars", max_chars),
            ("first_clause_words", first_clause_words),
        ):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}: give at least 1, or None")
        least = min_chars or 0
        if least < 0 or (max_chars is not None and least > max_chars):
            raise ValueError(f"min_chars is {least}: give 0 to max_chars ({max_chars})")
        self._scanner = Scanner(
            max_chars=max_chars, min_chars=least, first_clause_words=first_clause_words
        )
        self._spoken_text = SpokenText() if spoken else None

    def feed(self, text: str) -> list[Sentence]:
        """Take in more text; the sentences that are certain now."""
        return self._sentences(self._scanner.feed(text))

    def release(self) -> list[Sentence]:
        """The text pauses: a complete sentence that only waits to see what comes after it.

        Gives nothing inside an open quote or bracket, nor after what is seldom the last word of a
        sentence (``Dr.``, ``U.S.``, ``Wait...``). What comes later begins a new sentence.
        """
        return self._sentences(self._scanner.release())

    def flush(self) -> list[Sentence]:
        """The text ends: all that is left. Text fed after it begins a new paragraph."""
        sentences = self._sentences(self._scanner.flush())
        if self._spoken_text is not None:
            self._spoken_text = SpokenText()
        return sentences

    def _sentences(self, stretches: list[Stretch]) -> list[Sentence]:
        spoken_text = self._spoken_text
        return [
            Sentence(
                text=stretch.text,
                spoken=stretch.text if spoken_text is None else spoken_text.spoken(stretch),
                start=stretch.start,
                end=stretch.end,
            )
            for stretch in stretches
        ]


def split(
    text: str,
    *,
    max_chars: int | None = 400,
    first_clause_words: int | None = None,
    spoken: bool = True,
    min_chars: int | None = None,
) -> list[Sentence]:
    """The sentences of a whole text, as ``SentenceChunker`` gives them."""
    chunker = SentenceChunker(
        max_chars=max_chars,
        first_clause_words=first_clause_words,
        spoken=spoken,
        min_chars=min_chars,
    )
    return chunker.feed(text) + chunker.flush()
