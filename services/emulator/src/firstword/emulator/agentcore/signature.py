"""Signature Version 4 of a request, in its ``Authorization`` header or in a presigned query.

For the second see "Authenticating requests: query parameters" in the IAM user guide.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import parse_qsl

from firstword.emulator.sagemaker.errors import ServiceError
from firstword.emulator.sigv4 import (
    ALGORITHM,
    SKEW,
    Credentials,
    canonical,
    hash_of,
    moment,
    refused,
    signature,
)

SERVICE = "bedrock-agentcore"

_HEADER = re.compile(
    rf"{ALGORITHM} +Credential=([^,\s]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{{64}})"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What was sent. ``path`` and ``query`` are as on the wire, header names in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class _Claim:
    credential: str
    signed_headers: str
    signature: str
    stamp: str
    token: str | None
    query: list[tuple[str, str]]
    lasts: timedelta = SKEW


def check(
    request: Request, credentials: Credentials, region: str, *, now: datetime, longest_s: int
) -> None:
    """Check a request's signature. A presigned one may last ``longest_s`` seconds.

    Raises:
        ServiceError: it is missing, stale, of another region or wrong.
    """
    claim = _claim(request, longest_s)
    key_id, _, scope = claim.credential.partition("/")
    credentials.check(key_id, claim.token)
    wanted = f"{claim.stamp[:8]}/{region}/{SERVICE}/aws4_request"
    if scope != wanted:
        raise refused(f"Credential should be scoped to {wanted}, not {scope}.")
    if not (when := moment(claim.stamp)) - SKEW <= now <= when + claim.lasts:
        raise refused(f"Signature expired: {claim.stamp} is too long ago.")
    names = claim.signed_headers.split(";")
    text = canonical(request, names, claim.query, hash_of(request.body))
    right = signature(credentials.secret_access_key, scope, claim.stamp, text)
    if not hmac.compare_digest(right, claim.signature):
        raise refused()


def _claim(request: Request, longest_s: int) -> _Claim:
    pairs = parse_qsl(request.query, keep_blank_values=True)
    header = request.headers.get("authorization")
    if header is not None:
        found = _HEADER.fullmatch(header.strip())
        if found is None or "host" not in found[2].split(";"):
            raise ServiceError("IncompleteSignatureException", 400, "Authorization is incomplete.")
        stamp = request.headers.get("x-amz-date", "")
        token = request.headers.get("x-amz-security-token")
        return _Claim(found[1], found[2], found[3], stamp, token, pairs)
    query = dict(pairs)
    if query.get("X-Amz-Algorithm") != ALGORITHM:
        message = "Missing Authentication Token"
        raise ServiceError("MissingAuthenticationTokenException", 403, message)
    seconds = query.get("X-Amz-Expires", "")
    if not seconds.isdecimal() or not 1 <= int(seconds) <= longest_s:
        raise refused(f"X-Amz-Expires must be 1 to {longest_s} seconds.")
    return _Claim(
        query.get("X-Amz-Credential", ""),
        query.get("X-Amz-SignedHeaders", ""),
        query.get("X-Amz-Signature", ""),
        query.get("X-Amz-Date", ""),
        query.get("X-Amz-Security-Token"),
        [(name, value) for name, value in pairs if name != "X-Amz-Signature"],
        timedelta(seconds=int(seconds)),
    )
