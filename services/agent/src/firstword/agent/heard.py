"""What a listener has heard of a reply that was cut off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firstword.agent.spans import JOINT, Piece
from firstword.protocol import Word

_TOLERANCE_S = 0.02
"""Players and services round times."""


@dataclass(slots=True)
class Line:
    """One stretch of a reply, from ``start`` to ``end`` of its text, and what was sent of it.

    ``pieces`` are what the voice says; none where the stretch is only shown. ``unsaid`` is set
    where the voice did not say them, so that they were only shown as well. Word times count from
    the line's first sample, word spans from ``start``.
    """

    seq: int
    text: str
    start: int
    end: int
    pieces: tuple[Piece, ...] = ()
    sample_rate: int = 24_000
    samples: int = 0
    shown: bool = False
    whole: bool = False
    unsaid: bool = False
    words: list[Word] = field(default_factory=list)

    @property
    def spoken(self) -> str:
        """What the voice is given."""
        return JOINT.join(piece.spoken for piece in self.pieces)

    @property
    def duration_s(self) -> float:
        return self.samples / self.sample_rate


def heard_text(reply: str, lines: Iterable[Line], heard_s: float) -> str:
    """The part of ``reply`` that was heard when ``heard_s`` seconds of its audio were played.

    Whole lines, then the line that was playing up to its last whole word where the times of its
    words are known. Lines that are only shown count once they were.
    """
    pieces: list[str] = []
    left_s = heard_s + _TOLERANCE_S
    end = 0
    for line in lines:
        cut = _cut(line, left_s)
        if cut > line.start:
            gap = reply[end : line.start]
            pieces.append((gap if gap.isspace() else " ") if pieces else "")
            pieces.append(reply[line.start : cut])
            end = cut
        left_s -= line.duration_s
        if left_s < 0:
            break
    return "".join(pieces).strip()


def _cut(line: Line, left_s: float) -> int:
    """Up to which character of the reply the line was heard (or seen)."""
    if not line.pieces or line.unsaid:
        return line.end if line.shown else line.start
    if line.whole and line.duration_s <= left_s:
        return line.end
    heard = [word.text_end for word in line.words if word.end_s <= left_s]
    return line.start + max(heard, default=0)
