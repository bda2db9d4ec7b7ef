"""Voices by name, and blends of them.

A voice is a name (``af_heart``) or a blend in Kokoro-FastAPI's notation, ``af_bella(2)+af_sky(1)``:
weights are relative, one that is left out is 1.
"""

from __future__ import annotations

import difflib
import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from firstword.tts.engines import MAX_PHONEMES, Style
from firstword.tts.models.catalogue import GENDERS, GRADES, LANGUAGES, Gender
from firstword.tts.models.errors import ModelsMissingError, UnknownVoiceError, VoiceError
from firstword.tts.models.manifest import FETCH_COMMAND

MAX_PARTS = 8
"""Voices in one blend."""

MAX_SPEC_CHARS = 256
MAX_WEIGHT = 1_000.0
KEPT_STYLES = 64
"""Styles kept in memory (522,240 bytes each)."""

STYLE_WIDTH = 256
_SHAPE = (MAX_PHONEMES, STYLE_WIDTH)
_NAME = re.compile(r"[a-z]{2}_[a-z0-9]+")
_PART = re.compile(r"\s*([a-z]{2}_[a-z0-9]+)\s*(?:\(\s*([0-9]{0,9}(?:\.[0-9]{1,9})?)\s*\))?\s*")


@dataclass(frozen=True, slots=True)
class Voice:
    """What a person wants to know of a voice before choosing it."""

    id: str
    name: str
    language: str
    """BCP 47: ``en-us``, ``en-gb``, ..."""
    gender: Gender
    grade: str | None
    """The publisher's grade from A to F, where there is one."""


class Voices:
    """The voices of one model folder. Safe to use from any thread.

    ``languages`` are the first letters of names that can be spoken (``a`` American, ``b`` British
    English, ...): those whose grapheme-to-phoneme part is there. Voices of other languages can
    still lend their sound to a blend.
    """

    def __init__(self, folder: Path, languages: Collection[str] = ("a", "b")) -> None:
        self._folder = folder / "voices"
        self._languages = frozenset(languages)
        self._names = frozenset(
            path.stem
            for path in self._folder.glob("*.bin")
            if _NAME.fullmatch(path.stem) and path.stem[0] in LANGUAGES and path.stem[1] in GENDERS
        )
        if not self._names:
            raise ModelsMissingError(f"no voices in {self._folder}: run `{FETCH_COMMAND}`")
        self._styles: OrderedDict[tuple[tuple[str, float], ...], Style] = OrderedDict()
        self._lock = threading.Lock()

    def list(self) -> tuple[Voice, ...]:
        """The voices that can be spoken with, by name."""
        return tuple(describe(n) for n in sorted(self._names) if n[0] in self._languages)

    def language(self, spec: str) -> str:
        """The first letter of the voice that the text is read for.

        Raises:
            VoiceError: as ``style`` does.
        """
        return self._parse(spec)[0][0][0]

    def style(self, spec: str) -> Style:
        """The voice's style: float32 (510, 256), read-only; of a blend the weighted mean.

        Raises:
            UnknownVoiceError: no such voice; the text names those that look like it.
            VoiceError: not the notation, too many parts, a weight that is not above zero, or a
                language that cannot be spoken here.
        """
        parts = self._parse(spec)
        if len(parts) == 1:
            return self._kept(((parts[0][0], 1.0),), lambda: _read(self._folder, parts[0][0]))
        total = math.fsum(weight for _, weight in parts)
        normal = tuple((name, weight / total) for name, weight in parts)
        return self._kept(normal, lambda: self._blend(normal))

    def _parse(self, spec: str) -> tuple[tuple[str, float], ...]:
        if len(spec) > MAX_SPEC_CHARS:
            raise VoiceError(f"a voice of {len(spec)} characters: at most {MAX_SPEC_CHARS}")
        texts = spec.split("+")
        if len(texts) > MAX_PARTS:
            raise VoiceError(f"a blend of {len(texts)} voices: at most {MAX_PARTS}")
        parts = tuple(self._part(text) for text in texts)
        letter = parts[0][0][0]
        if letter not in self._languages:
            spoken = ", ".join(sorted(LANGUAGES[letter] for letter in self._languages))
            raise VoiceError(
                f"voice {parts[0][0]!r} speaks {LANGUAGES[letter]}, for which no "
                f"grapheme-to-phoneme part is installed; spoken here: {spoken}",
                "unsupported_language",
            )
        return parts

    def _part(self, text: str) -> tuple[str, float]:
        match = _PART.fullmatch(text)
        name = match[1] if match else text.strip()
        if name not in self._names and (match or "(" not in name):
            raise _unknown(name, self._names)
        if match is None:
            raise VoiceError(
                f"cannot read {text.strip()!r}: a blend is written af_bella(2)+af_sky(1)"
            )
        weight = _weight(match[2])
        if not 0 < weight <= MAX_WEIGHT:
            raise VoiceError(f"weight of {name} must be above 0 and at most {MAX_WEIGHT:.0f}")
        return name, weight

    def _blend(self, parts: tuple[tuple[str, float], ...]) -> Style:
        mixed = np.zeros(_SHAPE, np.float64)
        for name, share in parts:
            mixed += share * self.style_of(name)
        style: Style = mixed.astype(np.float32)
        style.flags.writeable = False
        return style

    def style_of(self, name: str) -> Style:
        """The style of one voice by its plain name, of whatever language.

        Raises:
            UnknownVoiceError: no such voice.
        """
        if name not in self._names:
            raise _unknown(name, self._names)
        return self._kept(((name, 1.0),), lambda: _read(self._folder, name))

    def _kept(self, key: tuple[tuple[str, float], ...], make: Callable[[], Style]) -> Style:
        with self._lock:
            if (style := self._styles.get(key)) is not None:
                self._styles.move_to_end(key)
                return style
        style = make()
        with self._lock:
            self._styles[key] = style
            while len(self._styles) > KEPT_STYLES:
                self._styles.popitem(last=False)
        return style


def describe(name: str) -> Voice:
    """What a voice's name tells, and its grade."""
    return Voice(
        id=name,
        name=name[3:].capitalize(),
        language=LANGUAGES[name[0]],
        gender=GENDERS[name[1]],
        grade=GRADES.get(name),
    )


def _weight(text: str | None) -> float:
    if text is None:
        return 1.0
    return float(text) if text not in ("", ".") else 0.0


def _unknown(name: str, names: Collection[str]) -> UnknownVoiceError:
    shown = name if len(name) <= 40 else name[:40] + "…"
    near = tuple(difflib.get_close_matches(name[:40].lower(), sorted(names), n=3, cutoff=0.6))
    meant = f"; near it: {', '.join(near)}" if near else ""
    return UnknownVoiceError(f"no voice is called {shown!r}{meant}", near)


def _read(folder: Path, name: str) -> Style:
    try:
        values = np.fromfile(folder / f"{name}.bin", dtype="<f4")
    except OSError as error:
        raise ModelsMissingError(
            f"voice {name} cannot be read ({error.strerror}): run `{FETCH_COMMAND}`"
        ) from error
    if values.size != _SHAPE[0] * _SHAPE[1]:
        raise ModelsMissingError(f"voice {name} is incomplete: run `{FETCH_COMMAND}`")
    style: Style = values.reshape(_SHAPE).astype(np.float32, copy=False)
    style.flags.writeable = False
    return style
