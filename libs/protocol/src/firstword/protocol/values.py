"""Single JSON values: what each kind must be, and how a wrong one is named in a message.

Strict: a bool is no number, a number is finite, a string is Unicode text. Each check gives the
value or raises MisfitError; whoever knows where the value stands adds it on the way up.
"""

from __future__ import annotations

import binascii
import math
from typing import Any

LARGEST_INTEGER = 2**53 - 1
"""What every JSON reader counts exactly (RFC 8259, section 6)."""

_DEEPEST = 8


class MisfitError(Exception):
    """A value that does not fit. ``str`` says where, what was expected and what came."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(f"{where} {problem}")
        self._problem = problem
        self._where = where

    def inside(self, outer: str) -> MisfitError:
        """The same, seen from the field or item ``outer`` that holds the value."""
        inner = self._where if self._where.startswith("[") else f".{self._where}"
        return MisfitError(self._problem, outer + (inner if self._where else ""))


def string(value: Any) -> str:
    if not isinstance(value, str):
        raise MisfitError(f"must be a string, got {came(value)}")
    if not is_text(value):
        raise MisfitError("must be Unicode text, got half of a surrogate pair in it")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise MisfitError(f"must be true or false, got {came(value)}")
    return value


def integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST_INTEGER:
        raise MisfitError(f"must be an integer below 2^53, got {came(value)}")
    return value


def number(value: Any) -> float:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_INTEGER:
        return float(value)
    if not isinstance(value, float) or not math.isfinite(value):
        raise MisfitError(f"must be a finite number, got {came(value)}")
    return value


def word(value: Any, words: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in words:
        shown = ascii(value)[:40] if isinstance(value, str) else came(value)
        raise MisfitError(f"must be one of {listing(words)}, got {shown}")
    return value


def json_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MisfitError(f"must be an object, got {came(value)}")
    _check_json(value, _DEEPEST)
    return value


def _check_json(value: Any, depth: int) -> None:
    if depth == 0:
        raise MisfitError(f"must be nested {_DEEPEST} deep at most")
    match value:
        case None | bool():
            pass
        case int():
            integer(value)
        case float():
            number(value)
        case str():
            string(value)
        case list():
            for item in value:
                _check_json(item, depth - 1)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str) or not is_text(key):
                    raise MisfitError("must have names of Unicode text")
                _check_json(item, depth - 1)
        case _:
            raise MisfitError(f"must be made of JSON values, got {came(value)}")


def base64_samples(value: str) -> str:
    try:
        size = len(binascii.a2b_base64(value.encode("ascii"), strict_mode=True))
    except (ValueError, binascii.Error):
        raise MisfitError(f"must be base64, got {came(value)}") from None
    if size % 2:
        raise MisfitError(f"must be base64 of whole 16-bit samples, got {size} bytes")
    return value


def is_text(value: str) -> bool:
    """Whether a string can be sent: JSON can spell half a surrogate pair, UTF-8 cannot."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def came(value: Any) -> str:
    """What came, in words that are safe to send and to log: a string's length, not its text."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if value.bit_length() > 64:
            return f"an integer of {value.bit_length()} bits"
        case int() | float():
            return repr(value)
        case str():
            return f"a string of {len(value)} characters"
        case list() | tuple():
            return f"an array of {len(value)}"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def listing(values: tuple[Any, ...]) -> str:
    return ", ".join(str(value) for value in values)
