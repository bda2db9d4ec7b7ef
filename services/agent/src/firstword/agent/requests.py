"""What a client may ask for: the rules that the protocol's own types do not know."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import uuid4

from starlette.responses import JSONResponse

from firstword.agent.errors import AgentError, RefusedError
from firstword.agent.settings import VOICE_PATTERN, TurnSettings
from firstword.protocol import MAX_REQUEST_ID_CHARS, Prompt, RemoteProtocolError, from_dict

logger = logging.getLogger(__name__)

SESSION_HEADER = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
REQUEST_HEADER = "X-Amzn-Bedrock-AgentCore-Runtime-Request-Id"
SESSION_PATTERN = re.compile(r"[!-~]{1,256}")


@dataclass(frozen=True, slots=True)
class Caller:
    """What the platform says in headers: AgentCore names the session and each of its requests."""

    session_id: str | None = None
    request_id: str | None = None
    traceparent: str | None = None

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Caller:
        """A request id that cannot be one of ours is passed over."""
        request_id = headers.get(REQUEST_HEADER)
        usable = request_id is not None and is_request_id(request_id)
        return cls(
            headers.get(SESSION_HEADER),
            request_id if usable else None,
            headers.get("traceparent"),
        )


def read_prompt(payload: object, settings: TurnSettings, caller: Caller) -> Prompt:
    """The prompt of a request's JSON, checked, with a request's and a session's id.

    The platform's session goes before the payload's; its request id names the reply where the
    payload names none.

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
    frame = replace(frame, request_id=frame.request_id or caller.request_id)
    prompt = check_prompt(frame, settings, caller.session_id)
    log_prompt(prompt, caller)
    return prompt


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
    if prompt.request_id is not None and not is_request_id(prompt.request_id):
        message = "A request id has 1 to 256 characters that can be printed."
        raise RefusedError("invalid_request_id", message)
    session = session_id or prompt.session_id or uuid4().hex
    if SESSION_PATTERN.fullmatch(session) is None:
        message = "A session id has 1 to 256 characters of printable ASCII, without spaces."
        raise RefusedError("invalid_session", message)
    return replace(prompt, session_id=session, request_id=prompt.request_id or uuid4().hex)


def log_prompt(prompt: Prompt, caller: Caller) -> None:
    """Say in the log which ids belong together; the speech service logs the request's."""
    logger.info(
        "request_id=<%s>, session_id=<%s>, platform_request_id=<%s>, mode=<%s> | prompt taken",
        prompt.request_id,
        prompt.session_id,
        caller.request_id,
        prompt.mode,
    )


def is_request_id(value: str) -> bool:
    """Whether it can stand in a frame and on one line of a log."""
    return 0 < len(value) <= MAX_REQUEST_ID_CHARS and value.isprintable()


def request_id_of(payload: object) -> str | None:
    """The request id that a refused payload names, where it names a good one."""
    value = payload.get("request_id") if isinstance(payload, Mapping) else None
    return value if isinstance(value, str) and is_request_id(value) else None


def refusal(error: AgentError, status: int, request_id: str | None = None) -> JSONResponse:
    """The HTTP answer to a request that is not served."""
    body = {"code": error.code, "message": error.message, "request_id": request_id}
    return JSONResponse({"error": body}, status_code=status)
