"""Typed reads of stack settings, with errors that name the setting and say what to change.

A value comes as Pulumi has it (a string, lists and maps as JSON) or as YAML has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from firstword.infra.errors import SettingError
from firstword.infra.names import PROJECT

type Parse = Callable[[str, object], object]
"""Setting's name and value to what the program works with; raises SettingError."""


def wrong(name: str, value: object, wanted: str) -> SettingError:
    """The error for a setting that holds something else than ``wanted``."""
    return SettingError(
        f"{PROJECT}:{name} is {value!r}; it must be {wanted}. "
        f"Change it in the stack's file, or: pulumi config set {name} VALUE"
    )


def text(pattern: str = r".+", wanted: str = "a text") -> Parse:
    """A text that matches ``pattern`` as a whole."""
    compiled = re.compile(pattern)

    def parse(name: str, value: object) -> str:
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise wrong(name, value, wanted)
        found = str(value).strip()
        if compiled.fullmatch(found) is None:
            raise wrong(name, value, wanted)
        return found

    return parse


def choice(*words: str) -> Parse:
    """One of some words."""

    def parse(name: str, value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise wrong(name, value, f"one of {', '.join(words)}")
        return value

    return parse


def flag(name: str, value: object) -> bool:
    """true or false."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise wrong(name, value, "true or false")


def integer(low: int, high: int) -> Parse:
    """A whole number from ``low`` to ``high``."""

    def parse(name: str, value: object) -> int:
        found = _number(name, value, f"a whole number from {low} to {high}")
        if found != int(found) or not low <= found <= high:
            raise wrong(name, value, f"a whole number from {low} to {high}")
        return int(found)

    return parse


def number(low: float, high: float) -> Parse:
    """A number from ``low`` to ``high``."""

    def parse(name: str, value: object) -> float:
        found = _number(name, value, f"a number from {low:g} to {high:g}")
        if not low <= found <= high:
            raise wrong(name, value, f"a number from {low:g} to {high:g}")
        return found

    return parse


def one_of(numbers: Sequence[int]) -> Parse:
    """One of some whole numbers."""

    def parse(name: str, value: object) -> int:
        wanted = f"one of {', '.join(map(str, numbers))}"
        found = _number(name, value, wanted)
        if found not in numbers:
            raise wrong(name, value, wanted)
        return int(found)

    return parse


def texts(pattern: str, wanted: str) -> Parse:
    """A list of texts that match ``pattern``."""
    compiled = re.compile(pattern)

    def parse(name: str, value: object) -> tuple[str, ...]:
        found = _json(name, value, list, f"a list, each {wanted}")
        for item in found:
            if not isinstance(item, str) or compiled.fullmatch(item) is None:
                raise wrong(name, item, wanted)
        return tuple(found)

    return parse


def tags(name: str, value: object) -> tuple[tuple[str, str], ...]:
    """Tags of AWS resources, sorted by key."""
    wanted = "a map of tags, each key 1 to 128 and each value at most 256 characters, not aws:..."
    found = _json(name, value, dict, wanted)
    for key, content in found.items():
        fits = isinstance(key, str) and isinstance(content, str) and 1 <= len(key) <= 128
        if not fits or len(content) > 256 or key.lower().startswith("aws:"):
            raise wrong(name, {key: content}, wanted)
    return tuple(sorted(found.items()))


def records(fields: Sequence[str]) -> Parse:
    """A list of maps that have exactly ``fields``."""
    wanted = f"a list of maps with {', '.join(fields)}"

    def parse(name: str, value: object) -> tuple[dict[str, object], ...]:
        found = _json(name, value, list, wanted)
        for item in found:
            if not isinstance(item, dict) or set(item) != set(fields):
                raise wrong(name, item, wanted)
        return tuple(found)

    return parse


def _number(name: str, value: object, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong(name, value, wanted)
    try:
        return float(value)
    except ValueError:
        raise wrong(name, value, wanted) from None


def _json[T: (list[Any], dict[Any, Any])](
    name: str, value: object, shape: type[T], wanted: str
) -> T:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise wrong(name, value, wanted) from None
    if not isinstance(value, shape):
        raise wrong(name, value, wanted)
    return value
