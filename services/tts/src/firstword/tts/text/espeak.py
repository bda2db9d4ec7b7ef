"""eSpeak NG for words that no dictionary has. GPL-3, so an extra; without it rules spell them."""

from __future__ import annotations

import logging
from functools import lru_cache

logger = logging.getLogger(__name__)

_REMEMBERED = 2_048


class Espeak:
    """Phonemes of single words in Kokoro's alphabet. Not for two threads at once.

    Raises:
        ImportError: the extra ``espeak`` is not installed.
        RuntimeError, OSError: its library cannot be loaded; it is copied to a temporary folder
            first, which must exist and allow programs.
    """

    def __init__(self, *, british: bool) -> None:
        from misaki.espeak import EspeakFallback  # type: ignore[import-untyped]
        from misaki.token import MToken  # type: ignore[import-untyped]
        from phonemizer.backend import EspeakBackend  # type: ignore[import-untyped]

        fallback = EspeakFallback(british=british)
        quiet = logging.getLogger(f"{__name__}.phonemizer")
        quiet.setLevel(logging.CRITICAL)
        fallback.backend = EspeakBackend(
            language="en-gb" if british else "en-us",
            preserve_punctuation=True,
            with_stress=True,
            tie="^",
            language_switch="remove-flags",
            logger=quiet,
        )

        @lru_cache(maxsize=_REMEMBERED)
        def phonemes(word: str) -> str:
            said, _rating = fallback(MToken(text=word, tag="", whitespace=""))
            return said or ""

        self.phonemes = phonemes


def espeak_or_none(*, british: bool) -> Espeak | None:
    """eSpeak NG where it is installed; None, and a line in the log, where it is not."""
    try:
        return Espeak(british=british)
    except ImportError:
        logger.info("extra=<espeak> | not installed, unknown words are spelled by rule")
    except (RuntimeError, OSError) as error:
        logger.warning("error=<%s> | cannot load espeak, unknown words are spelled by rule", error)
    return None
