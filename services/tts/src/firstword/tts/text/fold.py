"""One spelling for each character, and where it stood in the source.

What looks the same to a reader becomes the same to the rules: curly quotes, full-width forms,
ligatures, styled letters, digits of any script. What cannot be heard (emoji, zero-width and
control characters) goes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

KEPT = frozenset("…°–—−±×÷≤≥≠≈√∞∑∫∂∆→⇒¢£¥€₹₩₽₿₫₪₺₴₱฿§²³‰♯♭")
"""Symbols for which a rule has a word, kept although they have no plain spelling."""

_SPELLING = {
    **dict.fromkeys("‘’‚‛ʼʹ′`´", "'"),
    **dict.fromkeys("“”„‟«»″〝〞〟「」『』《》〈〉", '"'),
    **dict.fromkeys("‐‑‒﹣", "-"),
    **dict.fromkeys("―⸺⸻", "—"),
    **dict.fromkeys("。｡।॥۔", "."),
    **dict.fromkeys("、，､،・", ","),
    **dict.fromkeys("؛", ";"),
    **dict.fromkeys("؟‽⁇", "?"),
    **dict.fromkeys("【〔〖", "("),
    **dict.fromkeys("】〕〗", ")"),
    **dict.fromkeys("∕⁄", "/"),
    **dict.fromkeys("∙⋅", "×"),
    **dict.fromkeys("〜～∼", "~"),
    **dict.fromkeys("º˚", "°"),
    **dict.fromkeys("￠", "¢"),
    **dict.fromkeys("￡", "£"),
    **dict.fromkeys("￥", "¥"),
    **dict.fromkeys("￦", "₩"),
    **dict.fromkeys("−－﹣", "−"),
    **dict.fromkeys("≦", "≤"),
    **dict.fromkeys("≧", "≥"),
    **dict.fromkeys("➔➜➡⟶", "→"),
    **dict.fromkeys("™®©℠¿¡", ""),
    "⋯": "…",
    "Ω": "Ω",
    "№": "No.",
}

_SUPERSCRIPTS = frozenset("⁰¹⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; its character ``i`` stood from ``starts[i]`` to ``ends[i]`` in the source."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the folded characters from ``first`` to ``last`` (exclusive) stood."""
        return self.starts[first], self.ends[last - 1]


def fold(text: str) -> Folded:
    """``text`` in one spelling. White space of any kind becomes a space of the same place."""
    if text.isascii() and text.isprintable() and "`" not in text:
        return Folded(text, range(len(text)), range(1, len(text) + 1))
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and _joins(text[end]):
            end += 1
        plain = _plain(text[at:end])
        out.append(plain)
        starts.extend([at] * len(plain))
        ends.extend([end] * len(plain))
        at = end
    return Folded("".join(out), starts, ends)


@lru_cache(maxsize=4096)
def _plain(cluster: str) -> str:
    """One character with its combining marks, folded; "" for what is not heard."""
    head = cluster[0]
    if head in _SPELLING:
        return _SPELLING[head]
    if head in KEPT or head in _SUPERSCRIPTS or _is_fraction(head):
        return head
    if head.isspace():
        return " "
    if head.isascii():
        # A lone mark over a letter of the alphabet composes below; controls are not heard.
        return "" if not head.isprintable() else _composed(cluster)
    if head.isdecimal():
        return str(unicodedata.decimal(head))
    category = unicodedata.category(head)
    if category in ("Cf", "Cc", "Mn", "Mc", "Me"):
        return ""
    if category in ("Cs", "Co", "Cn", "Sk"):
        return " "
    return _composed(cluster)


def _joins(symbol: str) -> bool:
    """Whether ``symbol`` is written onto the character before it."""
    return symbol > "\u02ff" and unicodedata.category(symbol)[0] == "M"


def _is_fraction(symbol: str) -> bool:
    return unicodedata.decomposition(symbol).startswith("<fraction>")


def _composed(cluster: str) -> str:
    """The compatibility spelling; of what it gives, letters, digits, marks and rule symbols."""
    spelled = unicodedata.normalize("NFKC", cluster[:8])
    kept = []
    for symbol in spelled:
        if symbol in _SPELLING and symbol != cluster:
            kept.append(_SPELLING[symbol])
        elif symbol.isascii() or symbol in KEPT or symbol.isalpha():
            kept.append(symbol if symbol.isprintable() else " ")
        elif symbol.isdecimal():
            kept.append(str(unicodedata.decimal(symbol)))
        elif not _joins(symbol):
            kept.append(" ")
        elif kept and kept[0].isalpha() and not _is_selector(symbol):
            kept.append(symbol)
    return "".join(kept)


def _is_selector(symbol: str) -> bool:
    """Whether ``symbol`` only chooses a picture: variation selectors and enclosing key caps."""
    return "\ufe00" <= symbol <= "\ufe0f" or symbol >= "\U000e0100" or symbol == "\u20e3"
