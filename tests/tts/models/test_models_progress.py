"""Progress is a bar for people and lines for logs."""

from __future__ import annotations

import io

from firstword.tts.models.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_gets_plain_lines() -> None:
    log = io.StringIO()
    with progress(log, 100) as shown:
        shown.say("weights: from package clients")
        shown.advance(50)
    assert log.getvalue() == "weights: from package clients\n"


def test_a_terminal_gets_a_bar() -> None:
    terminal = Terminal()
    with progress(terminal, 100) as shown:
        shown.say("weights")
        shown.advance(100)
    assert "weights" in terminal.getvalue()
    assert "100/100 bytes" in terminal.getvalue()
