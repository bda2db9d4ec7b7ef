"""When the person at the other end of a session runs out of audio to hear.

A clock of playback: nothing here measures the player, it is assumed to start with the first audio
it gets and to play at normal pace. All times are seconds of one monotonic clock.
"""

from __future__ import annotations


class Listener:
    """One session's playback.

    ``due`` is the deadline of its next audio: when the audio made so far will have been played;
    where there is none to play, when the first should be there.
    """

    def __init__(self, first_audio_s: float) -> None:
        self.due = 0.0
        self.underrun_s = 0.0
        self._first_audio_s = first_audio_s
        self._told_s = 0.0
        self._open = 0
        self._playing = False

    def slack_s(self, now: float) -> float:
        """Seconds until the audio made so far has been played; 0 where nothing plays."""
        return max(0.0, self.due - now) if self._playing else 0.0

    def take_underrun_s(self) -> float:
        """Seconds run dry since the last call."""
        total = self.underrun_s
        taken, self._told_s = total - self._told_s, total
        return taken

    def asked(self, now: float) -> None:
        """Something was asked for: what still plays goes on, else playback starts anew."""
        if self._open == 0:
            self.resumed(now)
        self._open += 1

    def answered(self) -> None:
        """One thing asked for is made or given up."""
        self._open -= 1

    def stopped(self, now: float) -> None:
        """The player has stopped: what was made so far is not heard any more."""
        self.due, self._playing = now + self._first_audio_s, False

    def resumed(self, now: float) -> None:
        """Work goes on that had to wait for the caller; running dry meanwhile is not our fault."""
        if self.due <= now:
            self.stopped(now)

    def produced(self, duration_s: float, now: float) -> None:
        """Audio was made. Late audio moves the playback clock: the listener waited for it."""
        if duration_s <= 0:
            return
        if self._playing and self.due < now:
            self.underrun_s += now - self.due
        self.due = (self.due if self._playing and self.due > now else now) + duration_s
        self._playing = True
