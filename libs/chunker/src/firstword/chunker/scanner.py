"""Room 3: text in any pieces to stretches that are sentences.

One machine reads the characters in order. A step that would look past the text that has come
raises ``NotYetError`` and is taken again when more has come, so the result cannot depend on how the
text was cut into pieces. What is kept is bounded by the longest sentence.
"""

from __future__ import annotations

import re

from firstword.chunker.ahead import NotYetError
from firstword.chunker.blocks import Kind, Line, fence_end, is_delimiter_row, read_line
from firstword.chunker.characters import LINE_ENDS
from firstword.chunker.outlet import GAP, GAP_PATTERN, NO_LINE, Outlet
from firstword.chunker.tape import Stretch
from firstword.chunker.text_reader import TextReader

_SLICE = 1024
_LINE_EVENTS = re.compile(rf"[{''.join(LINE_ENDS)}]|{GAP_PATTERN}")
_NONSPACE = re.compile(r"\S")


class Scanner:
    """``feed``, ``release`` and ``flush`` as in ``SentenceChunker``, giving the source alone."""

    def __init__(
        self, *, max_chars: int | None, min_chars: int, first_clause_words: int | None
    ) -> None:
        self._outlet = Outlet(max_chars=max_chars, first_clause_words=first_clause_words)
        self._reader = TextReader(self._outlet, min_chars=min_chars)
        self._in_table = False

    def feed(self, text: str) -> list[Stretch]:
        outlet = self._outlet
        if text.isalnum() and len(outlet.tape.text) + len(text) < outlet.quiet_until:
            outlet.tape.text += text
            return []
        for index in range(0, len(text), _SLICE):
            outlet.tape.add(text[index : index + _SLICE])
            self._run(final=False)
        return outlet.taken()

    def release(self) -> list[Stretch]:
        if self._outlet.line.kind is Kind.TEXT and (end := self._reader.settled()) is not None:
            self._outlet.let_go(end)
        return self._outlet.taken()

    def flush(self) -> list[Stretch]:
        outlet = self._outlet
        self._run(final=True)
        end = len(outlet.tape.text)
        while not outlet.close(end):
            pass
        outlet.tape.move(end)
        outlet.line = NO_LINE
        outlet.number = 0
        self._in_table = False
        return outlet.taken()

    def _run(self, *, final: bool) -> None:
        self._outlet.quiet_until = 0
        try:
            while True:
                self._step(final)
        except NotYetError:
            return

    def _step(self, final: bool) -> None:
        outlet = self._outlet
        kind = outlet.line.kind
        if (cut := outlet.limit.overflow(outlet.tape, tags=kind is Kind.TEXT)) is not None:
            outlet.let_go(cut)
        elif kind is Kind.BLANK:
            self._begin_block(final)
        elif kind is Kind.TEXT:
            self._reader.step(final=final)
        elif (index := outlet.next_event(_LINE_EVENTS, final=final)) is not None:
            if kind is Kind.CODE:
                self._code_line(index, final)
            else:
                self._line(index, final)

    def _begin_block(self, final: bool) -> None:
        outlet, tape = self._outlet, self._outlet.tape
        match = _NONSPACE.search(tape.text, tape.pos)
        begin = match.start() if match else len(tape.text)
        if not LINE_ENDS.isdisjoint(tape.text[tape.pos : begin]):
            self._in_table = False
        tape.move(begin)
        if match is None:
            raise NotYetError
        line = read_line(tape.text, begin, final=final, fresh=True, number=outlet.number)
        if self._in_table and line.kind is Kind.TEXT and not line.marked:
            line = Line(Kind.ROW, line.begin, line.content)
        outlet.begin_block(line)

    def _line(self, index: int, final: bool) -> None:
        """A heading, a row or a rule ends with its line."""
        outlet, text = self._outlet, self._outlet.tape.text
        begin = index
        if text[index] in LINE_ENDS:
            begin = outlet.past_line_end(index, final=final)
        if is_delimiter_row(text[outlet.tape.start : index]):
            self._in_table = True
        outlet.end_block(index, begin)

    def _code_line(self, index: int, final: bool) -> None:
        """A line of code ends; the next one may close the fence."""
        outlet, tape = self._outlet, self._outlet.tape
        begin = index + 1
        if tape.text[index] in LINE_ENDS:
            begin = outlet.past_line_end(index, final=final)
            if end := fence_end(tape.text, begin, outlet.line.fence, final=final):
                outlet.end_block(end, end)
                return
        if index - tape.start >= GAP and not tape.nonspace(index - GAP, index):
            outlet.let_go(index)
        tape.pos = begin
