"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses of all commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    INTERRUPTED = 130


class UsageError(Exception):
    """What was asked for cannot be meant; the text says what can."""


class CommandError(Exception):
    """The command failed; the text says why and what to do."""
