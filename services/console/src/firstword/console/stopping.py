"""Signals: the first one ends the work in an orderly way, the second one at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def run_until_signal(work: Callable[[], Coroutine[None, None, int]], *, on_term: int) -> int:
    """Run ``work`` in a new event loop; SIGINT or SIGTERM cancels it.

    Gives the work's own status, INTERRUPTED after SIGINT, ``on_term`` after SIGTERM. A second
    signal leaves at once; the leash of each child then ends it.
    """
    return asyncio.run(_watched(work, on_term))


async def _watched(work: Callable[[], Coroutine[None, None, int]], on_term: int) -> int:
    loop = asyncio.get_running_loop()
    task = loop.create_task(work())
    came: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        if came:
            os._exit(INTERRUPTED)
        came.append(number)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not came:
            raise
        return on_term if came[0] is signal.SIGTERM else INTERRUPTED
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
