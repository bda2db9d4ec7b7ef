"""The timeline for people: one line a moment, bars on one scale."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from firstword.console.timeline import Timeline

_WIDTH = 36


def timeline_view(timeline: Timeline) -> RenderableType:
    """A small table: what, seconds from the start of the turn, a bar."""
    rows = [
        ("first text", timeline.first_text_ms, "cyan"),
        ("first sentence", timeline.first_sentence_ms, "cyan"),
        ("first audio", timeline.first_audio_ms, "bold green"),
        ("last text", timeline.last_text_ms, "cyan"),
        ("end", timeline.end_ms, "cyan"),
    ]
    whole_ms = max((ms for _, ms, _ in rows if ms is not None), default=0.0) or 1.0
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, ms, style in rows:
        if ms is None:
            table.add_row(name, "never", "")
            continue
        bar = "█" * max(round(ms / whole_ms * _WIDTH), 1)
        table.add_row(name, f"{ms / 1000:.2f} s", Text(bar, style=style))
    return table


def verdict(timeline: Timeline) -> str:
    """What the numbers mean, in one sentence."""
    heard, written = timeline.first_audio_ms, timeline.last_text_ms
    speech = f"{timeline.audio_s:.1f} s of speech"
    if heard is None or written is None:
        return speech
    ahead_s = (written - heard) / 1000
    if ahead_s > 0:
        return f"{speech}, the first of it {ahead_s:.2f} s before the text was finished"
    return f"{speech}, the first of it {-ahead_s:.2f} s after the text was finished"
