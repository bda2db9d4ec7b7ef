"""Telling people that the parts start, and when each answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from firstword.console.child import Part
from firstword.console.supervisor import Urls, supervised
from firstword.console.terminal import Terminal


async def started[T](
    parts: Sequence[Part], work: Callable[[Urls], Awaitable[T]], terminal: Terminal
) -> T:
    """:func:`supervised` with progress: a spinner on a terminal, else a line a part."""
    names = " and ".join(part.name for part in parts)
    status = terminal.talk.status(f"starting {names}")
    if terminal.talk.is_terminal:
        status.start()
    else:
        terminal.say(f"starting {names}")

    def on_ready(name: str, seconds: float) -> None:
        terminal.say(f"{name} ready after {seconds:.1f} s", style="dim")

    async def then(urls: Urls) -> T:
        status.stop()
        return await work(urls)

    try:
        return await supervised(parts, then, on_ready)
    finally:
        status.stop()
