"""Room 2: what a voice should say of a unit that was written in markdown."""

from __future__ import annotations

import re

from firstword.chunker.blocks import Kind
from firstword.chunker.emphasis import Emphasis
from firstword.chunker.inline import words_of
from firstword.chunker.tape import Stretch

_SILENT = frozenset({Kind.CODE, Kind.RULE})
_WORD = re.compile(r"[^\W_]")
_QUOTED = re.compile(r"(?:\A|(?<=[\n\r]))[^\S\n\r]*(?:>[ \t]?)+")
_MARKERS = re.compile(
    r"(?:[^\S\n\r]*(?:>[ \t]?|[-+*·][^\S\n\r]+|[•◦▪‣●○■][^\S\n\r]*))*"
    r"(?:\[[ xX]\][^\S\n\r]+|\[\^[^\]]+\]:\s*)?"
)
_HEADING = re.compile(r"(?:[^\S\n\r]*(?:>[ \t]?|[-+*][ \t]+))*#{1,6}(?:[^\S\n\r]+|\Z)")
_HEADING_END = re.compile(r"(?:\A|\s+)#+\s*\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
_DEFINITION = re.compile(r"\[[^\]]+\]:\s*\S+(?:\s+[\"'(].*)?")


class SpokenText:
    """Makes units fit to be spoken, in order; emphasis may span the sentences of a block."""

    def __init__(self) -> None:
        self._emphasis = Emphasis()

    def spoken(self, stretch: Stretch) -> str:
        """What a voice should say; ``""`` where there is nothing to be said."""
        if stretch.kind in _SILENT:
            return ""
        if stretch.opens:
            self._emphasis.reset()
        text = self._said(stretch)
        return text if _WORD.search(text) else ""

    def _said(self, stretch: Stretch) -> str:
        text = stretch.text
        if stretch.kind is Kind.ROW:
            cells = [words_of(cell, self._emphasis) for cell in _CELL_END.split(text)]
            return ", ".join(cell for cell in cells if cell)
        if stretch.kind is Kind.DEFINITION and _DEFINITION.fullmatch(text):
            return ""
        if stretch.kind is Kind.HEADING:
            text = _HEADING_END.sub("", _HEADING.sub("", text, count=1))
        elif stretch.opens and (markers := _MARKERS.match(text)):
            text = text[markers.end() :]
        if stretch.quoted:
            text = _QUOTED.sub(" ", text)
        return words_of(text, self._emphasis)
