"""Label values of a metric, kept few: each new one is a new series for whoever collects them."""

from __future__ import annotations

OTHER = "other"


class Bounded:
    """The first ``most`` values pass; what comes after them is ``other``."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._known: set[str] = set()

    def label(self, value: str) -> str:
        if value not in self._known:
            if len(self._known) >= self._most:
                return OTHER
            self._known.add(value)
        return value
