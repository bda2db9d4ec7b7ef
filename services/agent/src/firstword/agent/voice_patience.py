"""How often something is tried again: a bound for each sentence, a budget for each turn, jitter."""

from __future__ import annotations

import random

from firstword.agent.voice_settings import VoiceSettings

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


class Patience:
    """The budget of one turn. The first new connection after a good one costs no time."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._settings = settings
        self._left = settings.retries_per_turn

    def renew(self) -> None:
        """A turn begins."""
        self._left = self._settings.retries_per_turn

    def take(self) -> bool:
        """Whether something may be tried again."""
        self._left -= 1
        return self._left >= 0

    def pause_s(self, failures: int, wanted_s: float = 0.0) -> float:
        """How long to wait after so many failures in a row; ``wanted_s`` is what the service said.

        Half of it is left to chance, so that many callers do not come back at once.
        """
        longest = max(FIRST_PAUSE_S * 2.0 ** (failures - 1), wanted_s)
        return min(longest, LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)  # noqa: S311
