"""What an operator is told when something cannot be done."""

from __future__ import annotations


class InfraError(Exception):
    """Nothing was changed, or what was is said. The text tells what to do."""


class SettingError(InfraError):
    """A setting cannot be used. The text names it, what it holds and what it may hold."""
