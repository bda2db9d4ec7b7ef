"""Signatures, checked: the request's, then the chain of signatures of its event stream.

For the chain see "Signing event stream messages" in the guide of Amazon Transcribe's streaming.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from urllib.parse import parse_qsl

from smithy_aws_event_stream.events import Event, EventHeaderEncoder, EventMessage

from firstword.emulator.sagemaker.errors import ServiceError, StreamError
from firstword.emulator.sagemaker.exchange import Request
from firstword.emulator.sigv4 import (
    MISMATCH,
    SKEW,
    Credentials,
    canonical,
    hash_of,
    moment,
    refused,
    sign,
    signature,
    signing_key,
)

STREAMED = "STREAMING-AWS4-HMAC-SHA256-EVENTS"
"""What stands for the body's hash where each message of the body is signed by itself."""

_SHAPE = re.compile(
    r"AWS4-HMAC-SHA256 +Credential=(?P<key>[^/,\s]+)/(?P<scope>(?P<day>\d{8})/[\w-]+/[\w-]+/"
    r"aws4_request), *SignedHeaders=(?P<headers>[a-z0-9;-]+), *"
    r"Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True, slots=True)
class Signed:
    """A request whose signature is right: where the chain of its messages begins."""

    scope: str
    signature: str
    secret: str = field(repr=False)


def check_request(
    request: Request, body: bytes | None, credentials: Credentials, now: datetime
) -> Signed:
    """Check a request's signature. ``body`` is None where it is an event stream still to come.

    Raises:
        ServiceError: it is missing, stale or wrong.
    """
    header = request.headers.get("authorization")
    if header is None:
        raise ServiceError(
            "MissingAuthenticationTokenException", 403, "Missing Authentication Token"
        )
    found = _SHAPE.fullmatch(header.strip())
    names = found["headers"].split(";") if found is not None else []
    if found is None or "host" not in names or names != sorted(names):
        message = (
            "Authorization must be AWS4-HMAC-SHA256 with Credential, SignedHeaders, Signature."
        )
        raise ServiceError("IncompleteSignatureException", 400, message)
    credentials.check(found["key"], request.headers.get("x-amz-security-token"))
    stamp = request.headers.get("x-amz-date", "")
    _check_time(stamp, found["day"], now)
    query = parse_qsl(request.query, keep_blank_values=True)
    text = canonical(request, names, query, STREAMED if body is None else hash_of(body))
    right = signature(credentials.secret_access_key, found["scope"], stamp, text)
    if not hmac.compare_digest(right, found["signature"]):
        raise refused()
    return Signed(found["scope"], found["signature"], credentials.secret_access_key)


class Chain:
    """The signatures of a stream's messages, each over the one before."""

    def __init__(self, start: Signed) -> None:
        self._secret = start.secret
        self._where = start.scope.split("/", 1)[1]
        self._prior = start.signature

    def unwrap(self, message: EventMessage) -> EventMessage | None:
        """The message inside a signed one; None for the empty one that ends the stream.

        Raises:
            StreamError: its signature is missing or wrong.
        """
        date, signature = message.headers.get(":date"), message.headers.get(":chunk-signature")
        if not isinstance(date, datetime) or not isinstance(signature, bytes):
            raise _bad_chunk("Every message must have :date and :chunk-signature.")
        encoder = EventHeaderEncoder()
        encoder.encode_timestamp(":date", date)
        stamp = date.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        # A session may go on past midnight; its messages then have the new day's key.
        scope = f"{stamp[:8]}/{self._where}"
        text = (
            f"AWS4-HMAC-SHA256-PAYLOAD\n{stamp}\n{scope}\n{self._prior}\n"
            f"{hash_of(encoder.get_result())}\n{hash_of(message.payload)}"
        )
        if not hmac.compare_digest(sign(signing_key(self._secret, scope), text), signature):
            raise _bad_chunk(MISMATCH)
        self._prior = signature.hex()
        if not message.payload:
            return None
        inner = Event.decode(BytesIO(message.payload))
        return inner.message if inner is not None else None


def _check_time(stamp: str, day: str, now: datetime) -> None:
    when = moment(stamp)
    if stamp[:8] != day or abs(now - when) > SKEW:
        raise refused(f"Signature expired: {stamp} is not within 5 min. of now.")


def _bad_chunk(message: str) -> StreamError:
    return StreamError("InvalidSignatureException", message, modelled=False)
