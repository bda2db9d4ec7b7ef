"""What a client may ask for: the rules that the protocol's own types do not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from starlette.responses import JSONResponse

from firstword.agent.errors import AgentError, RefusedError
from firstword.agent.settings import VOICE_PATTERN, TurnSettings
from firstword.protocol import MAX_REQUEST_ID_CHARS, Prompt, RemoteProtocolError, from_dict

SESSION_PATTERN = re.compile(r"[A-Za-z0-9._:@/-]{1,256}")


def read_prompt(payload: object, settings: TurnSettings, session_id: str | None) -> Prompt:
    """The prompt of a request's JSON, checked, with a request's and a session's id.

    ``session_id`` is what the platform says (AgentCore's header); it goes before the payload's.

    Raises:
        RefusedError: it is not a prompt, or one that cannot be answered.
    """
    if not isinstance(payload, Mapping):
        raise RefusedError("invalid_frame", "The request must be a JSON object with a prompt.")
    try:
        frame = from_dict({**payload, "type": "prompt"})
    except RemoteProtocolError as error:
        raise RefusedError(error.code, error.message) from None
    assert isinstance(frame, Prompt)
    return check_prompt(frame, settings, session_id)


def check_prompt(prompt: Prompt, settings: TurnSettings, session_id: str | None) -> Prompt:
    """The same prompt with all its ids, or RefusedError."""
    if not prompt.prompt.strip():
        raise RefusedError("empty_prompt", "The prompt is empty.")
    if len(prompt.prompt) > settings.max_prompt_chars:
        most = settings.max_prompt_chars
        message = f"A prompt may have {most} characters; this one has {len(prompt.prompt)}."
        raise RefusedError("prompt_too_long", message)
    if prompt.voice is not None and VOICE_PATTERN.fullmatch(prompt.voice) is None:
        message = "A voice is a name such as af_heart, or a blend such as af_bella(2)+af_sky(1)."
        raise RefusedError("invalid_voice", message)
    session = session_id or prompt.session_id or uuid4().hex
    if SESSION_PATTERN.fullmatch(session) is None:
        message = "A session id has 1 to 256 letters, digits or . _ : @ / - characters."
        raise RefusedError("invalid_session", message)
    return replace(prompt, session_id=session, request_id=prompt.request_id or uuid4().hex)


def request_id_of(payload: object) -> str | None:
    """The request id that a refused payload names, where it names a good one."""
    value = payload.get("request_id") if isinstance(payload, Mapping) else None
    good = isinstance(value, str) and 0 < len(value) <= MAX_REQUEST_ID_CHARS
    return value if good else None


def refusal(error: AgentError, status: int, request_id: str | None = None) -> JSONResponse:
    """The HTTP answer to a request that is not served."""
    body = {"code": error.code, "message": error.message, "request_id": request_id}
    return JSONResponse({"error": body}, status_code=status)
