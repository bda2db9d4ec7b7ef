"""Typed reads of environment variables, with errors that name the variable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import SplitResult, urlsplit

from firstword.agent.errors import SettingsError


class Environment:
    """The variables. An empty one counts as not set; every read may raise SettingsError."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def text(self, name: str) -> str | None:
        return self._variables.get(name, "").strip() or None

    def choice(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        value = (self.text(name) or default).lower()
        if value not in allowed:
            raise SettingsError(name, f"is {value!r}; it must be one of {', '.join(allowed)}")
        return value

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        return self._within(name, int, "a whole number", default, low, high)

    def number(self, name: str, default: float, low: float, high: float) -> float:
        return self._within(name, float, "a number", default, low, high)

    def url(self, name: str, url: str, schemes: tuple[str, ...]) -> SplitResult:
        """The parts of a URL that must have a host and one of these schemes."""
        try:
            parts = urlsplit(url)
            _ = parts.port
        except ValueError:
            raise SettingsError(name, f"is {url!r}; it must be a URL") from None
        if parts.scheme not in schemes or not parts.hostname:
            problem = f"is {url!r}; it must begin with {schemes[0]}:// and name a host"
            raise SettingsError(name, problem)
        return parts

    def _within[N: (int, float)](
        self, name: str, parse: Callable[[str], N], kind: str, default: N, low: N, high: N
    ) -> N:
        text = self.text(name)
        if text is None:
            return default
        try:
            value = parse(text)
        except ValueError:
            raise SettingsError(name, f"is {text!r}; it must be {kind}") from None
        if not low <= value <= high:
            raise SettingsError(name, f"is {text}; it must be from {low} to {high}")
        return value
