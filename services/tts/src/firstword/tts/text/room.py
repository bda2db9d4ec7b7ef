"""The text room: a request's text in, utterances for the engine out, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from firstword.chunker import Sentence, SentenceChunker
from firstword.tts.engines import MAX_PHONEMES, SpokenWord, Utterance
from firstword.tts.text.align import align
from firstword.tts.text.cut import PAUSES_S, Pause, Piece, cut, halves, joined
from firstword.tts.text.g2p import G2P, Phonemes
from firstword.tts.text.normalise import normalise
from firstword.tts.text.words import Word

TARGET = 200
"""Symbols of an utterance that the model says at its best; 150 to 250 come of it."""

FIRST_CLAUSE_WORDS = 4
"""Words from which a first clause goes ahead of its sentence: someone waits for the first sound."""

_PAIRS = {"”": "“", ")": "("}
_FED = 4_000
_LONGEST_SENTENCE = 2_000
_GAP = re.compile(r"\s*")


def utterances(
    text: str, g2p: G2P, *, target: int = TARGET, first_clause_words: int | None = None
) -> Iterator[Utterance]:
    """``text`` in utterances, each worked out when it is asked for.

    Spans of words are characters of ``text``. A text in which nothing can be said gives none.
    """
    early = first_clause_words is not None
    pieces = joined(_pieces(text, g2p, target, first_clause_words), target=target, early=early)
    for piece in pieces:
        yield from _said(piece.words, piece.pause, g2p, text)


def _pieces(text: str, g2p: G2P, target: int, first_clause_words: int | None) -> Iterator[Piece]:
    early = first_clause_words is not None
    for sentence in _sentences(text, first_clause_words):
        words = _words(sentence, g2p)
        for piece in cut(words, _pause_after(sentence, text), target=target, early=early):
            early = False
            yield piece


def _sentences(text: str, first_clause_words: int | None) -> Iterator[Sentence]:
    chunker = SentenceChunker(max_chars=_LONGEST_SENTENCE, first_clause_words=first_clause_words)
    for start in range(0, len(text), _FED):
        yield from chunker.feed(text[start : start + _FED])
    yield from chunker.flush()


def _words(sentence: Sentence, g2p: G2P) -> list[Word]:
    """The sentence's words with their places in the request's text."""
    places = align(sentence.spoken, sentence.text)
    offset = sentence.start
    return [
        replace(word, start=offset + places[word.start], end=offset + places[word.end - 1] + 1)
        for word in normalise(sentence.spoken, g2p.accent)
    ]


def _pause_after(sentence: Sentence, text: str) -> Pause:
    gap = _GAP.match(text, sentence.end)
    lines = gap[0].count("\n") if gap else 0
    if lines > 1:
        return "paragraph"
    return "line" if lines else "sentence"


def _said(words: Sequence[Word], pause: Pause, g2p: G2P, text: str) -> Iterator[Utterance]:
    phonemes = g2p.say(words, text)
    if len(phonemes.symbols) > MAX_PHONEMES and len(words) > 1:
        first, second = halves(words)
        yield from _said(first, "none", g2p, text)
        yield from _said(second, pause, g2p, text)
    elif phonemes.words:
        yield _closed(phonemes, PAUSES_S[pause])


def _closed(phonemes: Phonemes, pause_s: float) -> Utterance:
    """Without closing quotes and brackets at the end, behind which the model murmurs."""
    symbols, words = phonemes.symbols, phonemes.words
    while symbols[-1:] in _PAIRS:
        opener = _unclosed(symbols[:-1], _PAIRS[symbols[-1]], symbols[-1])
        symbols = symbols[:-1].rstrip()
        if opener >= 0:
            symbols = symbols[:opener] + symbols[opener + 1 :]
            words = tuple(_moved(word) if word.first > opener else word for word in words)
    return Utterance(symbols, words, pause_s)


def _unclosed(symbols: str, opener: str, closer: str) -> int:
    """The place of the last ``opener`` that nothing closes, -1 when there is none."""
    at = symbols.rfind(opener)
    return at if at > symbols.rfind(closer) else -1


def _moved(word: SpokenWord) -> SpokenWord:
    return replace(word, first=word.first - 1, last=word.last - 1)
