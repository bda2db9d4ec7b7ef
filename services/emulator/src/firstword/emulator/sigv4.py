"""Signature Version 4: what a signature is made of, for the planes that check one.

See "Create a signed AWS API request" in the IAM user guide. Written from it and not from the
signers, so that a slip of a signer does not pass here.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Protocol
from urllib.parse import quote

from firstword.emulator.sagemaker.errors import ServiceError

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW = timedelta(minutes=5)
MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your "
    "AWS Secret Access Key and signing method. Consult the service documentation for details."
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The one key that callers sign with."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)

    def check(self, key_id: str, token: str | None) -> None:
        """Raises: ServiceError: a caller signs with another key."""
        if key_id != self.access_key_id or token != self.session_token:
            message = "The security token included in the request is invalid."
            raise ServiceError("UnrecognizedClientException", 403, message)


class Signable(Protocol):
    """``path`` and ``query`` are as on the wire, header names in lower case."""

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


def canonical(
    request: Signable, names: Sequence[str], query: Iterable[tuple[str, str]], body_hash: str
) -> str:
    """The text that a signature is over; ``names`` of the signed headers, ``query`` decoded."""
    lines = "".join(f"{n}:{' '.join(request.headers.get(n, '').split())}\n" for n in names)
    pairs = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in query)
    # The path is encoded once on the wire and, for all services but S3, once more here.
    path = quote(request.path, safe="/")
    joined = "&".join(f"{name}={value}" for name, value in pairs)
    return "\n".join((request.method, path, joined, lines, ";".join(names), body_hash))


def signature(secret: str, scope: str, stamp: str, text: str) -> str:
    """The signature of a canonical request, in hexadecimal digits."""
    whole = f"{ALGORITHM}\n{stamp}\n{scope}\n{hash_of(text.encode())}"
    return sign(signing_key(secret, scope), whole).hex()


def signing_key(secret: str, scope: str) -> bytes:
    """The day's, region's and service's own key."""
    key = f"AWS4{secret}".encode()
    for step in scope.split("/"):
        key = sign(key, step)
    return key


def sign(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def hash_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def moment(stamp: str) -> datetime:
    """Raises: ServiceError: that is no time."""
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        message = "X-Amz-Date must be YYYYMMDD'T'HHMMSS'Z'."
        raise ServiceError("IncompleteSignatureException", 400, message) from None


def refused(message: str = MISMATCH) -> ServiceError:
    return ServiceError("InvalidSignatureException", 403, message)
