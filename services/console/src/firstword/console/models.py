"""Weights that are missing are fetched when a command needs them: at set-up, once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from firstword.console.child import ChildError
from firstword.console.commands.programs import run_program
from firstword.console.parts import TTS, TTS_PROGRAM
from firstword.console.terminal import Terminal


def with_models(work: Callable[[], int], terminal: Terminal) -> int:
    """Do ``work``; when the speech server cannot start for want of weights, fetch and do it again.

    Raises ChildError for any other reason, and when the fetch did not help.
    """
    try:
        return work()
    except ChildError as error:
        if error.name != TTS or _verified():
            raise
    terminal.say("The weights are missing or broken. Fetching them (firstword models fetch):")
    status = run_program([*TTS_PROGRAM, "models", "fetch"])
    return status if status else work()


def _verified() -> bool:
    silent = subprocess.DEVNULL
    return subprocess.call([*TTS_PROGRAM, "models", "verify"], stdout=silent, stderr=silent) == 0
