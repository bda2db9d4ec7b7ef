"""Sentences inside a paragraph, a list item or a quote."""

from __future__ import annotations

import re

from firstword.chunker.abbreviations import Follow
from firstword.chunker.ahead import Ahead
from firstword.chunker.blocks import Kind, Line
from firstword.chunker.boundaries import Context, judge
from firstword.chunker.characters import LINE_ENDS, TERMINATORS
from firstword.chunker.first_clause import CLAUSE_MARKS, clause_end
from firstword.chunker.outlet import GAP_PATTERN, Outlet
from firstword.chunker.spans import opens_fence, past_code, past_tag, past_ticks

_MARKS = re.escape("".join(sorted(TERMINATORS | LINE_ENDS | set("`<*"))))
_EVENTS = re.compile(rf"[{_MARKS}]|{GAP_PATTERN}|(?<=[\u0370-\u03ff\u1f00-\u1fff]);")
_CLAUSE_EVENTS = re.compile(rf"[{_MARKS}{CLAUSE_MARKS}]|{GAP_PATTERN}")
_BOLD_LINE = re.compile(r"(\*\*|__)(?:(?!\1).)+\1:?\s*")
_SETTLED = frozenset({Follow.ANYTHING, Follow.NO_LOWER, Follow.CAPITAL, Follow.TIME, Follow.UNIT})


class TextReader:
    """Reads a tape whose block is text, a step at a time."""

    def __init__(self, outlet: Outlet, *, min_chars: int) -> None:
        self._outlet = outlet
        self._tape = outlet.tape
        self._min_chars = min_chars

    def step(self, *, final: bool) -> None:
        """Read on to the next character that could mean something, and decide on it."""
        tape, outlet = self._tape, self._outlet
        if tape.is_empty:
            tape.skip_blanks()
        is_first = outlet.clause_words is not None
        index = outlet.next_event(_CLAUSE_EVENTS if is_first else _EVENTS, final=final)
        if index is None:
            return
        char = tape.text[index]
        if char in LINE_ENDS:
            self._line_end(index, final)
        elif char.isspace():
            outlet.end_block(index, index)
        elif char == "`":
            self._ticks(index, final)
        elif char == "<":
            tape.pos = past_tag(tape.text, index, final=final)
        elif char == "*":
            self._star(index, final)
        elif is_first and char in CLAUSE_MARKS:
            self._clause(index, final)
        else:
            self._terminator(index, final)

    def settled(self) -> int | None:
        """Where a sentence ends that only waits for what comes after it; None for none."""
        tape = self._tape
        text, index = tape.text, tape.pos
        if tape.held and not tape.nonspace(tape.held, len(text)):
            return tape.held
        if index >= len(text) or text[index] not in TERMINATORS:
            return None
        verdict = judge(Ahead(text, index, final=True), index, self._context(final=True))
        end = verdict.at
        if not verdict.ends or verdict.left.follow not in _SETTLED:
            return None
        if tape.nonspace(end, len(text)) or not tape.has_word(end):
            return None
        may_be_decimal = end == len(text) and text[index - 1].isdigit()
        if may_be_decimal or self._outlet.marks.open_in(text[tape.start : end]):
            return None
        return end

    def _terminator(self, index: int, final: bool) -> None:
        tape = self._tape
        verdict = judge(Ahead(tape.text, index, final=final), index, self._context(final=final))
        self._outlet.number = verdict.left.number or self._outlet.number
        if not verdict.ends or not tape.has_word(verdict.at):
            tape.pos = verdict.at
        elif tape.length(verdict.at) < self._min_chars:
            tape.held = verdict.at
            tape.pos = max(verdict.at, index + 1)
        else:
            self._outlet.close(verdict.at)

    def _context(self, *, final: bool) -> Context:
        outlet = self._outlet

        def next_line(index: int) -> int | None:
            line = outlet.line_after(index, final=final)[1]
            return line.content if self._goes_on(line, index) else None

        return Context(self._tape.start, outlet.number, outlet.marks, next_line)

    def _line_end(self, index: int, final: bool) -> None:
        tape = self._tape
        begin, line = self._outlet.line_after(index, final=final)
        if not self._goes_on(line, index):
            self._outlet.end_block(index, begin)
            return
        if tape.is_empty:
            tape.move(line.begin)
        tape.pos = line.content

    def _goes_on(self, line: Line, index: int) -> bool:
        """Whether ``line`` belongs to the block of the line that ends at ``index``."""
        outlet = self._outlet
        if line.kind is not Kind.TEXT or line.marked or line.quoted != outlet.line.quoted:
            return False
        return not (outlet.opens and _BOLD_LINE.fullmatch(self._tape.text, self._tape.start, index))

    def _ticks(self, index: int, final: bool) -> None:
        tape = self._tape
        end = past_ticks(tape.text, index, final=final)
        if end - index < 3 or not opens_fence(tape.text, index, final=final):
            tape.pos = past_code(tape.text, index, final=final)
        elif self._outlet.close(index):
            fence = tape.text[index:end]
            self._outlet.begin_block(Line(Kind.CODE, index, end, fence=fence))

    def _star(self, index: int, final: bool) -> None:
        """A starred aside before a sentence is one itself: ``*Waves slowly* Lovely to see you.``"""
        tape = self._tape
        ahead = Ahead(tape.text, index, final=final)
        end = ahead.past(index, "*")
        if self._closes_aside(ahead, index, end):
            self._outlet.close(end)
        else:
            tape.pos = end

    def _closes_aside(self, ahead: Ahead, index: int, end: int) -> bool:
        text, start = self._tape.text, self._tape.start
        single = end == index + 1 and index > start + 1 and text[start] == "*"
        if not single or text[start + 1] in "* " or text[index - 1].isspace():
            return False
        if "*" in text[start + 1 : index] or not ahead.at(end).isspace():
            return False
        return ahead.at(ahead.past_blanks(end)).isupper()

    def _clause(self, index: int, final: bool) -> None:
        ahead = Ahead(self._tape.text, index, final=final)
        end = clause_end(ahead, self._tape.start, index, self._outlet.clause_words or 0)
        if end is None:
            self._tape.pos = index + 1
        else:
            self._outlet.close(end)
