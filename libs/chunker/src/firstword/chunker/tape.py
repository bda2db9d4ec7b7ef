"""The text that has come and is not let go yet, and where reading stands in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firstword.chunker.blocks import Kind

_BLANKS = re.compile(r"[^\S\n\r\u2028\u2029\x85]*")
_WORD = re.compile(r"[^\W_]")
_NONSPACE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the source that is one unit, before it is made fit to be spoken."""

    text: str
    start: int
    end: int
    kind: Kind
    opens: bool
    """It begins its block, so its text may begin with the block's markers."""
    quoted: bool
    """It stands in a block quote."""


class Tape:
    """A window on the text: what is before ``start`` is let go, before ``pos`` is decided."""

    __slots__ = ("_base", "_wordless", "held", "pos", "start", "text", "wide")

    def __init__(self) -> None:
        self.text = ""
        self.start = 0
        self.pos = 0
        self.held = 0
        """Where a sentence ended that was too short to be let go; 0 for none."""
        self.wide = 0
        """Up to where it is known that the piece can be cut nowhere; 0 while it is not too long."""
        self._wordless = 0
        self._base = 0

    def add(self, text: str) -> None:
        """Take in more text, and forget what was let go."""
        if self.start:
            self._base += self.start
            self.pos -= self.start
            self.held = max(0, self.held - self.start)
            self.wide = max(0, self.wide - self.start)
            self._wordless = max(0, self._wordless - self.start)
            self.text = self.text[self.start :] + text
            self.start = 0
        else:
            self.text += text

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read since the last piece that was let go."""
        return self.start == self.pos

    def move(self, index: int) -> None:
        """Begin the next piece at ``index``."""
        self.start = self.pos = index

    def skip_blanks(self) -> None:
        """Begin the next piece after the white space of this line."""
        match = _BLANKS.match(self.text, self.pos)
        self.move(match.end() if match else self.pos)

    def length(self, end: int) -> int:
        """Characters of the piece that would end at ``end``, without white space at its end."""
        while end > self.start and self.text[end - 1].isspace():
            end -= 1
        return end - self.start

    def trimmed(self, end: int, most: int) -> int:
        """``end`` moved back over white space, ``most`` characters and not before ``pos``."""
        least = max(self.pos, end - most)
        while end > least and self.text[end - 1].isspace():
            end -= 1
        return end

    def has_word(self, end: int) -> bool:
        """Whether the piece up to ``end`` holds a letter or a digit."""
        if _WORD.search(self.text, max(self.start, self._wordless), end):
            return True
        self._wordless = end
        return False

    def nonspace(self, begin: int, end: int) -> bool:
        return _NONSPACE.search(self.text, begin, end) is not None

    def take(self, end: int, kind: Kind, *, opens: bool, quoted: bool) -> Stretch | None:
        """Let the piece up to ``end`` go; None when it holds white space only."""
        match = _NONSPACE.search(self.text, self.start, end)
        begin = match.start() if match else end
        length = self.length(end) - (begin - self.start)
        self.pos = max(self.pos, end)
        match = _NONSPACE.search(self.text, end, self.pos)
        self.start = match.start() if match else self.pos
        self.held = self.wide = 0
        if begin == end:
            return None
        return Stretch(
            text=self.text[begin : begin + length],
            start=self._base + begin,
            end=self._base + begin + length,
            kind=kind,
            opens=opens,
            quoted=quoted,
        )
