"""How fast frames may follow each other on one socket."""

from __future__ import annotations


class FramePace:
    """A bucket of ``burst`` frames that fills at ``per_second``. No clock of its own.

    In any one second at most ``burst + per_second`` frames are let through. AgentCore closes a
    socket at 250 a second, text and binary counted together.
    """

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = float(burst)
        self._at_s: float | None = None

    def wait_s(self, now_s: float) -> float:
        """Seconds until the next frame may be sent; 0 when it may be sent now."""
        self._fill(now_s)
        return max(0.0, (1.0 - self._left) / self._per_second)

    def spend(self, now_s: float) -> None:
        """A frame is sent. Call it only where ``wait_s`` is 0."""
        self._fill(now_s)
        self._left -= 1.0

    def _fill(self, now_s: float) -> None:
        if self._at_s is not None:
            self._left += max(0.0, now_s - self._at_s) * self._per_second
        self._left = min(self._left, float(self._burst))
        self._at_s = now_s
