"""Kokoro-82M's alphabet: which symbol is which token of the model.

Source: ``config.json`` of hexgrad/Kokoro-82M (Apache-2.0), 114 of whose 178 rows are in use.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType

logger = logging.getLogger(__name__)

_RUNS: tuple[tuple[int, str], ...] = (
    (1, ";:,.!?"),
    (9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'),
    (31, "O"),
    (33, "Q"),
    (35, "ST"),
    (39, "W"),
    (41, "Yᵊabcdef"),
    (50, "hijklmnopqrstuvwxyzɑɐɒæ"),
    (75, "βɔɕç"),
    (80, "ɖðʤə"),
    (85, "ɚɛɜ"),
    (90, "ɟ"),
    (92, "ɡ"),
    (99, "ɥ"),
    (101, "ɨɪʝ"),
    (110, "ɯɰŋɳɲɴø"),
    (118, "ɸθœ"),
    (123, "ɹ"),
    (125, "ɾɻ"),
    (128, "ʁɽʂʃʈʧ"),
    (135, "ʊʋ"),
    (138, "ʌɣɤ"),
    (142, "χʎ"),
    (147, "ʒʔ"),
    (156, "ˈˌː"),
    (162, "ʰ"),
    (164, "ʲ"),
    (169, "↓"),
    (171, "→↗↘"),
    (177, "ᵻ"),
)
"""Symbols in runs of consecutive ids: (id of the first, the symbols)."""

TOKENS: Mapping[str, int] = MappingProxyType(
    {symbol: first + i for first, symbols in _RUNS for i, symbol in enumerate(symbols)}
)
"""Symbol to token id. Id 0 stands at both ends of every input and has no symbol."""

MARKS = frozenset(';:,.!?—…"()“”')
"""The punctuation among the symbols."""

SILENT = MARKS | frozenset(" ˈˌː↓→↗↘")
"""Symbols that make no sound of their own."""


def known(phonemes: str) -> str:
    """``phonemes`` without the symbols that the model does not have."""
    if all(map(TOKENS.__contains__, phonemes)):
        return phonemes
    kept = "".join(symbol for symbol in phonemes if symbol in TOKENS)
    logger.debug("dropped=<%d> | symbols that the model does not have", len(phonemes) - len(kept))
    return kept


def token_ids(phonemes: str) -> list[int]:
    """The model's tokens for ``phonemes``, without the zeros at both ends; unknown ones dropped."""
    return [TOKENS[symbol] for symbol in known(phonemes)]


def sounds(phonemes: str) -> bool:
    """Whether anything in ``phonemes`` can be heard."""
    return any(symbol not in SILENT for symbol in phonemes)
