"""How two copies of one sentence are joined: the second begins a little before the first broke off.

The last few milliseconds that came are held back. When the connection breaks there, the sentence
is asked for again from the first sample held; the new copy of those samples is faded in over the
old one, and each sample is still passed on once. Where both copies are the same, so is the sum.
"""

from __future__ import annotations

from struct import pack_into, unpack_from

from firstword.protocol import BYTES_PER_SAMPLE, samples_in


class Joint:
    """All audio of one sentence (s16le, mono) passes through. ``hold`` is counted in samples."""

    def __init__(self, hold: int) -> None:
        self._most = hold * BYTES_PER_SAMPLE
        self._held = bytearray()
        self._said_again = 0
        self.passed = 0
        """Samples passed on."""

    @property
    def received(self) -> int:
        """Samples that are known, those held among them."""
        return self.passed + samples_in(len(self._held))

    def begin_again(self) -> int:
        """A new copy follows. Gives the sample that it must begin with."""
        self._said_again = 0
        return self.passed

    def feed(self, data: bytes) -> bytes:
        """Whole samples of the present copy; gives those that are passed on now."""
        overlap = min(len(data), len(self._held) - self._said_again)
        if overlap > 0:
            self._blend(data[:overlap])
            data = data[overlap:]
        if self._said_again < len(self._held):
            return b""
        self._held += data
        over = max(0, len(self._held) - self._most)
        return self._pass_on(over)

    def flush(self) -> bytes:
        """The rest, at the end of the sentence."""
        return self._pass_on(len(self._held))

    def _blend(self, data: bytes) -> None:
        count = samples_in(len(data))
        old = unpack_from(f"<{count}h", self._held, self._said_again)
        new = unpack_from(f"<{count}h", data)
        whole = samples_in(len(self._held)) + 1
        first = samples_in(self._said_again) + 1
        mixed = (
            (a * (whole - weight) + b * weight) // whole
            for weight, (a, b) in enumerate(zip(old, new, strict=True), first)
        )
        pack_into(f"<{count}h", self._held, self._said_again, *mixed)
        self._said_again += len(data)

    def _pass_on(self, size: int) -> bytes:
        out = bytes(self._held[:size])
        del self._held[:size]
        self.passed += samples_in(size)
        self._said_again = len(self._held)
        return out
