"""Word lists written as running text."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())
