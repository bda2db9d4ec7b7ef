"""What an HTTP request carries, read with bounds and checked by its declared types."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from typing import Any

from starlette.requests import ClientDisconnect, Request

from firstword.protocol.shapes import read_object
from firstword.protocol.values import MisfitError
from firstword.tts.refusal import RefusedError
from firstword.tts.settings import Limits

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,256}")


def request_id(request: Request, named: str | None = None) -> str:
    """The caller's name for the request: in the body, else ``x-request-id``, else a new one."""
    for name in (named, request.headers.get("x-request-id")):
        if name and _REQUEST_ID.fullmatch(name):
            return name
    return uuid.uuid4().hex


async def read_json(request: Request, limits: Limits) -> dict[str, Any]:
    """The body as a JSON object, whatever its content type says.

    Raises:
        RefusedError: too large, too slow, not JSON, not an object.
    """
    try:
        async with asyncio.timeout(limits.send_s):
            body = await _read(request, limits.message_bytes)
    except TimeoutError:
        message = f"the body did not come within {limits.send_s:g} s"
        raise RefusedError("request_timeout", message) from None
    value = _parsed(body)
    if not isinstance(value, dict):
        raise RefusedError("invalid_request", "the body must be a JSON object")
    return value


def as_shape[T](cls: type[T], source: dict[str, Any]) -> T:
    """An instance of a dataclass whose annotations say what each field may hold.

    Raises:
        RefusedError: a field is missing, of another type or out of range.
    """
    try:
        instance: T = read_object(cls, source)
    except MisfitError as misfit:
        field = str(misfit).split(" ", 1)[0]
        raise RefusedError("invalid_request", str(misfit), param=field) from None
    return instance


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        problem = "nested too deeply"
    except UnicodeDecodeError:
        problem = "not UTF-8"
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at character {error.pos}"
    except ValueError:
        problem = "a number has too many digits"
    raise RefusedError("invalid_json", f"the body must be JSON: {problem}")


async def _read(request: Request, most_bytes: int) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most_bytes:
        raise RefusedError("too_large", f"the body may have {most_bytes} bytes, got {length}")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most_bytes:
                raise RefusedError("too_large", f"the body may have {most_bytes} bytes, got more")
    except ClientDisconnect:
        raise RefusedError("invalid_request", "the body ended early") from None
    return bytes(body)
