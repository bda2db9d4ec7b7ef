"""Which runs of ``*``, ``_`` and ``~~`` are marks, and which are part of what is said."""

from __future__ import annotations

from dataclasses import dataclass

from firstword.chunker.characters import is_unspaced

_OPENS_BEFORE = frozenset("\"'“‘«„([{<#@$€£¥*_~`¿¡\\!&+-–—…")


@dataclass(slots=True)
class _Run:
    piece: int
    text: str
    inside: bool
    """It stands inside a word."""


class Emphasis:
    """Emphasis that is open, from sentence to sentence of one block.

    CommonMark pairs marks over a whole paragraph. A sentence is spoken before its paragraph is
    known, so a mark that opens at a word's start counts as one though its partner has not come.
    """

    def __init__(self) -> None:
        self._carried: dict[str, int] = {}
        self._opened: dict[str, list[_Run]] = {}
        self._pieces: list[str] = []

    def reset(self) -> None:
        """A new block: nothing is open."""
        self._carried.clear()

    def begin(self, pieces: list[str]) -> None:
        """A sentence begins whose words go to ``pieces``."""
        self._pieces = pieces
        self._opened = {}

    def add(self, text: str, start: int, end: int) -> None:
        """The run of marks ``text[start:end]``: put it into the pieces, unless it is a mark."""
        mark = text[start]
        before, after = text[start - 1 : start], text[end : end + 1]
        run = _Run(len(self._pieces), text[start:end], before.isalnum() and after.isalnum())
        self._pieces.append("")
        can_close = bool(before) and not before.isspace()
        can_open = bool(after) and (after.isalnum() or after in _OPENS_BEFORE or ord(after) > 0x2FF)
        if run.inside and _is_literal(run.text, text, start, end):
            can_open = can_close = False
            if self._is_open(mark) and not (before.isdigit() and after.isdigit()) and mark == "*":
                can_close = True
        if can_close and self._close(mark, run):
            return
        if can_open:
            self._opened.setdefault(mark, []).append(run)
        elif not (can_close and _drops(run.text, text, start)):
            self._pieces[run.piece] = run.text

    def end(self) -> None:
        """The sentence ends: what is open at a word's start goes on into the next one."""
        for mark, runs in self._opened.items():
            for run in runs:
                if run.inside:
                    self._pieces[run.piece] = run.text
                else:
                    self._carried[mark] = self._carried.get(mark, 0) + 1

    def _is_open(self, mark: str) -> bool:
        runs = self._opened.get(mark, [])
        return any(not run.inside for run in runs) or self._carried.get(mark, 0) > 0

    def _close(self, mark: str, run: _Run) -> bool:
        """Whether ``run`` closes an open one; both are marks then."""
        runs = self._opened.get(mark)
        if runs:
            opener = runs.pop()
            longer = len(run.text) - len(opener.text)
            if longer < 0:
                rest = _Run(opener.piece, opener.text[: -len(run.text)], opener.inside)
                runs.append(rest)
            return True
        if self._carried.get(mark, 0):
            self._carried[mark] -= 1
            return True
        return False


def _is_literal(run: str, text: str, start: int, end: int) -> bool:
    """Inside a word: ``2*3``, ``snake_case``, ``a**b``; but ``这是**重点**内容`` is emphasis."""
    before, after = text[start - 1], text[end]
    if run[0] == "_" or before.isdigit() or after.isdigit():
        return True
    if is_unspaced(before) or is_unspaced(after) or run[0] == "~":
        return False
    alone = not text[start - 2 : start - 1].isalnum() or not text[end + 1 : end + 2].isalnum()
    return len(run) == 1 or alone


def _drops(run: str, text: str, start: int) -> bool:
    """Whether a mark that closes nothing is left unsaid; ``A*`` and ``x**`` are names."""
    return len(run) > 1 or (start > 1 and text[start - 2 : start].isalpha())
