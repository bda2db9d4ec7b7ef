"""Log lines: ``key=<value>, key=<value> | message``, or the same as one JSON object a line.

A message that begins with ``key=<value>`` pairs keeps them as fields. The ids of the turn that a
task works for are added where they are not there. What an exception says is left out, since it may
quote a prompt: its kind and its place are enough to find it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from firstword.telemetry.settings import LogFormat

_PAIR = re.compile(r"(\w+)=<(.*?)>(, | \| )", re.DOTALL)
_RESERVED = frozenset({"time", "level", "logger", "message", "trail"})
_MOST_CAUSES = 8

_IDS: ContextVar[dict[str, str] | None] = ContextVar("firstword_log_ids", default=None)


@contextmanager
def identified(**ids: str | None) -> Iterator[None]:
    """Lines of this task, and of those that it starts, carry these ids."""
    kept = {name: printable(value) for name, value in ids.items() if value}
    token = _IDS.set({**(_IDS.get() or {}), **kept})
    try:
        yield
    finally:
        _IDS.reset(token)


def printable(text: str) -> str:
    """A caller's own name for something, safe in one line of a log."""
    return "".join(symbol if symbol.isprintable() else "?" for symbol in text)


def configure(level: str, log_format: LogFormat = "text") -> None:
    """Log to standard error, in the place of whoever did before us.

    ``opentelemetry-instrument`` does, in a format of its own; its exporter of log lines stays.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    root = logging.getLogger()
    for other in tuple(root.handlers):
        if type(other) is logging.StreamHandler:
            root.removeHandler(other)
    root.addHandler(handler)
    root.setLevel(level.upper())


class TextLines(logging.Formatter):
    """``2026-01-31 12:00:00,000 INFO a.module | request_id=<a>, trace_id=<b> | message``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s | %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        fields, message = read(record.message)
        if fields:
            head = ", ".join(f"{name}=<{value}>" for name, value in fields.items())
            record.message = f"{head} | {message}"
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return trail(ei)


class JsonLines(logging.Formatter):
    """One object a line: ``time`` (UTC), ``level``, ``logger``, ``message`` and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields, message = read(record.getMessage())
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": message,
        }
        for name, value in fields.items():
            line[f"{name}_" if name in _RESERVED else name] = value
        if record.exc_info:
            line["trail"] = trail(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def read(text: str) -> tuple[dict[str, str], str]:
    """The fields and the message of a line, with the task's ids in front."""
    told: dict[str, str] = {}
    at, rest = 0, text
    while (pair := _PAIR.match(text, at)) is not None:
        told[pair[1]] = pair[2]
        at = pair.end()
        if pair[3] == " | ":
            rest = text[at:]
            break
    else:
        # Pairs that no message follows are a message that looks like them.
        told.clear()
    return {**(_IDS.get() or {}), **told}, rest


type ExceptionInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


def trail(info: ExceptionInfo) -> str:
    """Kind and place of an exception and of its causes, innermost last."""
    lines: list[str] = []
    error = info[1]
    for _ in range(_MOST_CAUSES):
        if error is None:
            break
        lines.append(_kind(error))
        lines += (line.rstrip("\n") for line in traceback.format_tb(error.__traceback__))
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        elif error.__cause__ is not None or error.__suppress_context__:
            error = error.__cause__
        else:
            error = error.__context__
    return "\n".join(lines)


def _kind(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{name}: {error.strerror}" if isinstance(error, OSError) else name
