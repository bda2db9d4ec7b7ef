"""Words to phonemes, in context: misaki's dictionaries over spaCy's tagger, then eSpeak or rules.

misaki and spaCy read whole clauses, since "read" and "the" sound by what stands around them.
Marks are ours: misaki loses some of them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anyascii import anyascii

from firstword.tts.engines import SpokenWord
from firstword.tts.text.espeak import Espeak, espeak_or_none
from firstword.tts.text.installed import Language
from firstword.tts.text.normalise import normalise
from firstword.tts.text.numerals import Accent
from firstword.tts.text.spelling import sound_out
from firstword.tts.text.vocabulary import known, sounds
from firstword.tts.text.words import Word

_LETTERS = re.compile(r"(?<![\w'])[A-Z](?: [A-Z])*(?![\w'])")
_TIGHT = re.compile(r"[-–−_/\\.'’@:+×=%°^*~#&$€£<>]*")
"""What may stand inside one word of the source."""
_LONGEST_WORD = 64
_VOWEL = re.compile("[AEIOUY]")


@dataclass(frozen=True, slots=True)
class Phonemes:
    """Symbols of the model's alphabet, and which of them say which word of the text."""

    symbols: str
    words: tuple[SpokenWord, ...]


class Tagger:
    """spaCy's small English model, with the lock that keeps all of this to one thread at a time."""

    def __init__(self) -> None:
        from firstword.tts.text.english import tagger

        self.lock = threading.Lock()
        self.pipeline = tagger()


class G2P:
    """Graphemes to phonemes of one language. Takes seconds to build; then safe from any thread.

    Args:
        lang: whose English.
        tagger: one to share between languages; loaded when not given.
        espeak: for unknown words; found when not given, and None spells them by rule.
    """

    def __init__(
        self,
        lang: Language,
        *,
        tagger: Tagger | None = None,
        espeak: Espeak | Literal["installed"] | None = "installed",
    ) -> None:
        from firstword.tts.text.english import English

        self.accent: Accent = "gb" if lang == "b" else "us"
        british = lang == "b"
        self._tagger = tagger or Tagger()
        self._espeak = espeak_or_none(british=british) if espeak == "installed" else espeak
        self._british = british
        self.english = English(british, self._tagger.pipeline, self._unknown)

    def phonemize(self, text: str) -> Phonemes:
        """``text`` as phonemes, whatever its length; spans are characters of ``text``."""
        return self.say(normalise(text, self.accent), text)

    def say(self, words: Sequence[Word], source: str) -> Phonemes:
        """``words`` of ``source`` as phonemes, in their order."""
        if not words:
            return Phonemes("", ())
        with self._tagger.lock, self._tagger.pipeline.memory_zone():
            sounds_of = self._sounds(words)
        symbols = ""
        said: list[SpokenWord] = []
        for word, sound in zip(words, sounds_of, strict=True):
            if not sound:  # letters of a script that has no Latin spelling
                symbols += word.trail
                continue
            first = len(symbols) + bool(symbols) + len(word.lead)
            symbols += f"{' ' if symbols else ''}{word.lead}{sound}{word.trail}"
            spoken = SpokenWord(
                source[word.start : word.end], word.start, word.end, first, first + len(sound)
            )
            joined = _joined(said[-1], spoken, source) if said else None
            if joined:
                said[-1] = joined
            else:
                said.append(spoken)
        return Phonemes(symbols, tuple(said))

    def _sounds(self, words: Sequence[Word]) -> list[str]:
        """Phonemes of each word, none of them silent."""
        line = ""
        places: list[tuple[int, int]] = []
        letters: dict[tuple[int, int], str] = {}
        for word in words:
            spoken = word.spoken if word.made else self._cased(word.spoken)
            start = len(line) + bool(line) + len(word.lead)
            line += f"{' ' if line else ''}{word.lead}{spoken}{word.trail}"
            places.append((start, start + len(spoken)))
            if word.made:
                for run in _LETTERS.finditer(spoken):
                    span = start + run.start(), start + run.end()
                    letters[span] = self._letters(run[0].replace(" ", ""))
        said = self.english.words(line, places, letters)
        return [
            sound if sounds(sound) else self._spelled(word.spoken)
            for word, sound in zip(words, said, strict=True)
        ]

    def _cased(self, spoken: str) -> str:
        """The word as the dictionary has it.

        SHOUTED names that it lacks would be spelled, and names lose their accents if they are in
        it without; a final é is left, since "resume" is another word.
        """
        if not spoken.isascii() and not spoken.endswith("é"):
            plain = anyascii(spoken)
            return plain if self._has(plain) else spoken
        if len(spoken) < 6 or not spoken.isupper() or not _VOWEL.search(spoken):
            return spoken
        return spoken if self._has(spoken) else spoken.capitalize()

    def _has(self, spoken: str) -> bool:
        golds, silvers = self.english.lexicon.golds, self.english.lexicon.silvers
        lower = spoken.lower()
        return spoken in golds or spoken in silvers or lower in golds or lower in silvers

    def _letters(self, letters: str) -> str:
        said, _rating = self.english.lexicon.get_NNP(letters)
        return said or ""

    def _unknown(self, token: Any) -> tuple[str, int]:
        """What misaki asks for a word that it does not know."""
        said = ""
        if self._espeak:
            # eSpeak's English knows the accents of its neighbours and spells all others out.
            word = token.text if max(token.text) <= "ÿ" else anyascii(token.text)
            said = known(self._espeak.phonemes(word))
        if not sounds(said):
            said = " ".join(
                sound_out(part, british=self._british) or self._letters(part)
                for part in re.findall(r"[a-z]+", anyascii(token.text).lower().replace("'", ""))
            )
        return said, 1

    def _spelled(self, spoken: str) -> str:
        """The last resort: every letter by its name."""
        said = self._letters("".join(re.findall("[A-Za-z]", anyascii(spoken))))
        return known(said)


def _joined(before: SpokenWord, word: SpokenWord, source: str) -> SpokenWord | None:
    """Both as one when the source writes them as one: "$5–10", "GPT-4"."""
    gap = source[before.end : word.start]
    same = (before.start, before.end) == (word.start, word.end)
    if not same and (not _TIGHT.fullmatch(gap) or word.end - before.start > _LONGEST_WORD):
        return None
    if not gap and not same and _foreign(before.text[-1]) and _foreign(word.text[0]):
        return None
    text = source[before.start : word.end]
    return SpokenWord(text, before.start, word.end, before.first, word.last)


def _foreign(letter: str) -> bool:
    """A letter of a script that is often written without spaces."""
    return letter > "\u0530" and letter.isalpha()
