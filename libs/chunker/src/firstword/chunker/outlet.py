"""What the readers of blocks share: the tape, where it stands, and what is let go of it."""

from __future__ import annotations

import re

from firstword.chunker.ahead import NotYetError
from firstword.chunker.blocks import Kind, Line, read_line
from firstword.chunker.lengths import Limit
from firstword.chunker.open_marks import OpenMarks
from firstword.chunker.tape import Stretch, Tape

GAP = 256
"""White space of this length inside a line ends a block."""
GAP_PATTERN = rf"[^\S\n\r\u2028\u2029\x85]{{{GAP}}}"
NO_LINE = Line(Kind.BLANK, 0, 0)


class Outlet:
    """The tape with the block that is being read, and the stretches that are done."""

    def __init__(self, *, max_chars: int | None, first_clause_words: int | None) -> None:
        self.tape = Tape()
        self.limit = Limit(max_chars)
        self.marks = OpenMarks()
        self.line = NO_LINE
        """The line that the block began with; ``NO_LINE`` between blocks."""
        self.opens = False
        """Whether nothing of the block is let go yet."""
        self.number = 0
        """The last number of an enumeration."""
        self.clause_words = first_clause_words
        """Words of an early first clause; None when there is none, or none any more."""
        self.quiet_until = 0
        """Letters and digits that come mean nothing before the tape has this length."""
        self._out: list[Stretch] = []

    def taken(self) -> list[Stretch]:
        """The stretches that were let go since the last call."""
        out, self._out = self._out, []
        return out

    def let_go(self, end: int) -> None:
        """Let the piece up to ``end`` go."""
        stretch = self.tape.take(end, self.line.kind, opens=self.opens, quoted=self.line.quoted)
        if stretch is None:
            return
        self._out.append(stretch)
        self.opens = False
        self.marks.add(stretch.text)
        if stretch.kind in {Kind.TEXT, Kind.HEADING}:
            self.clause_words = None

    def close(self, end: int) -> bool:
        """Let the piece up to ``end`` go; False when it was too long and only a part went."""
        place = self.limit.split(self.tape, end, tags=self.line.kind is Kind.TEXT)
        self.let_go(place)
        return place == end

    def begin_block(self, line: Line) -> None:
        """A block begins with ``line``."""
        self.line = line
        self.opens = True
        self.number = line.number or self.number
        self.marks.reset()
        self.tape.start, self.tape.pos = line.begin, line.content

    def end_block(self, end: int, begin: int) -> None:
        """The block ends at ``end``; the next one is looked for from ``begin`` on."""
        if self.close(end):
            self.tape.move(begin)
            self.line = NO_LINE

    def next_event(self, pattern: re.Pattern[str], *, final: bool) -> int | None:
        """Read on to the next match of ``pattern``.

        None when the length of the piece has to be looked at first; ``NotYetError`` when the text
        is used up.
        """
        tape = self.tape
        due = self.limit.due(tape)
        end = len(tape.text) if due is None else due
        if match := pattern.search(tape.text, tape.pos, end):
            tape.pos = match.start()
            return tape.pos
        if due is not None or (final and tape.pos < end):
            tape.pos = end
            return None
        if not final:
            tape.pos = tape.trimmed(end, GAP)
            self.quiet_until = self.limit.quiet(tape)
        raise NotYetError

    def line_after(self, index: int, *, final: bool) -> tuple[int, Line]:
        """Where the line after the line end at ``index`` begins, and what it is."""
        begin = self.past_line_end(index, final=final)
        line = read_line(self.tape.text, begin, final=final, fresh=False, number=self.number)
        return begin, line

    def past_line_end(self, index: int, *, final: bool) -> int:
        """The index after the line end at ``index``, be it of one character or two."""
        text = self.tape.text
        if text[index] != "\r":
            return index + 1
        if index + 1 == len(text) and not final:
            raise NotYetError
        return index + 2 if text[index + 1 : index + 2] == "\n" else index + 1
