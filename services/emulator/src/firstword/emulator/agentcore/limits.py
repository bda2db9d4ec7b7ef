"""What AgentCore closes a socket for: frames that are too large or too many."""

from __future__ import annotations

from collections import deque

from firstword.emulator.agentcore.settings import Limits

POLICY, TOO_BIG = 1008, 1009


class FrameMeter:
    """Watches the frames of one connection, both directions together. No clock of its own."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seen: deque[float] = deque(maxlen=limits.frames_per_second)
        self.frames = 0
        self.largest = 0

    def excess(self, size: int, now_s: float) -> tuple[int, str] | None:
        """Count a frame of so many bytes; the close code and reason where it is one too many."""
        self.frames += 1
        self.largest = max(self.largest, size)
        if size > self._limits.frame_bytes:
            return TOO_BIG, f"a frame has {size} bytes, {self._limits.frame_bytes} are allowed"
        full = len(self._seen) == self._seen.maxlen
        if full and now_s - self._seen[0] < 1.0:
            return POLICY, f"more than {self._limits.frames_per_second} frames in a second"
        self._seen.append(now_s)
        return None
