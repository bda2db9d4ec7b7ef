"""How fast speech is made here."""

from __future__ import annotations

FIRST_GUESS = 0.5
"""Until some was measured, as if of one second of audio."""

OVER_S = 60.0
"""Audio seconds after which what was measured before counts half."""


class RealTimeFactor:
    """Synthesis seconds that a second of audio took of late."""

    def __init__(self) -> None:
        self._worked_s, self._made_s = FIRST_GUESS, 1.0

    @property
    def value(self) -> float:
        return self._worked_s / self._made_s

    def learn(self, worked_s: float, made_s: float) -> None:
        """So much work gave so much audio, or none yet."""
        self._worked_s += worked_s
        self._made_s += made_s
        if self._made_s > OVER_S:
            self._worked_s, self._made_s = self._worked_s / 2, self._made_s / 2
